import { RingBuffer } from '../queue/ring-buffer.ts';
import { RuntimeError } from '../runtime-error.ts';
import { Waiters } from '../time/waiters.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import { type Delta, isObjectDelta, type ObjectDelta, type Transform } from './delta.ts';
import { fifoKey } from './fifo-key.ts';
import type { KnownObjects } from './known-objects.ts';
import type { KeyFunction } from './object-key.ts';
import type { ReflectorStore } from './reflector-store.ts';

/** Enough to make batches worth their while, few enough to be applied within a turn of the event loop. */
const defaultBatchSize = 1_000;
/** A reflector waits once this many batches are queued. */
const queuedBatches = 2;

/** How a `RealFifo` names objects and hands out changes. */
export interface RealFifoOptions<T> {
  readonly keyFunction: KeyFunction<T>;
  /** What the consumer holds; an atomic FIFO does not need it. */
  readonly knownObjects?: KnownObjects<T>;
  readonly transform?: Transform<T>;
  /** Lists went through the transform where they were read, in turns; here it would be all at once. */
  readonly areListsTransformed?: boolean;
  /** Lists and resyncs are one delta each, to be reconciled with the store when they are popped. */
  readonly isAtomic?: boolean;
  /** Bookmarks are queued too, so that the store knows its own resourceVersion. Needs `isAtomic`. */
  readonly emitBookmarks?: boolean;
  readonly batchSize?: number;
}

/** Handles deltas in order. While a promise it gave is pending, no further delta is handed out. */
export type BatchProcess<T> = (
  deltas: readonly Delta<T>[],
  isInInitialList: boolean,
) => void | Promise<void>;

/**
 * Every change, in the order in which it came, in batches. Informers use it atomically.
 * Unlike `DeltaFifo` it does not group by key, and keeps deletions of keys that nobody knows.
 *
 * ```ts
 * const fifo = new RealFifo<Pod>({ keyFunction: metaNamespaceKey });
 * fifo.add({ metadata: { name: 'a', namespace: 'shop' } });
 * fifo.length; // 1
 * ```
 */
export class RealFifo<T> implements ReflectorStore<T> {
  readonly #options: RealFifoOptions<T>;
  readonly #batchSize: number;
  readonly #items = new RingBuffer<Delta<T>>();
  readonly #waiters = new Waiters();
  readonly #room = new Waiters();
  readonly #syncWaiters = new Waiters();
  /** Something was added, or a first list came. */
  #isPopulated = false;
  /** How many deltas of the first list have not been processed. */
  #initialPopulationCount = 0;
  #isProcessing = false;
  #isClosed = false;

  constructor(options: RealFifoOptions<T>) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? defaultBatchSize;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Whether the first list has been processed completely. */
  get hasSynced(): boolean {
    return this.#isPopulated && this.#initialPopulationCount === 0;
  }

