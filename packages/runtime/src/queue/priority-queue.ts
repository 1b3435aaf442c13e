import { ItemExponentialFailureRateLimiter } from './rate-limiter.ts';
import { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
import { RingBuffer } from './ring-buffer.ts';
import type { QueueStorage } from './work-queue.ts';

/** The priority of what nobody waits for: the initial list and resyncs. */
export const lowPriority = -100;

/** How, and how soon, an item is added. */
export interface PriorityAddOptions {
  /** Higher goes first. An item keeps the highest that it was added with until it is taken. */
  readonly priority?: number;
  readonly afterMs?: number;
  readonly isRateLimited?: boolean;
}

/**
 * A rate-limiting queue that hands out higher priorities first, and equal ones in order of arrival,
 * as controller-runtime's does. Adding an item again keeps its higher priority and its earlier time;
 * unlike with the other queues, adding it now ends its wait.
 *
 * There is no limit over all items unless one is given.
 *
 * ```ts
 * const queue = new PriorityQueue<string>();
 * queue.addWithOptions('resync', { priority: lowPriority });
 * queue.add('change');
 * await queue.get(); // 'change'
 * ```
 */
export class PriorityQueue<K extends {}> extends RateLimitingQueue<K> {
  readonly #priorities: PriorityStorage<K>;

  constructor(options: Omit<RateLimitingQueueOptions<K>, 'storage'> = {}) {
    const storage = new PriorityStorage<K>();
    super({
      ...options,
      rateLimiter: options.rateLimiter ?? new ItemExponentialFailureRateLimiter(5, 1_000_000),
      storage,
    });
    this.#priorities = storage;
  }

  override add(item: K): void {
    this.addWithOptions(item);
  }

  override addAfter(item: K, delayMs: number): void {
    this.addWithOptions(item, { afterMs: delayMs });
  }

  override addRateLimited(item: K): void {
    this.addWithOptions(item, { isRateLimited: true });
  }

  addWithOptions(item: K, options: PriorityAddOptions = {}): void {
    if (this.isShuttingDown) return;
    this.#priorities.raise(item, options.priority ?? 0);
    const limitedMs = options.isRateLimited ? this.nextDelayMs(item) : 0;
    const delayMs = Math.max(options.afterMs ?? 0, limitedMs);
    if (delayMs > 0 && !this.isDirty(item)) {
      super.addAfter(item, delayMs);
      return;
    }
    if (delayMs > 0) {
      this.#priorities.touch(item);
      return;
    }
    this.cancelWaiting(item);
    super.add(item);
  }

  /** The priority that an item waits with. */
  priorityOf(item: K): number | undefined {
    return this.#priorities.priorityOf(item);
  }
}

interface PriorityEntry<K> {
  readonly item: K;
  priority: number;
  /** Undefined while the item is in no level. A slot of a level counts only if it is this one. */
  slot: Slot<K> | undefined;
}

interface Slot<K> {
  readonly entry: PriorityEntry<K>;
  readonly priority: number;
}

/**
 * One first-in-first-out level for each priority. An item that rises leaves a dead slot behind. Each is
 * raised, so that it has a priority, before it is pushed.
 */
class PriorityStorage<K> implements QueueStorage<K> {
  readonly #entries = new Map<K, PriorityEntry<K>>();
  readonly #levels = new Map<number, RingBuffer<Slot<K>>>();
  /** Priorities that have a level, highest first. */
  #order: number[] = [];
  length = 0;

  /** Sets the priority of an item that has none, and raises one that is lower. */
  raise(item: K, priority: number): void {
    const entry = this.#entries.get(item);
    if (entry === undefined) this.#entries.set(item, { item, priority, slot: undefined });
    else if (priority > entry.priority) entry.priority = priority;
  }

  priorityOf(item: K): number | undefined {
    return this.#entries.get(item)?.priority;
  }

  push(item: K): void {
    const entry = this.#entries.get(item)!;
    // Given to `done` without having been taken, it waits already.
    if (entry.slot !== undefined) return;
    this.#place(entry);
    this.length++;
  }

  touch(item: K): void {
    const entry = this.#entries.get(item);
    if (entry?.slot === undefined || entry.slot.priority === entry.priority) return;
    this.#place(entry);
  }

  pop(): K {
    for (const priority of this.#order) {
      const level = this.#levels.get(priority)!;
      for (let slot = level.shift(); slot !== undefined; slot = level.shift()) {
        if (slot.entry.slot !== slot) continue;
        this.length--;
        this.#entries.delete(slot.entry.item);
        this.#dropEmptyLevels();
        return slot.entry.item;
      }
    }
    throw new RangeError('the queue is empty');
  }

  #place(entry: PriorityEntry<K>): void {
    let level = this.#levels.get(entry.priority);
    if (level === undefined) {
      level = new RingBuffer();
      this.#levels.set(entry.priority, level);
      this.#order.push(entry.priority);
      this.#order.sort((one, other) => other - one);
    }
    entry.slot = { entry, priority: entry.priority };
    level.push(entry.slot);
  }

  #dropEmptyLevels(): void {
    while (this.#order.length > 0 && this.#levels.get(this.#order[0]!)!.length === 0)
      this.#levels.delete(this.#order.shift()!);
  }
}
