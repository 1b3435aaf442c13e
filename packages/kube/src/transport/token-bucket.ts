import type { Sleep } from '@waygate/text';

/**
 * The limit on requests a second. A caller takes a token at once and waits for its turn, so callers
 * go in the order in which they came; one that gives up leaves its turn unused.
 */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** May be negative: that many callers wait. */
  #tokens: number;
  #lastMs: number;

  constructor(options: { qps: number; burst: number; now: () => number; sleep: Sleep }) {
    this.#qps = options.qps;
    this.#burst = Math.max(1, options.burst);
    this.#now = options.now;
    this.#sleep = options.sleep;
    this.#tokens = this.#burst;
    this.#lastMs = options.now();
  }

  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#now();
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + (Math.max(0, now - this.#lastMs) / 1000) * this.#qps,
    );
    this.#lastMs = now;
    this.#tokens -= 1;
    if (this.#tokens < 0) await this.#sleep((-this.#tokens / this.#qps) * 1000, signal);
  }
}
