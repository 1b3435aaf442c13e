import { type DelayedEntry, DelayingQueue } from './delaying-queue.ts';
import type { FailureTable } from './failure-counter.ts';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiter.ts';
import type { WorkQueueOptions } from './work-queue.ts';

/** As of a work queue, and the limiter. */
export interface RateLimitingQueueOptions<K> extends WorkQueueOptions<K> {
  readonly rateLimiter?: RateLimiter<K>;
}

/** A bit of `QueueEntry.state`: the item has failures. */
const failed = 8;

interface LimitedEntry<K> extends DelayedEntry<K> {
  /** Not zero if and only if the state says `failed`. */
  failures: number;
}

/**
 * The queue of a controller: an item that failed comes back after what its limiter says.
 * Call `forget` when an item succeeded, else its failures are remembered for ever.
 *
 * ```ts
 * const queue = new RateLimitingQueue<string>({ name: 'widgets' });
 * queue.addRateLimited('shop/web'); // after a failure: later each time
 * queue.numRequeues('shop/web'); // 1
 * queue.forget('shop/web'); // after a success
 * ```
 */
export class RateLimitingQueue<K extends {}> extends DelayingQueue<K> {
  readonly #rateLimiter: RateLimiter<K>;

  constructor(options: RateLimitingQueueOptions<K> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<K>(this.clock);
    this.#rateLimiter.keepFailuresIn?.(this.#failureTable());
  }

  /** Adds the item once its limiter allows. */
  addRateLimited(item: K): void {
    this.addAfter(item, this.#rateLimiter.when(item));
  }

  /** Resets the limiter for the item. It does not remove the item from the queue. */
  forget(item: K): void {
    this.#rateLimiter.forget(item);
  }

  numRequeues(item: K): number {
    return this.#rateLimiter.numRequeues(item);
  }

  /** What the limiter says now, counting it as one more failure. */
  protected nextDelayMs(item: K): number {
    return this.#rateLimiter.when(item);
  }

  protected override createEntry(item: K): LimitedEntry<K> {
    return { item, state: 0, times: undefined, failures: 0, order: 0, place: -1 };
  }

  /** The failures of each item, in its entry: an item that failed is in the queue anyway. */
  #failureTable(): FailureTable<K> {
    return {
      increment: (item) => {
        const entry = this.entryFor(item) as LimitedEntry<K>;
        entry.state |= failed;
        return entry.failures++;
      },
      countOf: (item) => (this.knownEntry(item) as LimitedEntry<K> | undefined)?.failures ?? 0,
      forget: (item) => {
        const entry = this.knownEntry(item) as LimitedEntry<K> | undefined;
        if (entry === undefined || entry.failures === 0) return;
        entry.failures = 0;
        entry.state &= ~failed;
        this.forgetIfIdle(entry);
      },
    };
  }
}
