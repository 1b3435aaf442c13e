import { RuntimeError } from './runtime-error.ts';
import type { Indexers, IndexFunction } from './store.ts';

interface Index<T> {
  readonly name: string;
  readonly indexFunction: IndexFunction<T>;
  /** No bucket is empty: one left behind for each value ever seen would be a leak. */
  readonly buckets: Map<string, Bucket>;
}

/** The keys that have a value in an index. */
interface Bucket {
  readonly value: string;
  readonly keys: Set<string>;
}

/** The buckets that an object is in, of one index. Mostly one: then without an array around it. */
type Place = Bucket | readonly Bucket[];

/**
 * An object and where the indices have it, an entry for each index. What an object had before it
 * changed is known without asking its index functions again, and without reading the old object.
 */
interface Slot<T> {
  object: T;
  places: Place[];
}

/** Objects by key, as a table had them. */
export interface ObjectsByKey<T> extends Iterable<[string, T]> {
  readonly size: number;
  get(key: string): T | undefined;
}

/** Objects by key, and for each index the keys that have a value. */
export class IndexTable<T> implements ObjectsByKey<T> {
  private readonly slots = new Map<string, Slot<T>>();
  private readonly indices: Index<T>[] = [];

  constructor(indexers: Indexers<T> = {}) {
    for (const [name, indexFunction] of Object.entries(indexers))
      this.indices.push({ name, indexFunction, buckets: new Map() });
  }

  get size(): number {
    return this.slots.size;
  }

  get(key: string): T | undefined {
    return this.slots.get(key)?.object;
  }

  keys(): IterableIterator<string> {
    return this.slots.keys();
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const [key, { object }] of this.slots) yield [key, object];
  }

  list(): T[] {
    const objects: T[] = [];
    for (const { object } of this.slots.values()) objects.push(object);
    return objects;
  }

  /** An empty table with the same indices. */
  emptyCopy(): IndexTable<T> {
    return new IndexTable(this.indexers());
  }

  indexers(): Indexers<T> {
    return Object.fromEntries(this.indices.map(({ name, indexFunction }) => [name, indexFunction]));
  }

  /** Adds indices and fills them from what is there. Nothing is changed when one cannot be added. */
  addIndexers(indexers: Indexers<T>): void {
    for (const name of Object.keys(indexers))
      if (this.indices.some((index) => index.name === name))
        throw new RuntimeError('WG_RUNTIME_INDEX', `the index ${name} exists already`);
    const added = Object.entries(indexers).map(([name, indexFunction]) => {
      const index: Index<T> = { name, indexFunction, buckets: new Map() };
      const values = [...this.slots.values()].map(({ object }) => valuesOf(index, object));
      return { index, values };
    });
    for (const { index, values } of added) {
      let position = 0;
      for (const [key, slot] of this.slots)
        slot.places = [...slot.places, enter(index, values[position++]!, key)];
      this.indices.push(index);
    }
  }

  /**
   * Sets an object, and gives back the one that was there. When an index function throws, nothing has
   * been changed.
   */
  put(key: string, object: T): T | undefined {
    const slot = this.slots.get(key);
    if (slot === undefined) {
      this.slots.set(key, { object, places: this.enterAll(key, object) });
      return undefined;
    }
    const previous = slot.object;
    if (this.indices.length > 0) this.moveAll(slot, key, object);
    slot.object = object;
    return previous;
  }

  /** Removes what is stored under the key. */
  remove(key: string): void {
    const slot = this.slots.get(key);
    if (slot === undefined) return;
    for (const [position, index] of this.indices.entries())
      leave(index, slot.places[position]!, key);
    this.slots.delete(key);
  }

  private enterAll(key: string, object: T): Place[] {
    const { indices } = this;
    if (indices.length === 0) return nowhere;
    // All values are known before anything is changed, as an index function may throw.
    const values = indices.map((index) => valuesOf(index, object));
    return values.map((ofIndex, position) => enter(indices[position]!, ofIndex, key));
  }

  private moveAll(slot: Slot<T>, key: string, object: T): void {
    const { indices } = this;
    let moves: Move<T>[] | undefined;
    for (let position = 0; position < indices.length; position++) {
      const index = indices[position]!;
      const values = valuesOf(index, object);
      if (values.length === 1 && (slot.places[position] as Bucket).value === values[0]) continue;
      moves ??= [];
      moves.push({ index, position, values });
    }
    if (moves === undefined) return;
    for (const { index, position, values } of moves) {
      leave(index, slot.places[position]!, key);
      slot.places[position] = enter(index, values, key);
    }
  }

  /** The keys that have a value in an index. */
  keysOf(indexName: string, value: string): ReadonlySet<string> {
    return this.indexNamed(indexName).buckets.get(value)?.keys ?? noKeys;
  }

  valuesOf(indexName: string): string[] {
    return [...this.indexNamed(indexName).buckets.keys()];
  }

  /** The values that an object would have in an index. */
  valuesFor(indexName: string, object: T): readonly string[] {
    return valuesOf(this.indexNamed(indexName), object);
  }

  private indexNamed(name: string): Index<T> {
    const index = this.indices.find((candidate) => candidate.name === name);
    if (index === undefined)
      throw new RuntimeError('WG_RUNTIME_INDEX', `there is no index ${name}`);
    return index;
  }
}

const noKeys: ReadonlySet<string> = new Set();
/** Of all objects in a table without indices. Never changed. */
const nowhere: Place[] = [];

function valuesOf<T>(index: Index<T>, object: T): readonly string[] {
  try {
    return index.indexFunction(object);
  } catch (cause) {
    throw new RuntimeError(
      'WG_RUNTIME_INDEX_FUNCTION',
      `the index function of ${index.name} failed`,
      { cause },
    );
  }
}

/** What has to be done to one index when an object changes. */
interface Move<T> {
  readonly index: Index<T>;
  readonly position: number;
  readonly values: readonly string[];
}

function enter<T>(index: Index<T>, values: readonly string[], key: string): Place {
  if (values.length === 1) return addKey(index, values[0]!, key);
  return values.map((value) => addKey(index, value, key));
}

function addKey<T>(index: Index<T>, value: string, key: string): Bucket {
  let bucket = index.buckets.get(value);
  if (bucket === undefined) {
    bucket = { value, keys: new Set() };
    index.buckets.set(value, bucket);
  }
  bucket.keys.add(key);
  return bucket;
}

function leave<T>(index: Index<T>, place: Place, key: string): void {
  if (!('length' in place)) removeKey(index, place, key);
  else for (const bucket of place) removeKey(index, bucket, key);
}

function removeKey<T>(index: Index<T>, { value, keys }: Bucket, key: string): void {
  keys.delete(key);
  if (keys.size === 0) index.buckets.delete(value);
}
