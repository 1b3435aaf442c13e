import { type Clock, systemClock } from '../time/clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { EntryTable, type TableEntry } from './entry-table.ts';
import type { QueueMetrics, QueueMetricsProvider } from './queue-metrics.ts';
import { QueueMetricsRecorder } from './queue-metrics-recorder.ts';
import { RingBuffer } from './ring-buffer.ts';

/** An order of one's own for the items that wait; a work queue is first in, first out without it. */
export interface QueueStorage<K> {
  readonly length: number;
  push(item: K): void;
  /** Only called when `length` is not zero. */
  pop(): K;
  /** The item waits already and was added again. */
  touch(item: K): void;
}

/** What a work queue is called, and whom it reports to. */
export interface WorkQueueOptions<K> {
  /** Metrics carry it; a queue without a name has none. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly metricsProvider?: QueueMetricsProvider;
  /** How often unfinished work is measured. */
  readonly unfinishedWorkUpdateMs?: number;
  readonly storage?: QueueStorage<K>;
}

/** Bits of `QueueEntry.state`. A dirty item needs work. */
const dirty = 1;
/** Handed out and not done. */
const processing = 2;

/**
 * What the queue knows of one item. There may be a million at a time, and what they cost is mostly
 * what the garbage collector has to copy, so they are kept small: flags are bits of one number.
 */
export interface QueueEntry<K> extends TableEntry<K> {
  /** Bits from 4 upwards belong to subclasses. */
  state: number;
  /** Only of a queue with metrics. */
  times: EntryTimes | undefined;
}

/** When an item was added, or -1; and when it was handed out. */
export interface EntryTimes {
  addedMs: number;
  startedMs: number;
}

interface Waiter<K> {
  resolve(item: K | undefined): void;
}

/**
 * A queue of work, by key. One key is never in the hands of two workers; any number of adds while it
 * waits are one delivery, and any number while it is worked on are one more.
 *
 * ```ts
 * const queue = new WorkQueue<string>();
 * queue.add('shop/web');
 * for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
 *   try { console.log(key); } finally { queue.done(key); }
 * }
 * ```
 */
export class WorkQueue<K extends {}> {
  protected readonly clock: Clock;
  protected readonly metrics: QueueMetrics | undefined;
  readonly #entries = new EntryTable<K, QueueEntry<K>>((item) => this.createEntry(item));
  /** Ordered. Everything in it is dirty and not processing. Unused when `storage` is given. */
  readonly #queue = new RingBuffer<QueueEntry<K>>();
  readonly #storage: QueueStorage<K> | undefined;
  /** Not empty only while nothing waits in the queue. */
  readonly #waiters = new RingBuffer<Waiter<K>>();
  protected readonly turns: TurnKeeper;
  readonly #recorder: QueueMetricsRecorder<K> | undefined;
  #processingCount = 0;
  #isClosing = false;
  #drainers: (() => void)[] = [];

