/** How a queue delivers, in the names of Kong's schema. */
export interface QueueSettings {
  readonly max_batch_size: number;
  /** Seconds. */
  readonly max_coalescing_delay: number;
  readonly max_entries: number;
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

/**
 * Delivers entries one batch after the other, and again when that fails, for a while. When more wait
 * than are allowed the oldest are dropped: a log server that is down must not fill the memory.
 */
export class DeliveryQueue<T> {
  readonly #settings: QueueSettings;
  readonly #deliver: (batch: readonly T[]) => Promise<void>;
  readonly #onDrop: (count: number, error: unknown) => void;
  readonly #waiting: T[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(
    settings: QueueSettings,
    deliver: (batch: readonly T[]) => Promise<void>,
    onDrop: (count: number, error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#deliver = deliver;
    this.#onDrop = onDrop;
  }

  push(entry: T): void {
    if (this.#isClosed) {
      return;
    }
    this.#waiting.push(entry);
    const excess = this.#waiting.length - this.#settings.max_entries;
    if (excess > 0) {
      this.#waiting.splice(0, excess);
      this.#onDrop(excess, 'too many entries are waiting');
    }
    if (this.#waiting.length >= this.#settings.max_batch_size) {
      this.#wake?.();
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Tries once more to deliver what waits, and ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { max_batch_size, max_coalescing_delay } = this.#settings;
      if (this.#waiting.length < max_batch_size && !this.#isClosed) {
        await this.#pause(max_coalescing_delay);
      }
      await this.#deliverBatch(this.#waiting.splice(0, max_batch_size));
    }
  }

  async #deliverBatch(batch: readonly T[]): Promise<void> {
    const startedAt = performance.now();
    let delay = this.#settings.initial_retry_delay;
    for (;;) {
      try {
        await this.#deliver(batch);
        return;
      } catch (error) {
        const elapsed = (performance.now() - startedAt) / 1_000;
        if (this.#isClosed || elapsed + delay > this.#settings.max_retry_time) {
          this.#onDrop(batch.length, error);
          return;
        }
        await this.#pause(delay);
        delay = Math.min(delay * 2, this.#settings.max_retry_delay);
      }
    }
  }

  #pause(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(this.#timer);
        this.#wake = undefined;
        resolve();
      };
      this.#timer = setTimeout(() => this.#wake?.(), seconds * 1_000);
      this.#timer.unref();
    });
  }
}
