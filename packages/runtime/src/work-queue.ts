import { type Clock, systemClock } from './clock.ts';
import type { QueueMetrics, QueueMetricsProvider } from './queue-metrics.ts';
import { QueueMetricsRecorder } from './queue-metrics-recorder.ts';
import { RingBuffer } from './ring-buffer.ts';
import { TurnKeeper } from './turn-keeper.ts';

/** An order of one's own for the items that wait; a work queue is first in, first out without it. */
export interface QueueStorage<K> {
  readonly length: number;
  push(item: K): void;
  /** Only called when `length` is not zero. */
  pop(): K;
  /** The item waits already and was added again. */
  touch(item: K): void;
}

export interface WorkQueueOptions<K> {
  /** Metrics carry it; a queue without a name has none. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly metricsProvider?: QueueMetricsProvider;
  /** How often unfinished work is measured. */
  readonly unfinishedWorkUpdateMs?: number;
  readonly storage?: QueueStorage<K>;
}

/** What the queue knows of one item. It exists for as long as one of the three holds. */
export interface QueueEntry<K> {
  readonly item: K;
  /** Needs work. */
  isDirty: boolean;
  /** Handed out and not done. */
  isProcessing: boolean;
  /** To be added later. */
  isWaiting: boolean;
  /** For metrics: when it was added, or -1; and when it was handed out. */
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
 * for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
 *   try { await reconcile(key); } finally { queue.done(key); }
 * }
 * ```
 */
export class WorkQueue<K extends {}> {
  protected readonly clock: Clock;
  protected readonly metrics: QueueMetrics | undefined;
  /** Every item that is dirty, processing or waiting. */
  private readonly entries = new Map<K, QueueEntry<K>>();
  /** Ordered. Everything in it is dirty and not processing. Unused when `storage` is given. */
  private readonly queue = new RingBuffer<QueueEntry<K>>();
  private readonly storage: QueueStorage<K> | undefined;
  /** Not empty only while nothing waits in the queue. */
  private readonly waiters = new RingBuffer<Waiter<K>>();
  private readonly turns: TurnKeeper;
  private readonly recorder: QueueMetricsRecorder<K> | undefined;
  /** Of the item that was taken last: a worker alone is done with it next, without a look-up. */
  private lastTaken: QueueEntry<K> | undefined;
  private processingCount = 0;
  private isClosing = false;
  private drainers: (() => void)[] = [];

  constructor(options: WorkQueueOptions<K> = {}) {
    this.clock = options.clock ?? systemClock;
    this.storage = options.storage;
    this.turns = TurnKeeper.of(this.clock);
    if (options.name !== undefined && options.name !== '' && options.metricsProvider) {
      this.metrics = options.metricsProvider.metricsOf(options.name);
      this.recorder = new QueueMetricsRecorder(
        this.metrics,
        this.clock,
        options.unfinishedWorkUpdateMs,
      );
    }
  }

  /** Items that wait. Those being worked on do not count. */
  get length(): number {
    return this.storage === undefined ? this.queue.length : this.storage.length;
  }

  get isShuttingDown(): boolean {
    return this.isClosing;
  }

  /** Marks an item as needing work. Ignored once the queue shuts down. */
  add(item: K): void {
    if (this.isClosing) return;
    this.markDirty(this.entryFor(item));
  }

  /**
   * Takes the next item, waiting for one if need be; undefined once the queue is shut down and empty,
   * or when the signal aborts. Every item that was taken has to be given to `done`.
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    const turn = this.turns.step();
    if (turn !== undefined) return turn.then(() => this.get(signal));
    if (this.length > 0) return Promise.resolve(this.take());
    if (this.isClosing || signal?.aborted) return Promise.resolve(undefined);
    return this.wait(signal);
  }

  /** Takes the next item if there is one now. */
  tryGet(): K | undefined {
    return this.length === 0 ? undefined : this.take();
  }

  /** The worker is done with an item. If it was added meanwhile it goes to the end of the queue. */
  done(item: K): void {
    const last = this.lastTaken;
    const entry = last !== undefined && last.item === item ? last : this.entries.get(item);
    this.lastTaken = undefined;
    if (entry === undefined) return;
    if (entry.isProcessing) {
      entry.isProcessing = false;
      this.processingCount--;
      this.recorder?.done(entry);
    }
    if (entry.isDirty) {
      this.enqueue(entry);
      return;
    }
    this.forgetIfIdle(entry);
    if (this.processingCount === 0) this.releaseDrainers();
  }

  /** No more adds. What waits is still handed out, then every `get` answers undefined. */
  shutDown(): void {
    this.close();
    this.releaseDrainers();
  }

  /**
   * As `shutDown`, and waits until every item that was taken is done. Items that wait and that nobody
   * takes are not waited for. A later `shutDown` ends the wait.
   */
  shutDownWithDrain(): Promise<void> {
    this.close();
    if (this.processingCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.drainers.push(resolve));
  }

  /** The entry of an item, made if there is none. */
  protected entryFor(item: K): QueueEntry<K> {
    let entry = this.entries.get(item);
    if (entry === undefined) {
      entry = this.createEntry(item);
      this.entries.set(item, entry);
    }
    return entry;
  }

  protected knownEntry(item: K): QueueEntry<K> | undefined {
    return this.entries.get(item);
  }

  protected createEntry(item: K): QueueEntry<K> {
    return {
      item,
      isDirty: false,
      isProcessing: false,
      isWaiting: false,
      addedMs: -1,
      startedMs: -1,
    };
  }

  protected markDirty(entry: QueueEntry<K>): void {
    if (entry.isDirty) {
      if (!entry.isProcessing) this.storage?.touch(entry.item);
      return;
    }
    entry.isDirty = true;
    this.recorder?.added(entry);
    if (!entry.isProcessing) this.enqueue(entry);
  }

  protected forgetIfIdle(entry: QueueEntry<K>): void {
    if (!entry.isDirty && !entry.isProcessing && !entry.isWaiting) this.entries.delete(entry.item);
  }

  /** Whether the item waits or was added while it is worked on. */
  protected isDirty(item: K): boolean {
    return this.entries.get(item)?.isDirty === true;
  }

  /** Called once, when the queue begins to shut down. */
  protected onShutDown(): void {}

  private close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.recorder?.stop();
    this.onShutDown();
    for (let waiter = this.waiters.shift(); waiter; waiter = this.waiters.shift())
      waiter.resolve(undefined);
  }

  private releaseDrainers(): void {
    if (this.drainers.length === 0) return;
    const drainers = this.drainers;
    this.drainers = [];
    for (const release of drainers) release();
  }

  private enqueue(entry: QueueEntry<K>): void {
    if (this.storage === undefined) this.queue.push(entry);
    else this.storage.push(entry.item);
    if (this.waiters.length > 0) this.waiters.shift()!.resolve(this.take());
  }

  private take(): K {
    const entry =
      this.storage === undefined ? this.queue.shift()! : this.entryOf(this.storage.pop());
    // Only an item that was given to `done` without having been taken can be here and unknown.
    if (!entry.isDirty) this.entries.set(entry.item, entry);
    entry.isDirty = false;
    if (!entry.isProcessing) {
      entry.isProcessing = true;
      this.processingCount++;
    }
    this.lastTaken = entry;
    this.recorder?.taken(entry);
    return entry.item;
  }

  private entryOf(item: K): QueueEntry<K> {
    return this.entries.get(item) ?? this.createEntry(item);
  }

  private wait(signal: AbortSignal | undefined): Promise<K | undefined> {
    if (signal === undefined)
      return new Promise<K | undefined>((resolve) => this.waiters.push({ resolve }));
    return new Promise<K | undefined>((resolve) => {
      const waiter: Waiter<K> = {
        resolve: (item) => {
          signal.removeEventListener('abort', onAbort);
          resolve(item);
        },
      };
      const onAbort = () => {
        this.forgetWaiter(waiter);
        resolve(undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiters.push(waiter);
    });
  }

  private forgetWaiter(waiter: Waiter<K>): void {
    for (let left = this.waiters.length; left > 0; left--) {
      const other = this.waiters.shift()!;
      if (other !== waiter) this.waiters.push(other);
    }
  }
}
