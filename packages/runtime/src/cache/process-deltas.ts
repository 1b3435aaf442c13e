import type { TurnKeeper } from '../time/turn-keeper.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { Delta, ObjectDelta, StoreDelta } from './delta.ts';
import type { ObjectsByKey } from './index-table.ts';
import type { Indexer } from './indexer.ts';
import type { TransactionFailure } from './store.ts';

/** Who is told of what happened to the store. */
export interface StoreObserver<T> {
  onAdd(object: T, isInInitialList: boolean): void;
  onUpdate(oldObject: T, newObject: T): void;
  onDelete(deleted: Deleted<T>): void;
}

/**
 * Applies deltas one by one, oldest first: the store changes, then the observer is told.
 *
 * ```ts
 * const store = new Indexer<string>({ keyFunction: (name) => name });
 * const told: string[] = [];
 * const observer = {
 *   onAdd: (name: string) => told.push(`add ${name}`),
 *   onUpdate: (_: string, name: string) => told.push(`update ${name}`),
 *   onDelete: () => told.push('delete'),
 * };
 * processDeltas(observer, store, [{ type: 'Added', object: 'a' }, { type: 'Updated', object: 'a' }], false);
 * told; // ['add a', 'update a']
 * ```
 */
export function processDeltas<T>(
  observer: StoreObserver<T>,
  store: Indexer<T>,
  deltas: readonly ObjectDelta<T>[],
  isInInitialList: boolean,
): void {
  for (const delta of deltas) tell(observer, delta, applyDelta(store, delta), isInInitialList);
}

/**
 * Applies deltas of distinct keys, all before the observer is told of the first: nobody sees the
 * store between two of them. The observer hears only of those that worked; a failure names the others.
 *
 * ```ts
 * const store = new Indexer<string>({ keyFunction: (name) => name });
 * const seen: number[] = [];
 * const onAdd = () => seen.push(store.list().length);
 * const observer = { onAdd, onUpdate: () => {}, onDelete: () => {} };
 * processDeltasInBatch(observer, store, [{ type: 'Added', object: 'a' }, { type: 'Added', object: 'b' }], true);
 * seen; // [2, 2]
 * ```
 */
export function processDeltasInBatch<T>(
  observer: StoreObserver<T>,
  store: Indexer<T>,
  deltas: readonly ObjectDelta<T>[],
  isInInitialList: boolean,
): TransactionFailure | undefined {
  const olds = new Array<T | undefined>(deltas.length);
  const successfulIndices: number[] = [];
  const errors: unknown[] = [];
  for (let position = 0; position < deltas.length; position++) {
    try {
      olds[position] = applyDelta(store, deltas[position]!);
      successfulIndices.push(position);
    } catch (error) {
      errors.push(error);
    }
  }
  for (const position of successfulIndices)
    tell(observer, deltas[position]!, olds[position], isInInitialList);
  if (errors.length === 0) return undefined;
  return { total: deltas.length, successfulIndices, errors };
}

/** Changes the store and gives back what it held before. */
function applyDelta<T>(store: Indexer<T>, delta: ObjectDelta<T>): T | undefined {
  if (delta.type === 'Deleted') {
    if (delta.object instanceof DeletedFinalStateUnknown)
      store.remove(delta.object.key, delta.object.object);
    else store.delete(delta.object);
    return undefined;
  }
  return store.put(store.keyOf(delta.object), delta.object);
}

function tell<T>(
  observer: StoreObserver<T>,
  delta: ObjectDelta<T>,
  old: T | undefined,
  isInInitialList: boolean,
): void {
  if (delta.type === 'Deleted') observer.onDelete(delta.object);
  else if (old === undefined) observer.onAdd(delta.object, isInInitialList);
  else observer.onUpdate(old, delta.object);
}

/** What a delta of the whole store needs while it is applied. */
export interface StoreDeltaContext {
  readonly turns: TurnKeeper;
  /** An object that the store refused. The others are there. */
  readonly onError: (error: unknown) => void;
}

/**
 * Applies a delta that concerns the whole store, giving timers and sockets their turn meanwhile.
 *
 * ```ts
 * const store = new Indexer<string>({ keyFunction: (name) => name });
 * const observer = { onAdd: () => {}, onUpdate: () => {}, onDelete: () => {} };
 * const context = { turns: new TurnKeeper(systemClock), onError: console.error };
 * const delta = { type: 'ReplacedAll', resourceVersion: '7', objects: ['a', 'b'] } as const;
 * await processStoreDelta(observer, store, delta, true, context);
 * store.list(); // ['a', 'b']
 * ```
 */
export async function processStoreDelta<T>(
  observer: StoreObserver<T>,
  store: Indexer<T>,
  delta: StoreDelta<T>,
  isInInitialList: boolean,
  context: StoreDeltaContext,
): Promise<void> {
  const { turns } = context;
  if (delta.type === 'Bookmark') {
    store.bookmark(delta.resourceVersion);
    return;
  }
  if (delta.type === 'SyncAll') {
    for (const [, object] of store.entries()) {
      observer.onUpdate(object, object);
      const turn = turns.step();
      if (turn !== undefined) await turn;
    }
    return;
  }
  await processReplacedAll(observer, store, delta, isInInitialList, context);
}

/** The store first, then what is gone, then the list in its order. */
async function processReplacedAll<T>(
  observer: StoreObserver<T>,
  store: Indexer<T>,
  delta: Extract<StoreDelta<T>, { type: 'ReplacedAll' }>,
  isInInitialList: boolean,
  { turns, onError }: StoreDeltaContext,
): Promise<void> {
  const { objects, resourceVersion } = delta;
  const previous = await store.replaceInTurns(objects, resourceVersion, turns, onError);
  for (const [key, object] of previous) {
    if (store.getByKey(key) === undefined)
      observer.onDelete(new DeletedFinalStateUnknown(key, object));
    const turn = turns.step();
    if (turn !== undefined) await turn;
  }
  // Nothing was there before and nothing was refused: no key has to be looked up.
  const areAllNew = previous.size === 0 && store.size === objects.length;
  for (const object of objects) {
    if (areAllNew) observer.onAdd(object, isInInitialList);
    else tellOfListed(observer, store, previous, object, isInInitialList);
    const turn = turns.step();
    if (turn !== undefined) await turn;
  }
}

function tellOfListed<T>(
  observer: StoreObserver<T>,
  store: Indexer<T>,
  previous: ObjectsByKey<T>,
  object: T,
  isInInitialList: boolean,
): void {
  const key = store.keyOrUndefined(object);
  if (key === undefined || store.getByKey(key) === undefined) return;
  const old = previous.get(key);
  if (old === undefined) observer.onAdd(object, isInInitialList);
  else observer.onUpdate(old, object);
}

/** Whether every delta concerns one object: such a batch is applied as a transaction. */
export function isObjectBatch<T>(deltas: readonly Delta<T>[]): deltas is ObjectDelta<T>[] {
  const first = deltas[0];
  return (
    first !== undefined &&
    first.type !== 'ReplacedAll' &&
    first.type !== 'SyncAll' &&
    first.type !== 'Bookmark'
  );
}
