import { DelayingQueue } from './delaying-queue.ts';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiter.ts';
import type { WorkQueueOptions } from './work-queue.ts';

export interface RateLimitingQueueOptions<K> extends WorkQueueOptions<K> {
  readonly rateLimiter?: RateLimiter<K>;
}

/**
 * The queue of a controller: an item that failed comes back after what its limiter says.
 * Call `forget` when an item succeeded, else its failures are remembered for ever.
 */
export class RateLimitingQueue<K extends {}> extends DelayingQueue<K> {
  private readonly rateLimiter: RateLimiter<K>;

  constructor(options: RateLimitingQueueOptions<K> = {}) {
    super(options);
    this.rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<K>(this.clock);
  }

  /** Adds the item once its limiter allows. */
  addRateLimited(item: K): void {
    this.addAfter(item, this.rateLimiter.when(item));
  }

  /** Resets the limiter for the item. It does not remove the item from the queue. */
  forget(item: K): void {
    this.rateLimiter.forget(item);
  }

  numRequeues(item: K): number {
    return this.rateLimiter.numRequeues(item);
  }

  /** What the limiter says now, counting it as one more failure. */
  protected nextDelayMs(item: K): number {
    return this.rateLimiter.when(item);
  }
}
