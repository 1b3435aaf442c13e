import type { KnownObjects } from './known-objects.ts';

/** The values that an object has in an index; several make it findable under each. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Index functions by the name of their index. */
export type Indexers<T> = Readonly<Record<string, IndexFunction<T>>>;

/** What readers of a cache may do. Objects are shared: never change one. */
export interface StoreReader<T> extends KnownObjects<T> {
  list(): T[];
  listKeys(): string[];
  getByKey(key: string): T | undefined;
  /** The stored object with the key of the given one. */
  get(object: T): T | undefined;
  readonly size: number;
  /** The newest version that the store has been told of. Opaque. */
  readonly lastStoreSyncResourceVersion: string;
}

/** What readers of an indexed cache may do. Each throws for an index that does not exist. */
export interface IndexReader<T> extends StoreReader<T> {
  /** Objects that share a value with the given one, each once. */
  index(indexName: string, object: T): T[];
  /** Keys of the objects that have a value, sorted. */
  indexKeys(indexName: string, value: string): string[];
  byIndex(indexName: string, value: string): T[];
  listIndexFuncValues(indexName: string): string[];
}

/** What a change of a store does. */
export type TransactionType = 'add' | 'update' | 'delete';

/** One of several changes of a store. */
export interface Transaction<T> {
  readonly type: TransactionType;
  readonly object: T;
}

/** A transaction of which some entries did not work. The others did. */
export interface TransactionFailure {
  readonly total: number;
  readonly successfulIndices: readonly number[];
  readonly errors: readonly unknown[];
}
