import { type Clock, systemClock } from './clock.ts';

/** How delays grow, and when they start over. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** A delay `d` becomes one in `[d, d · (1 + jitter))`. */
  readonly jitter: number;
  /** The delays start over once this much time has passed since they last did. */
  readonly resetMs: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** What a reflector waits between attempts. */
export const reflectorBackoff = {
  initialMs: 800,
  maxMs: 30_000,
  factor: 2,
  jitter: 1,
  resetMs: 120_000,
} as const;

/**
 * Growing delays with jitter.
 *
 * ```ts
 * const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, factor: 2, jitter: 0, resetMs: 60_000 });
 * backoff.nextMs(); // 100
 * backoff.nextMs(); // 200
 * backoff.reset();
 * backoff.nextMs(); // 100
 * ```
 */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  #delayMs: number;
  #resetAtMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#delayMs = options.initialMs;
    this.#resetAtMs = this.#clock.monotonicMs();
  }

  /** What made the delays grow is over. */
  reset(): void {
    this.#delayMs = this.#options.initialMs;
    this.#resetAtMs = this.#clock.monotonicMs();
  }

  /** The next delay, in milliseconds. */
  nextMs(): number {
    const { maxMs, factor, jitter, resetMs } = this.#options;
    const now = this.#clock.monotonicMs();
    if (now - this.#resetAtMs > resetMs) this.reset();
    const delayMs = Math.min(this.#delayMs, maxMs);
    this.#delayMs = Math.min(delayMs * factor, maxMs);
    return delayMs + this.#random() * jitter * delayMs;
  }
}
