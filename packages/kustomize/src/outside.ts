import type { BuildOptions, FetchedFiles } from './build-options.ts';
import { KustomizeError } from './kustomize-error.ts';
import type {
  HelmOutput,
  HelmRequest,
  ProgramOutcome,
  ProgramRequest,
} from './plugins/plugin-context.ts';

/** How much is brought in at the same time: enough to hide the network, few enough for any server. */
const maxAtOnce = 8;

/** One thing that a build cannot go on without. */
interface Need {
  readonly key: string;
  /** Gets it and keeps it, for the next start of the build. */
  readonly bring: () => Promise<void>;
}

/** Thrown to say that the build cannot go on without something from outside. */
class Needed extends KustomizeError {
  readonly needs: readonly Need[];

  constructor(needs: readonly Need[]) {
    super(`needs ${needs.map(({ key }) => key).join(', ')}`, { code: 'WG_KUSTOMIZE_LIMIT' });
    this.needs = needs;
  }
}

/**
 * What a build takes from elsewhere: remote bases, charts, what programs print. The steps of a build
 * never wait: what is not there yet is asked for by an error, brought in, and the build starts over.
 */
export class Outside {
  readonly #options: BuildOptions;
  /** By URL, or by all that a chart or a program is asked; grows from start to start. */
  readonly #brought = new Map<string, unknown>();

  constructor(options: BuildOptions) {
    this.#options = options;
  }

  readonly fetched = (url: string): FetchedFiles => {
    const { fetch } = this.#options;
    if (fetch !== undefined) return this.#take(url, () => fetch(url));
    throw new KustomizeError(
      `'${url}' is remote, and this build may not fetch: copy it into the repository, or give the build a fetcher`,
      { code: 'WG_KUSTOMIZE_REMOTE_REFUSED' },
    );
  };

  /** Undefined when charts are refused. */
  get helm(): ((request: HelmRequest) => HelmOutput) | undefined {
    const { helm } = this.#options;
    if (helm === undefined) return undefined;
    return (request) => {
      const output = this.#take(keyOf('chart', request), () => helm(request));
      return typeof output === 'string' ? { text: output } : output;
    };
  }

  /** Undefined when programs are refused. */
  get programs() {
    const { programs } = this.#options;
    if (programs === undefined) return undefined;
    const run = (request: ProgramRequest): ProgramOutcome =>
      this.#take(keyOf('program', request), () => programs.run(request));
    return { ...programs, run };
  }

  /** Runs a build until nothing more is needed. */
  async supply<T>(build: () => T): Promise<T> {
    for (;;) {
      try {
        return build();
      } catch (error) {
        const needed = causeNeeded(error);
        if (needed === undefined) throw error;
        await bringAll(needed.needs);
      }
    }
  }

  #take<T>(key: string, get: () => Promise<T>): T {
    if (this.#brought.has(key)) return this.#brought.get(key) as T;
    const bring = async () => {
      this.#brought.set(key, await get());
    };
    throw new Needed([{ key, bring }]);
  }
}

function keyOf(kind: string, request: HelmRequest | ProgramRequest): string {
  return `${kind} ${JSON.stringify(request, (_key, value: unknown) =>
    value instanceof Map ? [...value] : typeof value === 'bigint' ? String(value) : value,
  )}`;
}

/** What somebody threw because something is needed from outside; such an error passes through all others. */
export function causeNeeded(error: unknown): Needed | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Needed) return cause;
  }
  return undefined;
}

/**
 * Takes steps one after the other. One that needs something from outside does not keep the next ones
 * from saying what they need: all of it is brought in at once. What fails after that may fail only for
 * want of what is needed, and is found again when the build starts over.
 */
export function gatherNeeds(steps: Iterable<() => void>): void {
  const needs: Need[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      const needed = causeNeeded(error);
      if (needed === undefined && needs.length === 0) throw error;
      if (needed === undefined) break;
      needs.push(...needed.needs);
    }
  }
  if (needs.length > 0) throw new Needed(needs);
}

/** Fails as the first of them in order that fails, so that a build fails alike however fast each came. */
async function bringAll(needs: readonly Need[]): Promise<void> {
  const waiting = [...new Map(needs.map((need) => [need.key, need])).values()];
  const failures = new Map<number, unknown>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < waiting.length && failures.size === 0) {
      const at = next++;
      await waiting[at]?.bring().catch((error: unknown) => failures.set(at, error));
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
}
