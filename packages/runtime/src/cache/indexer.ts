import type { TurnKeeper } from '../time/turn-keeper.ts';
import { IndexTable, type ObjectsByKey } from './index-table.ts';
import type { KeyFunction } from './object-key.ts';
import { metaNamespaceKey } from './object-key.ts';
import type { ReflectorStore } from './reflector-store.ts';
import type { Indexers, IndexReader, Transaction, TransactionFailure } from './store.ts';

/** The name of the index that `namespaceIndexer` fills. */
export const namespaceIndex = 'namespace';

interface HasNamespace {
  readonly metadata: { readonly namespace?: string };
}

/**
 * An index by namespace; cluster-scoped objects are under the empty value.
 *
 * ```ts
 * const pods = new Indexer<Pod>({ indexers: namespaceIndexer });
 * pods.add({ metadata: { name: 'a', namespace: 'shop' } });
 * pods.byIndex(namespaceIndex, 'shop').length; // 1
 * ```
 */
export const namespaceIndexer = {
  [namespaceIndex]: (object: HasNamespace) => [object.metadata.namespace ?? ''],
} as const;

/** How a store names and indexes objects. */
export interface IndexerOptions<T> {
  readonly keyFunction?: KeyFunction<T>;
  /** The version of an object, if it has one. Opaque. */
  readonly resourceVersionOf?: (object: T) => string | undefined;
  readonly indexers?: Indexers<T>;
}

/**
 * Objects by key, with any number of indices over them. Objects are shared, not copied:
 * who reads one must not change it.
 *
 * ```ts
 * const pods = new Indexer<Pod>({ indexers: { node: (pod) => [pod.spec?.nodeName ?? ''] } });
 * pods.byIndex('node', 'worker-1');
 * ```
 */
export class Indexer<T> implements IndexReader<T>, ReflectorStore<T> {
  readonly #keyFunction: KeyFunction<T>;
  readonly #resourceVersionOf: (object: T) => string | undefined;
  #table: IndexTable<T>;
  #resourceVersion = '';

  constructor(options: IndexerOptions<T> = {}) {
    this.#keyFunction = options.keyFunction ?? (metaNamespaceKey as KeyFunction<T>);
    this.#resourceVersionOf = options.resourceVersionOf ?? metadataResourceVersion;
    this.#table = new IndexTable(options.indexers);
  }

  get size(): number {
    return this.#table.size;
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  keyOf(object: T): string {
    return this.#keyFunction(object);
  }

  /** As `keyOf`, for an object that may have none. */
  keyOrUndefined(object: T): string | undefined {
    try {
      return this.#keyFunction(object);
    } catch {
      return undefined;
    }
  }

  add(object: T): void {
    this.put(this.#keyFunction(object), object);
  }

  update(object: T): void {
    this.put(this.#keyFunction(object), object);
  }

  delete(object: T): void {
    this.remove(this.#keyFunction(object), object);
  }

  /** Sets the object of a key, and gives back the one that was there. */
  put(key: string, object: T): T | undefined {
    const previous = this.#table.put(key, object);
    this.#noteVersionOf(object);
    return previous;
  }

  /** Removes a key. `object` is the final state, if it is known: its version counts. */
  remove(key: string, object?: T): void {
    this.#table.remove(key);
    if (object !== undefined) this.#noteVersionOf(object);
  }

  /** Replaces everything, and gives back what was there before. */
  replace(objects: readonly T[], resourceVersion: string): ObjectsByKey<T> {
    const next = this.#table.emptyCopy();
    for (const object of objects) next.put(this.#keyFunction(object), object);
    return this.#swap(next, resourceVersion);
  }

  /**
   * As `replace`, giving timers and sockets their turn meanwhile, and leaving out an object that has
   * no key or fails an index function. Readers see the old content until all of the new is there;
   * nothing else may write in between.
   */
  async replaceInTurns(
    objects: readonly T[],
    resourceVersion: string,
    turns: TurnKeeper,
    onError: (error: unknown) => void,
  ): Promise<ObjectsByKey<T>> {
    const next = this.#table.emptyCopy();
    for (const object of objects) {
      try {
        next.put(this.#keyFunction(object), object);
      } catch (error) {
        onError(error);
      }
      const turn = turns.step();
      if (turn !== undefined) await turn;
    }
    return this.#swap(next, resourceVersion);
  }

  /** Replaces everything by raw keys. */
  replaceKeyed(items: Iterable<readonly [string, T]>, resourceVersion: string): void {
    const next = this.#table.emptyCopy();
    for (const [key, object] of items) next.put(key, object);
    this.#swap(next, resourceVersion);
  }

  /** A store has nothing to say again; the FIFO in front of it has. */
  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** Does all that works. Undefined when everything did. */
  transaction(entries: readonly Transaction<T>[]): TransactionFailure | undefined {
    const successfulIndices: number[] = [];
    const errors: unknown[] = [];
    for (const [position, { type, object }] of entries.entries()) {
      try {
        if (type === 'delete') this.delete(object);
        else this.add(object);
        successfulIndices.push(position);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 0) return undefined;
    return { total: entries.length, successfulIndices, errors };
  }

  list(): T[] {
    return this.#table.list();
  }

  listKeys(): string[] {
    return [...this.#table.keys()];
  }

  /** Walks over what is there without copying it. */
  entries(): IterableIterator<[string, T]> {
    return this.#table[Symbol.iterator]();
  }

  get(object: T): T | undefined {
    return this.#table.get(this.#keyFunction(object));
  }

  getByKey(key: string): T | undefined {
    return this.#table.get(key);
  }

  index(indexName: string, object: T): T[] {
    const found = new Map<string, T>();
    for (const value of this.#table.valuesFor(indexName, object))
      for (const one of this.#table.withValue(indexName, value)) found.set(one.key, one.object);
    return [...found.values()];
  }

  indexKeys(indexName: string, value: string): string[] {
    return Array.from(this.#table.withValue(indexName, value), ({ key }) => key).sort();
  }

  byIndex(indexName: string, value: string): T[] {
    return Array.from(this.#table.withValue(indexName, value), ({ object }) => object);
  }

  listIndexFuncValues(indexName: string): string[] {
    return this.#table.valuesOf(indexName);
  }

  indexers(): Indexers<T> {
    return this.#table.indexers();
  }

  /** Adds indices; what is stored already is found through them too. */
  addIndexers(indexers: Indexers<T>): void {
    this.#table.addIndexers(indexers);
  }

  #swap(next: IndexTable<T>, resourceVersion: string): ObjectsByKey<T> {
    const previous = this.#table;
    this.#table = next;
    this.#resourceVersion = resourceVersion;
    return previous;
  }

  #noteVersionOf(object: T): void {
    const resourceVersion = this.#resourceVersionOf(object);
    if (resourceVersion !== undefined && resourceVersion !== '')
      this.#resourceVersion = resourceVersion;
  }
}

/**
 * What the API put into `metadata.resourceVersion`, if the object has one.
 *
 * ```ts
 * metadataResourceVersion({ metadata: { resourceVersion: '7' } }); // '7'
 * ```
 */
export function metadataResourceVersion(object: unknown): string | undefined {
  return (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
}
