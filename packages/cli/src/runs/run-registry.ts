import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isObject, writeWholeFile } from '@waygate/text';
import { processIdentity } from './process-identity.ts';

/** The ports of a run: taken again by the next one on the same directory, where they are free. */
export interface PortPlan {
  readonly api: number;
  readonly http: number;
  readonly https: number;
  readonly admin: number;
  readonly dashboard: number;
  readonly backends: Readonly<Record<string, number>>;
}

/** No port is known: any free one will do. */
export const anyPorts: PortPlan = {
  api: 0,
  http: 0,
  https: 0,
  admin: 0,
  dashboard: 0,
  backends: {},
};

/** A process, and when it was started. */
interface KnownProcess {
  readonly id: number;
  readonly identity: string;
}

/** One `waygate up`: where it is, and what runs for it. Secrets are elsewhere. */
export interface RunRecord {
  readonly process: KnownProcess;
  /** What is followed; without any, where it was started. */
  readonly directory: string;
  /** Where it was started. */
  readonly startedIn: string;
  readonly startedAt: string;
  readonly kubeconfig: string;
  readonly apiUrl: string;
  readonly httpUrl: string;
  readonly httpsUrl: string;
  readonly adminUrl: string;
  readonly following: string;
  /** What its parts say, for `waygate logs`. */
  readonly logFile?: string;
  readonly ports: PortPlan;
  /** The heads of the groups that were started for Services. */
  readonly processes: readonly KnownProcess[];
}

/** Where the program keeps what is the user's own, and outlives a run. */
export function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'waygate');
}

/** What each `waygate up` wrote down, in the user's own state directory. */
export class RunRegistry {
  readonly #path: string;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#path = join(stateHome(env), 'runs');
  }

  /** @throws when the user's state directory cannot be written */
  write(record: RunRecord): void {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    // After a power cut there is no such run.
    writeWholeFile(this.#fileOf(record), text(record), { isLasting: false });
  }

  /** The run is over: only its ports are of use, to the next one on the directory. */
  finish(record: RunRecord): void {
    writeWholeFile(join(this.#path, `${keyOf(record.directory)}${lastEnding}`), text(record));
    rmSync(this.#fileOf(record), { force: true });
  }

  /** Those that run now. */
  running(): RunRecord[] {
    return this.#records(() => true).filter(isRunning);
  }

  /** Runs on a directory that were killed: what they left behind is nobody's. */
  killed(directory: string): RunRecord[] {
    const key = keyOf(directory);
    return this.#records((name) => name.startsWith(`${key}-`)).filter((each) => !isRunning(each));
  }

  /** The ports of the last run on a directory that is over. */
  lastPorts(directory: string): PortPlan | undefined {
    const last = readRecord(join(this.#path, `${keyOf(directory)}${lastEnding}`));
    return this.killed(directory)[0]?.ports ?? last?.ports;
  }

  forget(record: RunRecord): void {
    rmSync(this.#fileOf(record), { force: true });
  }

  #records(isWanted: (name: string) => boolean): RunRecord[] {
    let names: string[];
    try {
      names = readdirSync(this.#path);
    } catch {
      return [];
    }
    return names
      .filter((name) => name.endsWith('.json') && !name.endsWith(lastEnding) && isWanted(name))
      .flatMap((name) => readRecord(join(this.#path, name)) ?? []);
  }

  #fileOf({ directory, process: { id } }: RunRecord): string {
    return join(this.#path, `${keyOf(directory)}-${id}.json`);
  }
}

const lastEnding = '.last.json';

function keyOf(directory: string): string {
  return createHash('sha256').update(directory).digest('hex').slice(0, 24);
}

function text(record: RunRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

export function isRunning({ process: { id, identity } }: RunRecord): boolean {
  return processIdentity(id) === identity;
}

/** Which of the runs a place belongs to: those of the nearest directory above it, the newest first, else what was started there. */
export function runsFor(place: string, runs: readonly RunRecord[]): readonly RunRecord[] {
  const real = realPlace(place);
  const above = runs
    .filter(({ directory }) => isWithin(real, directory))
    .sort(
      (one, other) =>
        other.directory.length - one.directory.length ||
        other.startedAt.localeCompare(one.startedAt),
    );
  const [nearest] = above;
  if (nearest !== undefined)
    return above.filter(({ directory }) => directory === nearest.directory);
  return runs.filter(({ directory, startedIn }) => isWithin(directory, real) || startedIn === real);
}

/** A place by its real name, also when it is gone: the `waygate up` of a removed directory still runs. */
function realPlace(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const above = dirname(place);
    return above === place ? place : join(realPlace(above), basename(place));
  }
}

function isWithin(place: string, directory: string): boolean {
  const way = relative(directory, place);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

function readRecord(file: string): RunRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isWhole =
      isObject(value) &&
      isObject(value.process) &&
      isObject(value.ports) &&
      Array.isArray(value.processes);
    return isWhole ? (value as unknown as RunRecord) : undefined;
  } catch {
    // Nobody has been here, or the file was cut off: then nothing is known.
    return undefined;
  }
}
