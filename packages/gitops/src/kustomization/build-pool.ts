import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { GitOpsError } from '../gitops-error.ts';
import { type BuildInput, type BuiltManifests, buildManifests } from './build-manifests.ts';
import { type BuildAnswer, type BuildRequest, readAgain } from './build-message.ts';
import { packTree } from './packed-tree.ts';

interface BuildPoolOptions {
  /** Threads at a time. One less than there are cores, and no more than four. */
  readonly threads?: number | undefined;
  /** A build of files with fewer bytes than this is quicker here than in a thread. 64 KiB. */
  readonly leastBytes?: number | undefined;
  /** The most memory that a build may take. 512 MiB. */
  readonly maxMemoryMiB?: number | undefined;
  /** The longest that a build may take. A minute. */
  readonly timeoutMs?: number | undefined;
  /** A thread that has nothing to do ends after this long. 10 s. */
  readonly idleMs?: number | undefined;
  /** The compiled program of a thread. */
  readonly entry?: URL | undefined;
}

/**
 * Builds in threads what would hold the event loop, and small things here. A build that takes too much
 * time or memory ends with its thread, and with nothing else; one that is no longer wanted, too.
 */
export class BuildPool {
  readonly #options: BuildPoolOptions;
  readonly #entry: URL | undefined;
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(options: BuildPoolOptions = {}) {
    this.#options = options;
    const own = import.meta.url;
    // Threads start from compiled files only; from the sources, as in tests, all is built here.
    this.#entry =
      options.entry ?? (own.endsWith('.js') ? new URL('./build-worker.js', own) : undefined);
  }

  /** @throws GitOpsError when it cannot be built */
  async build(input: BuildInput, signal?: AbortSignal): Promise<BuiltManifests> {
    const { leastBytes = 64 * 1024 } = this.#options;
    const isHere = this.#entry === undefined || sizeOf(input, leastBytes) < leastBytes;
    if (isHere) return buildManifests(input);
    const { files, path, spec, variables, variablesError, isStrict, decryption } = input;
    const answer = await this.#ask(
      {
        tree: packTree(files),
        path,
        spec,
        variables,
        variablesProblem: variablesError?.message,
        isStrict,
        decryption,
      },
      signal,
    );
    if (answer.kind === 'failed') throw failure(answer.message);
    const { objects, digest, reads } = answer;
    return { objects, digest, reads: readAgain(files, reads) };
  }

  async close(): Promise<void> {
    for (const { worker, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      await worker.terminate();
    }
  }

  async #ask(request: BuildRequest, signal?: AbortSignal): Promise<BuildAnswer> {
    const { threads = Math.min(Math.max(availableParallelism() - 1, 1), 4) } = this.#options;
    while (this.#busy >= threads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy++;
    try {
      signal?.throwIfAborted();
      return await this.#askOne(request, signal);
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  async #askOne(request: BuildRequest, signal?: AbortSignal): Promise<BuildAnswer> {
    const { timeoutMs = 60_000, maxMemoryMiB = 512 } = this.#options;
    const worker = this.#take(maxMemoryMiB);
    const done = new AbortController();
    const ends = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
    const timer = setTimeout(() => {
      done.abort(failure(`the build took longer than ${timeoutMs / 1000} seconds`));
    }, timeoutMs);
    try {
      worker.postMessage(request);
      // An error of the thread, such as too little memory, ends the wait as well.
      const [answer] = (await once(worker, 'message', { signal: ends })) as [BuildAnswer];
      this.#give(worker);
      return answer;
    } catch (error) {
      await worker.terminate();
      signal?.throwIfAborted();
      if (done.signal.aborted) throw done.signal.reason;
      const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      const said = isMemory ? `it needs more than ${maxMemoryMiB} MiB` : 'its thread ended';
      throw failure(`the build failed: ${said}`, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(maxMemoryMiB: number): Worker {
    const found = this.#idle.pop();
    if (found !== undefined) {
      clearTimeout(found.timer);
      found.worker.ref();
      return found.worker;
    }
    const resourceLimits = { maxOldGenerationSizeMb: maxMemoryMiB };
    // Without what makes Node.js load sources, where these are run as such.
    const execArgv = import.meta.url.endsWith('.ts') ? { execArgv: [] } : {};
    const worker = new Worker(this.#entry as URL, { resourceLimits, ...execArgv });
    return worker;
  }

  #give(worker: Worker): void {
    const timer = setTimeout(() => {
      const index = this.#idle.findIndex((one) => one.worker === worker);
      if (index >= 0) this.#idle.splice(index, 1);
      void worker.terminate();
    }, this.#options.idleMs ?? 10_000);
    // Only a build that is waited for keeps the process alive.
    timer.unref();
    worker.unref();
    this.#idle.push({ worker, timer });
  }
}

/** The bytes of the files that a build is about, or as many as are enough. */
function sizeOf({ files, path }: BuildInput, enough: number): number {
  let size = 0;
  for (const file of files.list(path)) {
    size += files.size(file);
    if (size >= enough) break;
  }
  return size;
}

function failure(message: string, cause?: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_BUILD', message, { cause });
}