  /** Resolves when the first list has been processed, or the FIFO was closed before that. */
  async synced(): Promise<boolean> {
    while (!this.hasSynced && !this.#isClosed) await this.#syncWaiters.wait();
    return this.hasSynced;
  }

  /** Distinct keys that wait, in the order of their first delta. */
  pendingKeys(): string[] {
    const keys = new Set<string>();
    for (const delta of this.#items) if (isObjectDelta(delta)) keys.add(this.keyOf(delta.object));
    return [...keys];
  }

  /** The newest queued state of a key: an object, or a tombstone. */
  newest(key: string): Deleted<T> | undefined {
    for (let index = this.#items.length - 1; index >= 0; index--) {
      const delta = this.#items.at(index)!;
      if (isObjectDelta(delta) && this.keyOf(delta.object) === key) return delta.object;
    }
    return undefined;
  }

  /** The key of an object, of a tombstone, or of what the newest of several deltas is about. */
  keyOf(object: Deleted<T> | readonly ObjectDelta<T>[]): string {
    return fifoKey(this.#options.keyFunction, object);
  }

  add(object: T): void {
    this.keyOf(object);
    this.#isPopulated = true;
    this.#push({ type: 'Added', object: this.#transformed(object) });
  }

  update(object: T): void {
    this.keyOf(object);
    this.#isPopulated = true;
    this.#push({ type: 'Updated', object: this.#transformed(object) });
  }

  delete(object: Deleted<T>): void {
    this.keyOf(object);
    this.#isPopulated = true;
    const isTombstone = object instanceof DeletedFinalStateUnknown;
    this.#push({ type: 'Deleted', object: isTombstone ? object : this.#transformed(object) });
  }

  /** The whole truth. Its tombstones come before its objects. */
  replace(objects: readonly T[], resourceVersion: string): void {
    if (this.#options.isAtomic) this.#replaceAtOnce(objects, resourceVersion);
    else this.#replaceOneByOne(objects);
    if (this.#isPopulated) return;
    this.#isPopulated = true;
    this.#initialPopulationCount = this.#items.length;
    this.#noteSynced();
  }

  /** Every known object again; those with something newer queued are left out. */
  resync(): void {
    if (this.#options.isAtomic) {
      this.#push({ type: 'SyncAll' });
      return;
    }
    const known = this.#options.knownObjects;
    if (known === undefined) return;
    const queued = new Set(this.pendingKeys());
    for (const key of known.listKeys()) {
      const object = queued.has(key) ? undefined : known.getByKey(key);
      if (object !== undefined) this.#push({ type: 'Sync', object });
    }
  }

  bookmark(resourceVersion: string): void {
    if (!this.#options.isAtomic || !this.#options.emitBookmarks) return;
    this.#push({ type: 'Bookmark', resourceVersion });
  }

  ready(): Promise<void> | undefined {
    return this.#items.length > queuedBatches * this.#batchSize && !this.#isClosed
      ? this.#room.wait()
      : undefined;
  }

  /**
   * Hands the oldest delta to `process`, waiting for one if need be, and gives it back once it has
   * been processed. Undefined once the FIFO is closed and empty.
   */
  async pop(process: BatchProcess<T>): Promise<Delta<T> | undefined> {
    if (!this.#isNextThere && !(await this.#waitForItems())) return undefined;
    const delta = this.#items.shift()!;
    await this.#process([delta], process);
    return delta;
  }

  /**
   * As `pop`, for as many deltas as make a batch: no key twice, nothing that concerns the whole store
   * beside other deltas, and nothing of the first list beside what came after it.
   */
  async popBatch(process: BatchProcess<T>): Promise<readonly Delta<T>[] | undefined> {
    if (!this.#isNextThere && !(await this.#waitForItems())) return undefined;
    const batch = this.#takeBatch();
    const pending = this.#process(batch, process);
    if (pending !== undefined) await pending;
    return batch;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiters.wakeAll();
    this.#room.wakeAll();
    this.#syncWaiters.wakeAll();
  }

  get #isNextThere(): boolean {
    return this.#items.length > 0 && !this.#isProcessing;
  }

  async #waitForItems(): Promise<boolean> {
    while (!this.#isNextThere) {
      if (this.#isClosed && this.#items.length === 0) return false;
      await this.#waiters.wait();
    }
    return true;
  }

  /** A promise only where the consumer gave one. */
  #process(batch: readonly Delta<T>[], process: BatchProcess<T>): void | Promise<void> {
    const isInInitialList = !this.hasSynced;
    this.#isProcessing = true;
    try {
      const pending = process(batch, isInInitialList);
      if (pending !== undefined)
        return pending.finally(() => this.#noteProcessed(batch.length, isInInitialList));
    } catch (error) {
      this.#noteProcessed(batch.length, isInInitialList);
      throw error;
    }
    this.#noteProcessed(batch.length, isInInitialList);
  }

  #noteProcessed(count: number, wasInInitialList: boolean): void {
    this.#isProcessing = false;
    this.#initialPopulationCount = Math.max(0, this.#initialPopulationCount - count);
    if (wasInInitialList) this.#noteSynced();
    if (this.#items.length <= this.#batchSize) this.#room.wakeAll();
    this.#waiters.wakeAll();
  }

  #takeBatch(): Delta<T>[] {
    if (this.#items.length === 1) return [this.#items.shift()!];
    const batch: Delta<T>[] = [];
    const keys = new Set<string>();
    const limit =
      this.#initialPopulationCount > 0
        ? Math.min(this.#batchSize, this.#initialPopulationCount)
        : this.#batchSize;
    while (batch.length < limit && this.#items.length > 0) {
      const delta = this.#items.at(0)!;
      if (!isObjectDelta(delta)) {
        if (batch.length === 0) batch.push(this.#items.shift()!);
        return batch;
      }
      const key = this.#keyOrUndefined(delta);
      if (key !== undefined && keys.has(key)) return batch;
      batch.push(this.#items.shift()!);
      // What has no key cannot be told apart from the others: it ends the batch.
      if (key === undefined) return batch;
      keys.add(key);
    }
    return batch;
  }

  #keyOrUndefined(delta: ObjectDelta<T>): string | undefined {
    try {
      return this.keyOf(delta.object);
    } catch (error) {
      if (error instanceof RuntimeError) return undefined;
      throw error;
    }
  }

  #replaceAtOnce(objects: readonly T[], resourceVersion: string): void {
    const transformed =
      this.#options.transform === undefined || this.#options.areListsTransformed
        ? objects
        : objects.map((object) => this.#transformed(object));
    this.#push({ type: 'ReplacedAll', resourceVersion, objects: transformed });
  }

  #replaceOneByOne(objects: readonly T[]): void {
    const keys = new Set(objects.map((object) => this.keyOf(object)));
    const lastQueued = new Map<string, ObjectDelta<T>>();
    for (const delta of this.#items)
      if (isObjectDelta(delta)) lastQueued.set(this.keyOf(delta.object), delta);
    for (const [key, delta] of lastQueued) {
      if (keys.has(key) || delta.type === 'Deleted') continue;
      this.#push({ type: 'Deleted', object: new DeletedFinalStateUnknown(key, delta.object) });
    }
    for (const key of this.#options.knownObjects?.listKeys() ?? []) {
      if (keys.has(key) || lastQueued.has(key)) continue;
      const object = this.#options.knownObjects?.getByKey(key);
      this.#push({ type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) });
    }
    for (const object of objects)
      this.#push({ type: 'Replaced', object: this.#transformed(object) });
  }

  #push(delta: Delta<T>): void {
    this.#items.push(delta);
    if (!this.#isProcessing) this.#waiters.wakeAll();
  }

  #noteSynced(): void {
    if (this.hasSynced) this.#syncWaiters.wakeAll();
  }

  #transformed(object: T): T {
    const transform = this.#options.transform;
    if (transform === undefined) return object;
    try {
      return transform(object);
    } catch (cause) {
      throw new RuntimeError('WG_RUNTIME_TRANSFORM', 'the transform failed', { cause });
    }
  }
}
