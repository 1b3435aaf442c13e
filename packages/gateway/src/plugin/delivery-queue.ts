/** How a queue delivers, in the names of Kong's schema. */
export interface QueueSettings {
  readonly max_batch_size: number;
  /** Seconds. */
  readonly max_coalescing_delay: number;
  readonly max_entries: number;
  /** Bytes that may wait; null for any number. */
  readonly max_bytes?: number | null;
  /** Batches under way at once: 1, or -1 for any number. */
  readonly concurrency_limit?: number;
  readonly max_retry_time: number;
  readonly initial_retry_delay: number;
  readonly max_retry_delay: number;
}

export const defaultQueue: QueueSettings = {
  max_batch_size: 1,
  max_coalescing_delay: 1,
  max_entries: 10_000,
  max_retry_time: 60,
  initial_retry_delay: 0.01,
  max_retry_delay: 60,
};

/** Rejects if the batch has to be delivered again, or the signal said to let go. */
export type Deliver<T> = (batch: readonly T[], signal: AbortSignal) => Promise<void>;

/** What still waits when the gateway stops has this long to be delivered. */
const closingMs = 2_000;

/**
 * Delivers entries one batch after the other, and again when that fails, for a while. When more wait
 * than are allowed the oldest are dropped: a log server that is down must not fill the memory.
 */
export class DeliveryQueue<T> {
  readonly #settings: QueueSettings;
  readonly #deliver: Deliver<T>;
  /** Ends what is under way when the queue gives up: it would keep the process alive. */
  readonly #giveUp = new AbortController();
  readonly #onDrop: (count: number, error: unknown) => void;
  readonly #waiting: T[] = [];
  readonly #sizeOf: (entry: T) => number;
  #waitingBytes = 0;
  readonly #unbounded = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  /** Ends pauses: that for a fuller batch, and those before another try. */
  #wakeBatch: (() => void) | undefined;
  readonly #wakeTries = new Set<() => void>();
  #isClosed = false;
  #isGivenUp = false;

  constructor(
    settings: QueueSettings,
    deliver: Deliver<T>,
    onDrop: (count: number, error: unknown) => void,
    sizeOf: (entry: T) => number = () => 0,
  ) {
    this.#sizeOf = sizeOf;
    this.#settings = settings;
    this.#deliver = deliver;
    this.#onDrop = onDrop;
  }

  push(entry: T): void {
    if (this.#isClosed) return;
    this.#waiting.push(entry);
    this.#waitingBytes += this.#sizeOf(entry);
    this.#dropOldest();
    if (this.#waiting.length >= this.#settings.max_batch_size) this.#wakeBatch?.();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  #dropOldest(): void {
    const { max_entries: maximum, max_bytes: maximumBytes } = this.#settings;
    let dropped = 0;
    while (
      this.#waiting.length > maximum ||
      (typeof maximumBytes === 'number' && this.#waitingBytes > maximumBytes)
    ) {
      const entry = this.#waiting.shift();
      if (entry === undefined) break;
      this.#waitingBytes -= this.#sizeOf(entry);
      dropped += 1;
    }
    if (dropped > 0) this.#onDrop(dropped, 'too many entries are waiting');
  }

  /** Tries once more to deliver what waits, for a moment, and ends: a server that is down is not waited for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeBatch?.();
    for (const wake of this.#wakeTries) wake();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closingMs);
    });
    await Promise.race([late, this.#settled()]);
    clearTimeout(timer);
    this.#isGivenUp = true;
    this.#giveUp.abort();
    this.#dropWaiting('the gateway has stopped');
  }

  async #settled(): Promise<void> {
    await this.#running;
    await Promise.all(this.#unbounded);
  }

  #dropWaiting(reason: unknown): void {
    const dropped = this.#waiting.splice(0).length;
    this.#waitingBytes = 0;
    if (dropped > 0) this.#onDrop(dropped, reason);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isGivenUp) {
      const { max_batch_size, max_coalescing_delay, max_entries } = this.#settings;
      if (this.#waiting.length < max_batch_size && !this.#isClosed) {
        await this.#pause(max_coalescing_delay, (wake) => {
          this.#wakeBatch = wake;
        });
        this.#wakeBatch = undefined;
      }
      const batch = this.#waiting.splice(0, max_batch_size);
      for (const entry of batch) this.#waitingBytes -= this.#sizeOf(entry);
      const delivery = this.#deliverBatch(batch);
      if (this.#settings.concurrency_limit === -1) {
        this.#unbounded.add(delivery);
        void delivery.finally(() => this.#unbounded.delete(delivery));
        if (this.#unbounded.size * max_batch_size >= max_entries) {
          await Promise.race(this.#unbounded);
        }
      } else {
        await delivery;
      }
    }
  }

  async #deliverBatch(batch: readonly T[]): Promise<void> {
    const startedAt = performance.now();
    let delay = this.#settings.initial_retry_delay;
    for (;;) {
      try {
        await this.#deliver(batch, this.#giveUp.signal);
        return;
      } catch (error) {
        const elapsed = (performance.now() - startedAt) / 1_000;
        if (this.#isClosed || elapsed + delay > this.#settings.max_retry_time) {
          this.#onDrop(batch.length, error);
          if (this.#isClosed) this.#dropWaiting(error);
          return;
        }
        await this.#pause(delay, (wake) => this.#wakeTries.add(wake));
        delay = Math.min(delay * 2, this.#settings.max_retry_delay);
      }
    }
  }

  #pause(seconds: number, offer: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakeTries.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, seconds * 1_000).unref();
      offer(wake);
    });
  }
}
