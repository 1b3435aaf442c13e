import { type Clock, systemClock } from '../time/clock.ts';
import { FailureCounter, type FailureTable } from './failure-counter.ts';

/** Says how long an item has to wait before it is tried again. */
export interface RateLimiter<K> {
  /** The delay in milliseconds. Asking counts as one more failure of the item. */
  when(item: K): number;
  /** The item succeeded: its failures no longer count. Without it they are kept for ever. */
  forget(item: K): void;
  /** How many failures of the item are counted. */
  numRequeues(item: K): number;
  /**
   * Offers a table to count failures in, instead of one of the limiter's own. True when the limiter
   * took it: nobody else may count in that table.
   */
  keepFailuresIn?(table: FailureTable<K>): boolean;
}

/**
 * `base · 2^failures`, at most `max`, for each item by itself.
 *
 * ```ts
 * const limiter = new ItemExponentialFailureRateLimiter<string>(5, 1_000_000);
 * limiter.when('a'); // 5
 * limiter.when('a'); // 10
 * limiter.forget('a');
 * limiter.when('a'); // 5
 * ```
 */
export class ItemExponentialFailureRateLimiter<K> implements RateLimiter<K> {
  readonly #failures = new FailureCounter<K>();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(item: K): number {
    const failures = this.#failures.increment(item);
    return Math.min(this.#baseMs * 2 ** Math.min(failures, 1_000), this.#maxMs);
  }

  forget(item: K): void {
    this.#failures.forget(item);
  }

  numRequeues(item: K): number {
    return this.#failures.countOf(item);
  }

  keepFailuresIn(table: FailureTable<K>): boolean {
    return this.#failures.keepIn(table);
  }
}

/**
 * Quick for the first `maxFastAttempts` failures of an item, slow for those after.
 *
 * ```ts
 * const limiter = new ItemFastSlowRateLimiter<string>(5, 10_000, 1);
 * limiter.when('a'); // 5
 * limiter.when('a'); // 10_000
 * ```
 */
export class ItemFastSlowRateLimiter<K> implements RateLimiter<K> {
  readonly #failures = new FailureCounter<K>();
  readonly #fastMs: number;
  readonly #slowMs: number;
  readonly #maxFastAttempts: number;

  constructor(fastMs: number, slowMs: number, maxFastAttempts: number) {
    this.#fastMs = fastMs;
    this.#slowMs = slowMs;
    this.#maxFastAttempts = maxFastAttempts;
  }

  when(item: K): number {
    return this.#failures.increment(item) < this.#maxFastAttempts ? this.#fastMs : this.#slowMs;
  }

  forget(item: K): void {
    this.#failures.forget(item);
  }

  numRequeues(item: K): number {
    return this.#failures.countOf(item);
  }

  keepFailuresIn(table: FailureTable<K>): boolean {
    return this.#failures.keepIn(table);
  }
}

/** The longest time that Go can express: what a bucket that never refills answers. */
const foreverMs = 2 ** 63 / 1e6;

/**
 * A token bucket over all items together. Each question takes a token, also one that is not there
 * yet: the debt grows, and so does the delay.
 *
 * ```ts
 * const limiter = new BucketRateLimiter<string>(10, 100);
 * limiter.when('a'); // 0
 * ```
 */
export class BucketRateLimiter<K> implements RateLimiter<K> {
  readonly #tokensPerMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Negative: tokens that were promised before they existed. */
  #tokens: number;
  #readMs: number;

  constructor(tokensPerSecond: number, burst: number, clock: Clock = systemClock) {
    this.#tokensPerMs = tokensPerSecond / 1_000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#readMs = clock.monotonicMs();
  }

  when(_item: K): number {
    if (this.#tokensPerMs === Number.POSITIVE_INFINITY) return 0;
    if (this.#burst < 1) return foreverMs;
    const now = this.#clock.monotonicMs();
    this.#tokens =
      Math.min(this.#burst, this.#tokens + (now - this.#readMs) * this.#tokensPerMs) - 1;
    this.#readMs = now;
    if (this.#tokens >= 0) return 0;
    return Math.min(-this.#tokens / this.#tokensPerMs, foreverMs);
  }

  forget(_item: K): void {}

  numRequeues(_item: K): number {
    return 0;
  }
}

/**
 * The worst answer of several limiters. Each is asked every time, and so each advances.
 *
 * ```ts
 * const fast = new ItemExponentialFailureRateLimiter<string>(5, 1_000);
 * const slow = new ItemExponentialFailureRateLimiter<string>(50, 1_000);
 * new MaxOfRateLimiter(fast, slow).when('a'); // 50
 * ```
 */
export class MaxOfRateLimiter<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(item: K): number {
    let longestMs = 0;
    for (const limiter of this.#limiters) longestMs = Math.max(longestMs, limiter.when(item));
    return longestMs;
  }

  forget(item: K): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  numRequeues(item: K): number {
    let most = 0;
    for (const limiter of this.#limiters) most = Math.max(most, limiter.numRequeues(item));
    return most;
  }

  /** Only one of the limiters can have the table, as each counts for itself. */
  keepFailuresIn(table: FailureTable<K>): boolean {
    return this.#limiters.some((limiter) => limiter.keepFailuresIn?.(table) === true);
  }
}

/**
 * Another limiter's answer, but never longer than `maxMs`.
 *
 * ```ts
 * const limiter = new ItemExponentialFailureRateLimiter<string>(5_000, 1_000_000);
 * new WithMaxWaitRateLimiter(limiter, 1_000).when('a'); // 1_000
 * ```
 */
export class WithMaxWaitRateLimiter<K> implements RateLimiter<K> {
  readonly #limiter: RateLimiter<K>;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter<K>, maxMs: number) {
    this.#limiter = limiter;
    this.#maxMs = maxMs;
  }

  when(item: K): number {
    return Math.min(this.#limiter.when(item), this.#maxMs);
  }

  forget(item: K): void {
    this.#limiter.forget(item);
  }

  numRequeues(item: K): number {
    return this.#limiter.numRequeues(item);
  }

  keepFailuresIn(table: FailureTable<K>): boolean {
    return this.#limiter.keepFailuresIn?.(table) === true;
  }
}

/**
 * What a controller uses unless told otherwise: 5 ms doubling to 1,000 s for each item, and ten items
 * a second overall after a burst of a hundred.
 *
 * ```ts
 * defaultControllerRateLimiter<string>().when('shop/web'); // 5
 * ```
 */
export function defaultControllerRateLimiter<K>(clock: Clock = systemClock): RateLimiter<K> {
  return new MaxOfRateLimiter<K>(
    new ItemExponentialFailureRateLimiter(5, 1_000_000),
    new BucketRateLimiter(10, 100, clock),
  );
}

/**
 * 1 ms doubling to 1,000 s for each item; nothing overall.
 *
 * ```ts
 * defaultItemBasedRateLimiter<string>().when('shop/web'); // 1
 * ```
 */
export function defaultItemBasedRateLimiter<K>(): RateLimiter<K> {
  return new ItemExponentialFailureRateLimiter(1, 1_000_000);
}
