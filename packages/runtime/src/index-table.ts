import { RuntimeError } from './runtime-error.ts';
import type { Indexers, IndexFunction } from './store.ts';

interface Index<T> {
  readonly name: string;
  readonly indexFunction: IndexFunction<T>;
  /** No set is empty: one left behind for each value ever seen would be a leak. */
  readonly keysByValue: Map<string, Set<string>>;
}

/** Objects by key, and for each index the keys that have a value. */
export class IndexTable<T> {
  readonly items = new Map<string, T>();
  private readonly indices: Index<T>[] = [];

  constructor(indexers: Indexers<T> = {}) {
    for (const [name, indexFunction] of Object.entries(indexers))
      this.indices.push({ name, indexFunction, keysByValue: new Map() });
  }

  /** An empty table with the same indices. */
  emptyCopy(): IndexTable<T> {
    return new IndexTable(this.indexers());
  }

  indexers(): Indexers<T> {
    return Object.fromEntries(this.indices.map(({ name, indexFunction }) => [name, indexFunction]));
  }

  /** Adds indices and fills them from what is there. Nothing is changed when a name is taken. */
  addIndexers(indexers: Indexers<T>): void {
    const added = Object.entries(indexers).map(([name, indexFunction]): Index<T> => {
      if (this.indices.some((index) => index.name === name))
        throw new RuntimeError('WG_RUNTIME_INDEX', `the index ${name} exists already`);
      return { name, indexFunction, keysByValue: new Map() };
    });
    for (const index of added) {
      for (const [key, object] of this.items)
        for (const value of valuesOf(index, object)) addKey(index, value, key);
    }
    this.indices.push(...added);
  }

  /** Sets an object. When an index function throws, nothing has been changed. */
  put(key: string, object: T): void {
    const indices = this.indices;
    if (indices.length === 0) {
      this.items.set(key, object);
      return;
    }
    const old = this.items.get(key);
    // All values are known before anything is changed, as an index function may throw.
    let moves: Move<T>[] | undefined;
    for (const index of indices) {
      const next = valuesOf(index, object);
      const previous = old === undefined ? noValues : valuesOf(index, old);
      if (previous.length === 1 && next.length === 1 && previous[0] === next[0]) continue;
      moves ??= [];
      moves.push({ index, previous, next });
    }
    if (moves !== undefined) for (const move of moves) apply(move, key);
    this.items.set(key, object);
  }

  /** Removes what is stored under the key, by the index values of the stored object. */
  remove(key: string): void {
    const old = this.items.get(key);
    if (old === undefined) return;
    for (const index of this.indices)
      for (const value of valuesOf(index, old)) removeKey(index, value, key);
    this.items.delete(key);
  }

  /** The keys that have a value in an index. */
  keysOf(indexName: string, value: string): ReadonlySet<string> {
    return this.indexNamed(indexName).keysByValue.get(value) ?? noKeys;
  }

  valuesOf(indexName: string): string[] {
    return [...this.indexNamed(indexName).keysByValue.keys()];
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
  readonly previous: readonly string[];
  readonly next: readonly string[];
}

const noValues: readonly string[] = [];

function apply<T>({ index, previous, next }: Move<T>, key: string): void {
  for (const value of previous) removeKey(index, value, key);
  for (const value of next) addKey(index, value, key);
}

function addKey<T>(index: Index<T>, value: string, key: string): void {
  const keys = index.keysByValue.get(value);
  if (keys === undefined) index.keysByValue.set(value, new Set([key]));
  else keys.add(key);
}

function removeKey<T>(index: Index<T>, value: string, key: string): void {
  const keys = index.keysByValue.get(value);
  if (keys === undefined) return;
  keys.delete(key);
  if (keys.size === 0) index.keysByValue.delete(value);
}
