import type { Timer } from './clock.ts';
import { type DeadlineEntry, DeadlineQueue } from './deadline-queue.ts';
import { type QueueEntry, WorkQueue } from './work-queue.ts';

interface DelayedEntry<K> extends QueueEntry<K>, DeadlineEntry {}

/**
 * A work queue that can add an item later, so that a worker never waits out a retry itself.
 * An item waits at most once: of two deadlines the earlier one counts.
 */
export class DelayingQueue<K extends {}> extends WorkQueue<K> {
  private readonly waiting = new DeadlineQueue<DelayedEntry<K>>();
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
    const entry = this.entryFor(item) as DelayedEntry<K>;
    if (!entry.isWaiting) {
      entry.isWaiting = true;
      entry.readyAtMs = readyAtMs;
      entry.order = this.nextOrder++;
      this.waiting.push(entry);
    } else if (readyAtMs < entry.readyAtMs) this.waiting.moveEarlier(entry, readyAtMs);
    if (readyAtMs < this.timerDueMs) this.schedule();
  }

  /** How many items wait for their time. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** When a waiting item is due, in the clock's monotonic milliseconds. */
  readyAtMs(item: K): number | undefined {
    const entry = this.knownEntry(item) as DelayedEntry<K> | undefined;
    return entry?.isWaiting ? entry.readyAtMs : undefined;
  }

  protected override createEntry(item: K): DelayedEntry<K> {
    return {
      item,
      isDirty: false,
      isProcessing: false,
      isWaiting: false,
      addedMs: -1,
      startedMs: -1,
      readyAtMs: 0,
      order: 0,
      position: -1,
      runIndex: -1,
    };
  }

  protected override onShutDown(): void {
    this.timer?.cancel();
    this.timer = undefined;
    for (let entry = this.waiting.pop(); entry !== undefined; entry = this.waiting.pop())
      this.stopWaiting(entry);
  }

  /** Forgets that an item waits. */
  protected cancelWaiting(item: K): void {
    const entry = this.knownEntry(item) as DelayedEntry<K> | undefined;
    if (!entry?.isWaiting) return;
    this.waiting.remove(entry);
    this.stopWaiting(entry);
  }

  private stopWaiting(entry: DelayedEntry<K>): void {
    entry.isWaiting = false;
    this.forgetIfIdle(entry);
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
      this.waiting.remove(head);
      head.isWaiting = false;
      this.markDirty(head);
    }
    this.schedule();
  }
}
