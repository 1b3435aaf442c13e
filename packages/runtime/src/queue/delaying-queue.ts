import type { Timer } from '../time/clock.ts';
import { type DeadlineEntry, DeadlineQueue } from './deadline-queue.ts';
import { type QueueEntry, WorkQueue } from './work-queue.ts';

/** A bit of `QueueEntry.state`: to be added later. */
const waiting = 4;

export interface DelayedEntry<K> extends QueueEntry<K>, DeadlineEntry {}

/**
 * A work queue that can add an item later, so that a worker never waits out a retry itself.
 * An item waits at most once: of two deadlines the earlier one counts.
 *
 * ```ts
 * const queue = new DelayingQueue<string>();
 * queue.addAfter('shop/web', 5_000); // comes out in five seconds, unless it is added sooner
 * queue.shutDown();
 * ```
 */
export class DelayingQueue<K extends {}> extends WorkQueue<K> {
  readonly #waiting = new DeadlineQueue<DelayedEntry<K>>();
  /** Set for the earliest deadline only. It does not keep the process alive. */
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;

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
    if ((entry.state & waiting) === 0) {
      entry.state |= waiting;
      this.#waiting.push(entry, readyAtMs);
    } else if (readyAtMs < this.#waiting.deadlineOf(entry))
      this.#waiting.moveEarlier(entry, readyAtMs);
    if (readyAtMs < this.#timerDueMs) this.#schedule();
  }

  /** How many items wait for their time. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** When a waiting item is due, in the clock's monotonic milliseconds. */
  readyAtMs(item: K): number | undefined {
    const entry = this.knownEntry(item) as DelayedEntry<K> | undefined;
    return entry !== undefined && isWaiting(entry) ? this.#waiting.deadlineOf(entry) : undefined;
  }

  protected override createEntry(item: K): DelayedEntry<K> {
    return { item, state: 0, times: undefined, order: 0, place: -1 };
  }

  protected override onShutDown(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let entry = this.#waiting.pop(); entry !== undefined; entry = this.#waiting.pop())
      this.#stopWaiting(entry);
  }

  /** Forgets that an item waits. */
  protected cancelWaiting(item: K): void {
    const entry = this.knownEntry(item) as DelayedEntry<K> | undefined;
    if (entry === undefined || !isWaiting(entry)) return;
    this.#waiting.remove(entry);
    this.#stopWaiting(entry);
  }

  #stopWaiting(entry: DelayedEntry<K>): void {
    entry.state &= ~waiting;
    this.forgetIfIdle(entry);
  }

  #schedule(): void {
    const head = this.#waiting.peek();
    if (head === undefined) return;
    const dueMs = this.#waiting.deadlineOf(head);
    if (dueMs >= this.#timerDueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = this.clock.after(dueMs - this.clock.monotonicMs(), () => this.#addDueItems(), {
      isBackground: true,
    });
  }

  /** Any number of items may be due at once, so the loop shares its turns as all others do. */
  #addDueItems(): void {
    this.#timer = undefined;
    // Until the loop is through nothing else may set the timer.
    this.#timerDueMs = Number.NEGATIVE_INFINITY;
    const now = this.clock.monotonicMs();
    for (let head = this.#waiting.peek(); head !== undefined; head = this.#waiting.peek()) {
      if (this.#waiting.deadlineOf(head) > now) break;
      this.#waiting.remove(head);
      head.state &= ~waiting;
      this.markDirty(head);
      const turn = this.turns.step();
      if (turn !== undefined) {
        void turn.then(() => this.#addDueItems());
        return;
      }
    }
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    this.#schedule();
  }
}

function isWaiting({ state }: { readonly state: number }): boolean {
  return (state & waiting) !== 0;
}