  constructor(options: WorkQueueOptions<K> = {}) {
    this.clock = options.clock ?? systemClock;
    this.#storage = options.storage;
    this.turns = TurnKeeper.of(this.clock);
    if (options.name !== undefined && options.name !== '' && options.metricsProvider) {
      this.metrics = options.metricsProvider.metricsOf(options.name);
      this.#recorder = new QueueMetricsRecorder(
        this.metrics,
        this.clock,
        options.unfinishedWorkUpdateMs,
      );
    }
  }

  /** Items that wait. Those being worked on do not count. */
  get length(): number {
    return this.#storage === undefined ? this.#queue.length : this.#storage.length;
  }

  /** Items that cost memory: waiting, worked on, delayed, or with failures that nobody forgot yet. */
  get rememberedCount(): number {
    return this.#entries.size;
  }

  get isShuttingDown(): boolean {
    return this.#isClosing;
  }

  /** Marks an item as needing work. Ignored once the queue shuts down. */
  add(item: K): void {
    if (this.#isClosing) return;
    this.markDirty(this.entryFor(item));
  }

  /**
   * Takes the next item, waiting for one if need be; undefined once the queue is shut down and empty,
   * or when the signal aborts. Every item that was taken has to be given to `done`.
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    const turn = this.turns.step();
    if (turn !== undefined) return turn.then(() => this.get(signal));
    if (this.length > 0) return Promise.resolve(this.#take());
    if (this.#isClosing || signal?.aborted) return Promise.resolve(undefined);
    return this.#wait(signal);
  }

  /** Takes the next item if there is one now. */
  tryGet(): K | undefined {
    return this.length === 0 ? undefined : this.#take();
  }

  /** The worker is done with an item. If it was added meanwhile it goes to the end of the queue. */
  done(item: K): void {
    const entry = this.knownEntry(item);
    if (entry === undefined || entry.state === 0) return;
    if ((entry.state & processing) !== 0) {
      entry.state &= ~processing;
      this.#processingCount--;
      this.#recorder?.done(entry);
    }
    if ((entry.state & dirty) !== 0) {
      this.#enqueue(entry);
      return;
    }
    this.forgetIfIdle(entry);
    if (this.#processingCount === 0) this.#releaseDrainers();
  }

  /** No more adds. What waits is still handed out, then every `get` answers undefined. */
  shutDown(): void {
    this.#close();
    this.#releaseDrainers();
  }

  /**
   * As `shutDown`, and waits until every item that was taken is done. Items that wait and that nobody
   * takes are not waited for. A later `shutDown` ends the wait.
   */
  shutDownWithDrain(): Promise<void> {
    this.#close();
    if (this.#processingCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainers.push(resolve));
  }

  /** The entry of an item, made if there is none. Its state must not stay zero. */
  protected entryFor(item: K): QueueEntry<K> {
    return this.#entries.take(item);
  }

  /** The entry of an item, if there is one. Nothing need hold of it any more. */
  protected knownEntry(item: K): QueueEntry<K> | undefined {
    return this.#entries.find(item);
  }

  protected createEntry(item: K): QueueEntry<K> {
    return { item, state: 0, times: undefined };
  }

  protected markDirty(entry: QueueEntry<K>): void {
    const { state } = entry;
    if ((state & dirty) !== 0) {
      if ((state & processing) === 0) this.#storage?.touch(entry.item);
      return;
    }
    entry.state = state | dirty;
    this.#recorder?.added(entry);
    if ((state & processing) === 0) this.#enqueue(entry);
  }

  /** To be called whenever bits of an entry's state were cleared. */
  protected forgetIfIdle(entry: QueueEntry<K>): void {
    if (entry.state === 0) this.#entries.release(entry);
  }

  /** Whether the item waits or was added while it is worked on. */
  protected isDirty(item: K): boolean {
    return ((this.knownEntry(item)?.state ?? 0) & dirty) !== 0;
  }

  /** Called once, when the queue begins to shut down. */
  protected onShutDown(): void {}

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#recorder?.stop();
    this.onShutDown();
    for (let waiter = this.#waiters.shift(); waiter; waiter = this.#waiters.shift())
      waiter.resolve(undefined);
  }

  #releaseDrainers(): void {
    if (this.#drainers.length === 0) return;
    const drainers = this.#drainers;
    this.#drainers = [];
    for (const release of drainers) release();
  }

  #enqueue(entry: QueueEntry<K>): void {
    if (this.#storage === undefined) this.#queue.push(entry);
    else this.#storage.push(entry.item);
    if (this.#waiters.length > 0) this.#waiters.shift()!.resolve(this.#take());
  }

  #take(): K {
    const entry = this.#nextEntry();
    const { state } = entry;
    entry.state = (state & ~dirty) | processing;
    if ((state & processing) === 0) this.#processingCount++;
    // A worker alone forgets it and is done with it next. Of several, each comes with its own item.
    this.#entries.expect(this.#processingCount === 1 ? entry : undefined);
    this.#recorder?.taken(entry);
    return entry.item;
  }

  #nextEntry(): QueueEntry<K> {
    if (this.#storage !== undefined) return this.#entries.take(this.#storage.pop());
    const entry = this.#queue.shift()!;
    // Given to `done` without having been taken, an item waits twice: its entry may have gone idle.
    return (entry.state & dirty) === 0 ? this.#entries.take(entry.item) : entry;
  }

  #wait(signal: AbortSignal | undefined): Promise<K | undefined> {
    if (signal === undefined)
      return new Promise<K | undefined>((resolve) => this.#waiters.push({ resolve }));
    return new Promise<K | undefined>((resolve) => {
      const waiter: Waiter<K> = {
        resolve: (item) => {
          signal.removeEventListener('abort', onAbort);
          resolve(item);
        },
      };
      const onAbort = () => {
        this.#forgetWaiter(waiter);
        resolve(undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #forgetWaiter(waiter: Waiter<K>): void {
    for (let left = this.#waiters.length; left > 0; left--) {
      const other = this.#waiters.shift()!;
      if (other !== waiter) this.#waiters.push(other);
    }
  }
}
