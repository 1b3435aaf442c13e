import { EntryTable, type TableEntry } from '../queue/entry-table.ts';
import { RingBuffer } from '../queue/ring-buffer.ts';
import { RuntimeError } from '../runtime-error.ts';
import { Waiters } from '../time/waiters.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { ObjectDelta, Transform } from './delta.ts';
import { fifoKey } from './fifo-key.ts';
import type { KnownObjects } from './known-objects.ts';
import type { KeyFunction } from './object-key.ts';
import type { ReflectorStore } from './reflector-store.ts';

/** How a `DeltaFifo` names and compares objects. */
export interface DeltaFifoOptions<T> {
  readonly keyFunction: KeyFunction<T>;
  /** What the consumer holds. Without it, deletions that a list reveals are found only among what is queued. */
  readonly knownObjects?: KnownObjects<T>;
  /** Lists give `Replaced` deltas instead of `Sync` ones, which resyncs give too. */
  readonly emitDeltaTypeReplaced?: boolean;
  readonly transform?: Transform<T>;
}

/** Handles the deltas of one key, oldest first. */
export type PopProcess<T> = (deltas: readonly ObjectDelta<T>[], isInInitialList: boolean) => void;

/**
 * What waits of a key. Most keys have one delta, which is kept as its type and its object: the list is
 * made when it is asked for. Whoever queues a million keys at once waits for the memory of their entries.
 */
interface PendingKey<T> extends TableEntry<string> {
  /** Zero while nothing waits, else the place of the delta's type in `deltaTypes`, or `several`. */
  state: number;
  /** The object of the only delta, or the list of several. */
  waiting: Deleted<T> | ObjectDelta<T>[] | undefined;
}

/** By the state of a key with one delta. */
const deltaTypes = ['', 'Added', 'Updated', 'Deleted', 'Replaced', 'Sync'] as const;
type DeltaState = 1 | 2 | 3 | 4 | 5;
const stateOf = { Added: 1, Updated: 2, Deleted: 3, Replaced: 4, Sync: 5 } as const;
/** The state of a key with several deltas. */
const several = deltaTypes.length;

/**
 * Collects changes by key and hands out all changes of one key at a time, in the order in which
 * keys first appeared. Informers used it up to Kubernetes 1.32; see `RealFifo` for its successor.
 *
 * ```ts
 * const fifo = new DeltaFifo<Pod>({ keyFunction: metaNamespaceKey });
 * fifo.add({ metadata: { name: 'a', namespace: 'shop' } });
 * await fifo.pop((deltas) => console.log(deltas.map(({ type }) => type)));
 * ```
 */
