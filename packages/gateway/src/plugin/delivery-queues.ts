import { type Deliver, DeliveryQueue, type QueueSettings } from './delivery-queue.ts';
import type { GatewayLog } from './plugin-runtime.ts';

/** Queues by where they deliver to: changes to other settings of a plugin keep what is waiting. */
export class DeliveryQueues<T> {
  readonly #queues = new Map<string, DeliveryQueue<T>>();
  readonly #sizeOf: (entry: T) => number;

  constructor(sizeOf: (entry: T) => number) {
    this.#sizeOf = sizeOf;
  }

  /** The queue of a key; made if there is none, and then with these settings. */
  get(
    key: string,
    log: GatewayLog,
    settings: QueueSettings,
    deliver: Deliver<T>,
  ): DeliveryQueue<T> {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new DeliveryQueue(
        settings,
        deliver,
        (count, error) => log.error('log entries are lost', { count, error: String(error) }),
        this.#sizeOf,
      );
      this.#queues.set(key, queue);
    }
    return queue;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}

/** What older configurations of a plugin say instead of `queue`. */
export interface OldQueueSettings {
  readonly queue_size?: number | null;
  readonly flush_timeout?: number | null;
  readonly queue?: QueueSettings;
}

/** The settings of a plugin's queue, over those that hold if it says nothing. */
export function queueSettings(config: OldQueueSettings, defaults: QueueSettings): QueueSettings {
  return {
    ...defaults,
    ...config.queue,
    ...(config.queue_size ? { max_batch_size: config.queue_size } : {}),
    ...(config.flush_timeout ? { max_coalescing_delay: config.flush_timeout } : {}),
  };
}
