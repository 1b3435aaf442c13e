import {
  type ChartFile,
  type HelmMajor,
  listArchive,
  MemoryFiles,
  packFiles,
  runHelm,
} from '@waygate/helm';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';

interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  readonly text?: string;
}

interface Recorded {
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Files that the command wrote; an archive as its entries in order. */
  readonly made?: Readonly<Record<string, string | readonly ArchiveEntry[]>>;
}

interface ChartCase {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  /** Beside the chart. */
  readonly work?: Readonly<Record<string, string>>;
  /** Archives in the chart's directory. */
  readonly pack?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly args: readonly string[];
  readonly v3: Recorded;
  readonly v4?: Recorded;
  readonly noisy3?: boolean;
  readonly noisy4?: boolean;
}

/** The time of every run. */
const now = new Date('2026-11-15T16:13:26.123Z');
const root = '/W';
const encoder = new TextEncoder();

/** The cases of one file of `charts/`: a command line each, run as Helm 3 and as Helm 4. */
export function* chartCases(name: string, data: unknown): Iterable<ConformanceCase> {
  const feature = name.replace(/\.json$/, '');
  for (const each of data as ChartCase[]) {
    yield { id: each.id, feature, run: () => runBoth(each) };
  }
}

async function runBoth(each: ChartCase): Promise<Outcome> {
  const three = await judge(each, 3, each.v3, each.noisy3 === true);
  if (three !== undefined) return fail(`Helm 3: ${three}`);
  const four = await judge(each, 4, each.v4 ?? each.v3, each.noisy4 === true);
  return four === undefined ? pass : fail(`Helm 4: ${four}`);
}

async function judge(
  each: ChartCase,
  helm: HelmMajor,
  expected: Recorded,
  isNoisy: boolean,
): Promise<string | undefined> {
  const files = new MemoryFiles(() => now);
  const given = writeInputs(each, files);
  let stdout = '';
  let stderr = '';
  const rc = await runHelm(
    each.args.map((word) => (word === 'CHART' ? './chart' : word)),
    {
      helm,
      cwd: root,
      env: { HOME: '/home/nobody' },
      files,
      network: closedNetwork,
      now: () => now,
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      clusterVersion: 'v1.36.4',
      writeOut: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
    },
  );
  return (
    differs('stderr', withoutTimes(stderr), withoutTimes(expected.stderr), isNoisy) ??
    differs('exit code', String(rc), String(expected.rc), false) ??
    differs('stdout', withoutTimes(stdout), withoutTimes(expected.stdout), isNoisy) ??
    (expected.made === undefined ? undefined : madeDiffers(files, given, expected.made))
  );
}

function writeInputs(each: ChartCase, files: MemoryFiles): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const [path, text] of Object.entries(each.files)) given.set(`${root}/chart/${path}`, text);
  for (const [path, text] of Object.entries(each.work ?? {})) given.set(`${root}/${path}`, text);
  for (const [path, text] of given) files.write(path, text);
  for (const [path, contents] of Object.entries(each.pack ?? {})) {
    const entries: ChartFile[] = Object.entries(contents).map(([name, text]) => ({
      name,
      data: encoder.encode(text),
      modifiedAtMs: now.getTime(),
    }));
    files.write(`${root}/chart/${path}`, packFiles(entries));
  }
  return given;
}

/** As the recording's: nobody listens at any port. */
const closedNetwork = {
  async fetch(url: string): Promise<never> {
    const { host } = new URL(url);
    throw new Error(`Get "${url}": dial tcp ${host}: connect: connection refused`);
  },
  async listTags(repository: string): Promise<never> {
    throw new Error(`no network for ${repository}`);
  },
  async pullChart(reference: string): Promise<never> {
    throw new Error(`no network for ${reference}`);
  },
};

/** Times are the run's own. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[.\d]* \+0000 UTC m=\+[\d.]+/g, 'TIME')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, 'TIME')
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d 20\d\d\b/g, 'TIME');
}

function differs(
  what: string,
  actual: string,
  expected: string,
  isNoisy: boolean,
): string | undefined {
  if (actual === expected) return undefined;
  const sorted = (text: string) => text.split('\n').sort().join('\n');
  // Two runs of the real one had their lines in another order.
  if (isNoisy && sorted(actual) === sorted(expected)) return undefined;
  return `${what} differs; expected\n${expected.slice(0, 3000)}\n... but got\n${actual.slice(0, 3000)}`;
}

function madeDiffers(
  files: MemoryFiles,
  given: ReadonlyMap<string, string>,
  expected: NonNullable<Recorded['made']>,
): string | undefined {
  const made: Record<string, string | ArchiveEntry[]> = {};
  for (const path of files.paths()) {
    const data = files.read(path);
    const text = new TextDecoder().decode(data);
    if (given.get(path) === text) continue;
    made[path.slice(root.length + 1)] = path.endsWith('.tgz')
      ? entriesOf(data)
      : withoutTimes(text);
  }
  const shown = (value: Recorded['made']) =>
    withoutTimes(JSON.stringify(value, (key, each) => (key === 'mode' ? undefined : each), 1));
  return differs('what it made', shown(made), shown(expected), false);
}

function entriesOf(data: Uint8Array): ArchiveEntry[] {
  return listArchive(data).map(({ name, data: content }) => ({
    name,
    size: content.length,
    text: new TextDecoder().decode(content),
  }));
}