export class DeltaFifo<T> implements ReflectorStore<T> {
  readonly #options: DeltaFifoOptions<T>;
  /** An entry is in `queue` if and only if it has deltas. */
  readonly #pending = new EntryTable<string, PendingKey<T>>((item) => ({
    item,
    state: 0,
    waiting: undefined,
  }));
  readonly #queue = new RingBuffer<PendingKey<T>>();
  readonly #waiters = new Waiters();
  /** Something was added, or a first list came. */
  #isPopulated = false;
  /** How many keys of the first list have not been handed out. */
  #initialPopulationCount = 0;
  #isClosed = false;

  constructor(options: DeltaFifoOptions<T>) {
    this.#options = options;
  }

  /** Whether the first list has been handed out completely. */
  get hasSynced(): boolean {
    return this.#isPopulated && this.#initialPopulationCount === 0;
  }

  /** Keys that wait, in order. */
  pendingKeys(): string[] {
    return Array.from(this.#queue, ({ item }) => item);
  }

  /** The newest queued state of a key: an object, or a tombstone. */
  newest(key: string): Deleted<T> | undefined {
    const pending = this.#pending.find(key);
    return pending === undefined || pending.state === 0 ? undefined : newestOf(pending);
  }

  /** The key of an object, of a tombstone, or of what the newest of several deltas is about. */
  keyOf(object: Deleted<T> | readonly ObjectDelta<T>[]): string {
    return fifoKey(this.#options.keyFunction, object);
  }

  add(object: T): void {
    this.#isPopulated = true;
    this.#append(this.keyOf(object), 'Added', this.#transformed(object));
  }

  update(object: T): void {
    this.#isPopulated = true;
    this.#append(this.keyOf(object), 'Updated', this.#transformed(object));
  }

  /** Dropped when neither the queue nor the consumer knows the key: it would delete nothing. */
  delete(object: Deleted<T>): void {
    const key = this.keyOf(object);
    this.#isPopulated = true;
    const known = this.#options.knownObjects;
    if (!this.#isPending(key) && known?.getByKey(key) === undefined) return;
    const isTombstone = object instanceof DeletedFinalStateUnknown;
    this.#append(key, 'Deleted', isTombstone ? object : this.#transformed(object));
  }

  /** The whole truth: every object of it, and a tombstone for each known key that it lacks. */
  replace(objects: readonly T[], _resourceVersion: string): void {
    const keys = new Set<string>();
    const type = this.#options.emitDeltaTypeReplaced ? 'Replaced' : 'Sync';
    for (const object of objects) {
      const key = this.keyOf(object);
      keys.add(key);
      this.#append(key, type, this.#transformed(object));
    }
    let tombstones = 0;
    for (const pending of this.#queue) {
      const { item: key } = pending;
      if (keys.has(key)) continue;
      const newest = newestOf(pending);
      const object = newest instanceof DeletedFinalStateUnknown ? newest.object : newest;
      this.#append(key, 'Deleted', new DeletedFinalStateUnknown(key, object));
      tombstones++;
    }
    tombstones += this.#deleteKnownExcept(keys);
    if (this.#isPopulated) return;
    this.#isPopulated = true;
    this.#initialPopulationCount = keys.size + tombstones;
  }

  /** Queues every known object again, except those that have something newer queued. */
  resync(): void {
    const known = this.#options.knownObjects;
    if (known === undefined) return;
    for (const key of known.listKeys()) {
      const object = known.getByKey(key);
      if (object !== undefined && !this.#isPending(key)) this.#append(key, 'Sync', object);
    }
  }

  /**
   * Hands the deltas of the oldest key to `process`, waiting for one if need be, and gives them back.
   * Undefined once the FIFO is closed and empty.
   */
  async pop(process: PopProcess<T>): Promise<readonly ObjectDelta<T>[] | undefined> {
    while (this.#queue.length === 0) {
      if (this.#isClosed) return undefined;
      await this.#waiters.wait();
    }
    return this.tryPop(process);
  }

  /** As `pop`, but undefined when nothing waits now. */
  tryPop(process: PopProcess<T>): readonly ObjectDelta<T>[] | undefined {
    const next = this.#queue.shift();
    if (next === undefined) return undefined;
    const deltas = deltasOf(next);
    next.waiting = undefined;
    next.state = 0;
    this.#pending.release(next);
    const isInInitialList = !this.hasSynced;
    if (this.#initialPopulationCount > 0) this.#initialPopulationCount--;
    process(deltas, isInInitialList);
    return deltas;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiters.wakeAll();
  }

  #deleteKnownExcept(keys: ReadonlySet<string>): number {
    const known = this.#options.knownObjects;
    if (known === undefined) return 0;
    let tombstones = 0;
    for (const key of known.listKeys()) {
      if (keys.has(key) || this.#isPending(key)) continue;
      this.#append(key, 'Deleted', new DeletedFinalStateUnknown(key, known.getByKey(key)));
      tombstones++;
    }
    return tombstones;
  }

  #append(key: string, type: ObjectDelta<T>['type'], object: Deleted<T>): void {
    const pending = this.#pending.take(key);
    if (pending.state !== 0) {
      pending.waiting = withoutRepeatedDeletion(deltasOf(pending), deltaOf(type, object));
      pending.state = several;
      return;
    }
    pending.waiting = object;
    pending.state = stateOf[type];
    this.#queue.push(pending);
    this.#waiters.wakeAll();
  }

  #isPending(key: string): boolean {
    const pending = this.#pending.find(key);
    return pending !== undefined && pending.state !== 0;
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

/** The newest state of a key that has deltas. */
function newestOf<T>({ state, waiting }: PendingKey<T>): Deleted<T> {
  if (state !== several) return waiting as Deleted<T>;
  return (waiting as ObjectDelta<T>[]).at(-1)!.object;
}

/** The deltas of a key that has some. */
function deltasOf<T>({ state, waiting }: PendingKey<T>): ObjectDelta<T>[] {
  if (state === several) return waiting as ObjectDelta<T>[];
  return [deltaOf(deltaTypes[state as DeltaState], waiting as Deleted<T>)];
}

/** A tombstone comes with `Deleted` only; every caller sees to that. */
function deltaOf<T>(type: ObjectDelta<T>['type'], object: Deleted<T>): ObjectDelta<T> {
  return { type, object } as ObjectDelta<T>;
}

/** Of two deletions in a row one is enough: the one that knows more. */
function withoutRepeatedDeletion<T>(
  deltas: ObjectDelta<T>[],
  next: ObjectDelta<T>,
): ObjectDelta<T>[] {
  const last = deltas.at(-1)!;
  if (last.type !== 'Deleted' || next.type !== 'Deleted') {
    deltas.push(next);
    return deltas;
  }
  if (last.object instanceof DeletedFinalStateUnknown) deltas[deltas.length - 1] = next;
  return deltas;
}
