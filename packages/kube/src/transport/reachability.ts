import { LinkedSignal, type Sleep } from '@waygate/text';

/** Who asks, and how often. */
interface ReachabilityOptions {
  /** Asks the server once. True when it answers as one that can serve. */
  readonly probe: (signal: AbortSignal) => Promise<boolean>;
  readonly sleep: Sleep;
  readonly intervalMs?: number;
}

/**
 * Tells all who wait that a server which did not answer does so again. Two small requests a
 * second stand for all of them, so that nobody sits out a back-off of a minute after the server is back,
 * and a thousand reflectors do not knock a thousand times.
 */
export class Reachability {
  readonly #options: ReachabilityOptions;
  /** Not empty exactly while a probe loop runs. */
  readonly #waiting = new Set<() => void>();
  #loop: AbortController | undefined;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** True once the server answers; false when the signal aborted first. */
  whenReachable(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    // As many wait on one signal as a program has informers.
    const linked = new LinkedSignal(signal);
    return new Promise((resolve) => {
      const leave = (isReachable: boolean) => {
        this.#waiting.delete(onReachable);
        linked.release();
        if (this.#waiting.size === 0) this.#stop();
        resolve(isReachable);
      };
      const onReachable = () => leave(true);
      linked.signal.addEventListener('abort', () => leave(false), { once: true });
      this.#waiting.add(onReachable);
      this.#start();
    });
  }

  #start(): void {
    if (this.#loop !== undefined) return;
    const loop = new AbortController();
    this.#loop = loop;
    void this.#probeUntilAnswered(loop.signal);
  }

  #stop(): void {
    this.#loop?.abort();
    this.#loop = undefined;
  }

  async #probeUntilAnswered(signal: AbortSignal): Promise<void> {
    const { probe, sleep, intervalMs = 500 } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(intervalMs, signal);
        if (!(await probe(signal))) continue;
      } catch {
        // Still not there, or nobody waits any more: the loop's condition tells which.
        continue;
      }
      for (const onReachable of [...this.#waiting]) onReachable();
    }
  }
}
