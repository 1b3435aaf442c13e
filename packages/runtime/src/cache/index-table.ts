import { RuntimeError } from '../runtime-error.ts';
import type { Indexers, IndexFunction } from './store.ts';

interface Index<T> {
  readonly name: string;
  readonly indexFunction: IndexFunction<T>;
  /** No bucket is empty: one left behind for each value ever seen would be a leak. */
  readonly buckets: Map<string, Bucket<T>>;
}

/** The objects that have a value in an index, in no particular order. */
interface Bucket<T> {
  readonly value: string;
  readonly places: Place<T>[];
}

/** An object in a bucket. It knows where it is, so that it leaves without being searched for. */
interface Place<T> {
  readonly slot: Slot<T>;
  readonly bucket: Bucket<T>;
  /** `bucket.places[position]` is this place. */
  position: number;
}

/** Where an object is in one index. Mostly in one bucket: then without an array around it. */
type Places<T> = Place<T> | readonly Place<T>[];

/**
 * An object and where the indices have it, an entry for each index. What an object had before it
 * changed is known without asking its index functions again, and without reading the old object.
 */
interface Slot<T> {
  readonly key: string;
  object: T;
  places: Places<T>[];
}

/** Objects by key, as a table had them. */
export interface ObjectsByKey<T> extends Iterable<[string, T]> {
  readonly size: number;
  get(key: string): T | undefined;
}

/** An object and its key. */
interface KeyedObject<T> {
  readonly key: string;
  readonly object: T;
}

/** Objects by key, and for each index those that have a value. */
export class IndexTable<T> implements ObjectsByKey<T> {
  readonly #slots = new Map<string, Slot<T>>();
  readonly #indices: Index<T>[] = [];

  constructor(indexers: Indexers<T> = {}) {
    for (const [name, indexFunction] of Object.entries(indexers))
      this.#indices.push({ name, indexFunction, buckets: new Map() });
  }

  get size(): number {
    return this.#slots.size;
  }

  get(key: string): T | undefined {
    return this.#slots.get(key)?.object;
  }

  keys(): IterableIterator<string> {
    return this.#slots.keys();
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const [key, { object }] of this.#slots) yield [key, object];
  }

  list(): T[] {
    const objects: T[] = [];
    for (const { object } of this.#slots.values()) objects.push(object);
    return objects;
  }

  /** An empty table with the same indices. */
  emptyCopy(): IndexTable<T> {
    return new IndexTable(this.indexers());
  }

  indexers(): Indexers<T> {
    return Object.fromEntries(
      this.#indices.map(({ name, indexFunction }) => [name, indexFunction]),
    );
  }

  /** Adds indices and fills them from what is there. Nothing is changed when one cannot be added. */
  addIndexers(indexers: Indexers<T>): void {
    for (const name of Object.keys(indexers))
      if (this.#indices.some((index) => index.name === name))
        throw new RuntimeError('WG_RUNTIME_INDEX', `the index ${name} exists already`);
    const added = Object.entries(indexers).map(([name, indexFunction]) => {
      const index: Index<T> = { name, indexFunction, buckets: new Map() };
      const values = [...this.#slots.values()].map(({ object }) => valuesOf(index, object));
      return { index, values };
    });
    for (const { index, values } of added) {
      let position = 0;
      for (const slot of this.#slots.values())
        slot.places = [...slot.places, enter(index, values[position++]!, slot)];
      this.#indices.push(index);
    }
  }

  /**
   * Sets an object, and gives back the one that was there. When an index function throws, nothing has
   * been changed.
   */
  put(key: string, object: T): T | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) {
      this.#add(key, object);
      return undefined;
    }
    const previous = slot.object;
    if (this.#indices.length > 0) this.#moveAll(slot, object);
    slot.object = object;
    return previous;
  }

  /** Removes what is stored under the key. */
  remove(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    for (const [position, index] of this.#indices.entries()) leave(index, slot.places[position]!);
    this.#slots.delete(key);
  }

  /** What has a value in an index, in no particular order. */
  *withValue(indexName: string, value: string): IterableIterator<KeyedObject<T>> {
    const bucket = this.#indexNamed(indexName).buckets.get(value);
    if (bucket !== undefined) for (const { slot } of bucket.places) yield slot;
  }

  valuesOf(indexName: string): string[] {
    return [...this.#indexNamed(indexName).buckets.keys()];
  }

  /** The values that an object would have in an index. */
  valuesFor(indexName: string, object: T): readonly string[] {
    return valuesOf(this.#indexNamed(indexName), object);
  }

  #add(key: string, object: T): void {
    const indices = this.#indices;
    const slot: Slot<T> = { key, object, places: nowhere };
    if (indices.length > 0) {
      // All values are known before anything is changed, as an index function may throw.
      const values: (readonly string[])[] = [];
      for (const index of indices) values.push(valuesOf(index, object));
      slot.places = [];
      for (let position = 0; position < indices.length; position++)
        slot.places.push(enter(indices[position]!, values[position]!, slot));
    }
    this.#slots.set(key, slot);
  }

  #moveAll(slot: Slot<T>, object: T): void {
    const indices = this.#indices;
    let moves: Move<T>[] | undefined;
    for (let position = 0; position < indices.length; position++) {
      const index = indices[position]!;
      const values = valuesOf(index, object);
      if (values.length === 1 && isOnlyIn(slot.places[position]!, values[0]!)) continue;
      moves ??= [];
      moves.push({ index, position, values });
    }
    if (moves === undefined) return;
    for (const { index, position, values } of moves) {
      leave(index, slot.places[position]!);
      slot.places[position] = enter(index, values, slot);
    }
  }

  #indexNamed(name: string): Index<T> {
    const index = this.#indices.find((candidate) => candidate.name === name);
    if (index === undefined)
      throw new RuntimeError('WG_RUNTIME_INDEX', `there is no index ${name}`);
    return index;
  }
}

/** Of all objects in a table without indices. Never changed. */
const nowhere: never[] = [];

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

function isOnlyIn<T>(places: Places<T>, value: string): boolean {
  return 'bucket' in places && places.bucket.value === value;
}

function enter<T>(index: Index<T>, values: readonly string[], slot: Slot<T>): Places<T> {
  if (values.length === 1) return enterBucket(index, values[0]!, slot);
  return [...new Set(values)].map((value) => enterBucket(index, value, slot));
}

function enterBucket<T>(index: Index<T>, value: string, slot: Slot<T>): Place<T> {
  let bucket = index.buckets.get(value);
  if (bucket === undefined) {
    bucket = { value, places: [] };
    index.buckets.set(value, bucket);
  }
  const place = { slot, bucket, position: bucket.places.length };
  bucket.places.push(place);
  return place;
}

function leave<T>(index: Index<T>, places: Places<T>): void {
  if ('bucket' in places) leaveBucket(index, places);
  else for (const place of places) leaveBucket(index, place);
}

/** The last one of the bucket takes the place that becomes free. */
function leaveBucket<T>(index: Index<T>, { bucket, position }: Place<T>): void {
  const last = bucket.places.pop()!;
  if (bucket.places.length === 0) index.buckets.delete(bucket.value);
  if (position === bucket.places.length) return;
  bucket.places[position] = last;
  last.position = position;
}
