import type { Timer } from './clock.ts';
import { type DeadlineEntry, DeadlineHeap } from './deadline-heap.ts';
import { WorkQueue } from './work-queue.ts';

interface WaitingEntry<K> extends DeadlineEntry {
  readonly item: K;
}

/**
 * A work queue that can add an item later, so that a worker never waits out a retry itself.
 * An item waits at most once: of two deadlines the earlier one counts.
 */
export class DelayingQueue<K extends {}> extends WorkQueue<K> {
  private readonly waiting = new DeadlineHeap<WaitingEntry<K>>();
  private readonly waitingByItem = new Map<K, WaitingEntry<K>>();
  private nextOrder = 0;
  /** Set for the earliest deadline only. It does not keep the process alive. */
  private timer: Timer | undefined;
  private timerDueMs = Number.POSITIVE_INFINITY;

  /** Adds the item once the delay has passed; at once if there is none. A plain `add` does not change that. */
  addAfter(item: K, delayMs: number): void {
    if (this.isShuttingDown) return;
    this.metrics?.retries.increment();
    if (!(delayMs > 0)) {
      this.add(item);
      return;
    }
    const readyAtMs = this.clock.monotonicMs() + delayMs;
    const known = this.waitingByItem.get(item);
    if (known === undefined) {
      const entry = { item, readyAtMs, order: this.nextOrder++, position: -1 };
      this.waitingByItem.set(item, entry);
      this.waiting.push(entry);
    } else if (readyAtMs < known.readyAtMs) {
      known.readyAtMs = readyAtMs;
      this.waiting.moveEarlier(known);
    }
    this.schedule();
  }

  /** How many items wait for their time. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** When a waiting item is due, in the clock's monotonic milliseconds. */
  readyAtMs(item: K): number | undefined {
    return this.waitingByItem.get(item)?.readyAtMs;
  }

  protected override onShutDown(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.waiting.clear();
    this.waitingByItem.clear();
  }

  /** The time of a waiting item has come. */
  protected addDue(item: K): void {
    this.add(item);
  }

  /** Forgets that an item waits. */
  protected cancelWaiting(item: K): void {
    const entry = this.waitingByItem.get(item);
    if (entry === undefined) return;
    this.waitingByItem.delete(item);
    this.waiting.remove(entry);
  }

  private schedule(): void {
    const head = this.waiting.peek();
    if (head === undefined || head.readyAtMs >= this.timerDueMs) return;
    this.timer?.cancel();
    this.timerDueMs = head.readyAtMs;
    this.timer = this.clock.after(
      head.readyAtMs - this.clock.monotonicMs(),
      () => this.addDueItems(),
      { isBackground: true },
    );
  }

  private addDueItems(): void {
    this.timer = undefined;
    this.timerDueMs = Number.POSITIVE_INFINITY;
    const now = this.clock.monotonicMs();
    for (
      let head = this.waiting.peek();
      head && head.readyAtMs <= now;
      head = this.waiting.peek()
    ) {
      this.waiting.pop();
      this.waitingByItem.delete(head.item);
      this.addDue(head.item);
    }
    this.schedule();
  }
}
