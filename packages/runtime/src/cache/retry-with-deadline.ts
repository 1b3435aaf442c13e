import type { Clock } from '../time/clock.ts';

/**
 * Allows retries of one sort of error for a limited time since the first of a series. A pause of
 * `minResetMs` between two of them begins a new series.
 *
 * ```ts
 * const clock = new FakeClock();
 * const retry = new RetryWithDeadline(30_000, 60_000, () => true, clock);
 * retry.after(new Error('refused'));
 * retry.shouldRetry(); // true
 * await clock.advance(31_000);
 * retry.after(new Error('refused'));
 * retry.shouldRetry(); // false
 * ```
 */
export class RetryWithDeadline {
  readonly #maxRetryMs: number;
  readonly #minResetMs: number;
  readonly #isRetryable: (error: unknown) => boolean;
  readonly #clock: Clock;
  #firstErrorMs = Number.NEGATIVE_INFINITY;
  #lastErrorMs = Number.NEGATIVE_INFINITY;

  constructor(
    maxRetryMs: number,
    minResetMs: number,
    isRetryable: (error: unknown) => boolean,
    clock: Clock,
  ) {
    this.#maxRetryMs = maxRetryMs;
    this.#minResetMs = minResetMs;
    this.#isRetryable = isRetryable;
    this.#clock = clock;
  }

  /** Takes note of how an attempt ended; undefined for well. */
  after(error: unknown): void {
    if (error === undefined || !this.#isRetryable(error)) return;
    const now = this.#clock.monotonicMs();
    if (now - this.#lastErrorMs >= this.#minResetMs) this.#reset();
    if (this.#firstErrorMs === Number.NEGATIVE_INFINITY) this.#firstErrorMs = now;
    this.#lastErrorMs = now;
  }

  shouldRetry(): boolean {
    if (this.#maxRetryMs <= 0) return false;
    if (this.#clock.monotonicMs() - this.#firstErrorMs <= this.#maxRetryMs) return true;
    this.#reset();
    return false;
  }

  #reset(): void {
    this.#firstErrorMs = Number.NEGATIVE_INFINITY;
    this.#lastErrorMs = Number.NEGATIVE_INFINITY;
  }
}
