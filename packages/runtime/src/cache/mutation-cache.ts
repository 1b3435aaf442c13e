import type { KubeObject } from '@waygate/schema';
import { type Clock, systemClock } from '../time/clock.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { Indexer } from './indexer.ts';
import { metaNamespaceKey } from './object-key.ts';

const defaultTtlMs = 60_000;
const defaultCapacity = 100;

/** What is remembered of one’s own writes, and for how long. */
export interface MutationCacheOptions {
  /** Remembered writes of objects that the cache does not have are answered too. */
  readonly includeAdds?: boolean;
  readonly ttlMs?: number;
  readonly capacity?: number;
  readonly clock?: Clock;
}

interface RememberedWrite<T> {
  readonly object: T;
  readonly expiresAtMs: number;
}

/**
 * Lays a controller's own writes over an informer's store until the informer has seen them, so that a
 * controller does not act on a state that it knows to be past.
 *
 * This is the one place that compares versions. They are opaque by contract, but the API promises
 * since 1.35 that versions of one resource order as decimal numbers; where one is not a number the
 * store wins.
 *
 * ```ts
 * const maps = createInformer(client, kinds.ConfigMap);
 * const cache = new MutationCache(maps.indexer);
 * const written = await client.resource(kinds.ConfigMap).patch('a', { data: {} }, { namespace: 'shop' });
 * cache.mutation(written); // from now on nobody reads an older one, though the watch may lag
 * cache.getByKey('shop/a');
 * ```
 */
export class MutationCache<T extends KubeObject> {
  readonly #store: Pick<Indexer<T>, 'getByKey'>;
  readonly #options: MutationCacheOptions;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #writes = new Map<string, RememberedWrite<T>>();

  constructor(store: Pick<Indexer<T>, 'getByKey'>, options: MutationCacheOptions = {}) {
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Remembers what the API answered to a write. */
  mutation(object: T): void {
    const key = metaNamespaceKey(object);
    this.#writes.delete(key);
    this.#writes.set(key, {
      object,
      expiresAtMs: this.#clock.monotonicMs() + (this.#options.ttlMs ?? defaultTtlMs),
    });
    const capacity = this.#options.capacity ?? defaultCapacity;
    for (const oldest of this.#writes.keys()) {
      if (this.#writes.size <= capacity) break;
      this.#writes.delete(oldest);
    }
  }

  /** The newer of what the store has and what was written. */
  getByKey(key: string): T | undefined {
    const stored = this.#store.getByKey(key);
    const written = this.#live(key);
    if (written === undefined) return stored;
    if (stored === undefined) return this.#options.includeAdds ? written : undefined;
    if (stored.metadata.uid !== written.metadata.uid) {
      this.#writes.delete(key);
      return stored;
    }
    if (isNewer(written, stored)) return written;
    this.#writes.delete(key);
    return stored;
  }

  /** The informer has seen a state: a write that is not newer need not be remembered. */
  onAddOrUpdate(object: T): void {
    const key = metaNamespaceKey(object);
    const written = this.#live(key);
    if (written !== undefined && !isNewer(written, object)) this.#writes.delete(key);
  }

  /** The informer has seen a deletion. A newer object of the same name is not meant. */
  onDelete(deleted: Deleted<T>): void {
    const isTombstone = deleted instanceof DeletedFinalStateUnknown;
    const key = isTombstone ? deleted.key : metaNamespaceKey(deleted);
    const object = isTombstone ? deleted.object : deleted;
    const written = this.#live(key);
    if (written === undefined) return;
    const isSameObject = object === undefined || object.metadata.uid === written.metadata.uid;
    if (isSameObject || !isNewer(written, object)) this.#writes.delete(key);
  }

  #live(key: string): T | undefined {
    const write = this.#writes.get(key);
    if (write === undefined) return undefined;
    if (write.expiresAtMs > this.#clock.monotonicMs()) return write.object;
    this.#writes.delete(key);
    return undefined;
  }
}

function isNewer(one: KubeObject, other: KubeObject): boolean {
  const left = one.metadata.resourceVersion ?? '';
  const right = other.metadata.resourceVersion ?? '';
  if (!/^[1-9][0-9]*$/.test(left) || !/^[1-9][0-9]*$/.test(right)) return false;
  return left.length === right.length ? left > right : left.length > right.length;
}
