/** A text that a value must equal, start with or end with. */
export interface TextKey {
  readonly kind: 'equal' | 'prefix' | 'suffix';
  readonly text: string;
}

/** One thing that can be looked for. A `null` list of keys means that any value may match. */
export interface Candidate<T> {
  /** Smaller is tried first. Unique. */
  readonly rank: number;
  readonly hosts: readonly TextKey[] | null;
  readonly paths: readonly TextKey[] | null;
  readonly value: T;
}

/**
 * Finds, among many candidates, the few that a host and a path may match, in rank order, in time that
 * does not grow with their number: hosts and paths are hashed by the texts they must equal, start or
 * end with, once for every length in which such texts occur.
 *
 * It never leaves out a candidate that matches; it may offer one that does not.
 */
export class CandidateIndex<T> {
  readonly #byHost = new TextIndex<PathIndex<T>>();

  constructor(candidates: readonly Candidate<T>[]) {
    const sorted = isSorted(candidates) ? candidates : candidates.toSorted(byRank);
    for (const candidate of sorted) {
      for (const key of candidate.hosts ?? [null]) {
        this.#byHost.at(key, () => new PathIndex<T>()).add(candidate);
      }
    }
  }

  /** Calls `accept` in rank order until it returns something. A candidate may be offered twice. */
  find<R>(
    hosts: readonly string[],
    path: string,
    accept: (value: T) => R | undefined,
  ): R | undefined {
    const lists: (readonly Candidate<T>[])[] = [];
    for (const index of this.#byHost.lookup(hosts)) {
      index.collect(path, lists);
    }
    return mergeFind(lists, accept);
  }
}

function byRank(a: Candidate<unknown>, b: Candidate<unknown>): number {
  return a.rank - b.rank;
}

function isSorted(candidates: readonly Candidate<unknown>[]): boolean {
  return candidates.every(({ rank }, index) => rank >= (candidates[index - 1]?.rank ?? rank));
}

interface PathEntry<T> {
  readonly key: TextKey | null;
  readonly bucket: Candidate<T>[];
}

/** Up to so many paths of a host are looked through one by one: that needs little memory. */
const fewPaths = 6;

/** The candidates of one host, of which there are mostly one or two: they must not take much memory. */
class PathIndex<T> {
  #few: PathEntry<T>[] | undefined = [];
  #many: TextIndex<Candidate<T>[]> | undefined;

  add(candidate: Candidate<T>): void {
    for (const key of candidate.paths ?? [null]) {
      const bucket = this.#bucketOf(key);
      if (bucket.at(-1) !== candidate) {
        bucket.push(candidate);
      }
    }
  }

  collect(path: string, into: (readonly Candidate<T>[])[]): void {
    if (this.#few === undefined) {
      into.push(...(this.#many?.lookup([path]) ?? []));
      return;
    }
    for (const { key, bucket } of this.#few) {
      if (isPossible(key, path)) {
        into.push(bucket);
      }
    }
  }

  #bucketOf(key: TextKey | null): Candidate<T>[] {
    if (this.#few === undefined) {
      return this.#many?.at(key, () => []) ?? [];
    }
    const known = this.#few.find(
      (entry) => entry.key?.kind === key?.kind && entry.key?.text === key?.text,
    );
    if (known !== undefined) {
      return known.bucket;
    }
    const bucket: Candidate<T>[] = [];
    this.#few.push({ key, bucket });
    if (this.#few.length > fewPaths) {
      this.#many = new TextIndex();
      for (const entry of this.#few) {
        this.#many.at(entry.key, () => entry.bucket);
      }
      this.#few = undefined;
    }
    return bucket;
  }
}

function isPossible(key: TextKey | null, text: string): boolean {
  switch (key?.kind) {
    case 'equal':
      return text === key.text;
    case 'prefix':
      return text.startsWith(key.text);
    case 'suffix':
      return text.endsWith(key.text);
    default:
      return true;
  }
}

/** Values by the texts that a key asks for. */
class TextIndex<V> {
  #any: V | undefined;
  readonly #equal = new Map<string, V>();
  readonly #prefix = new LengthMap<V>();
  readonly #suffix = new LengthMap<V>();

  at(key: TextKey | null, create: () => V): V {
    if (key === null) {
      this.#any ??= create();
      return this.#any;
    }
    const map = { equal: this.#equal, prefix: this.#prefix, suffix: this.#suffix }[key.kind];
    let value = map.get(key.text);
    if (value === undefined) {
      value = create();
      map.set(key.text, value);
    }
    return value;
  }

  lookup(texts: readonly string[]): V[] {
    const found: V[] = [];
    for (const text of texts) {
      const equal = this.#equal.get(text);
      if (equal !== undefined) {
        found.push(equal);
      }
      for (const length of this.#prefix.lengths) {
        const value = length <= text.length ? this.#prefix.get(text.slice(0, length)) : undefined;
        if (value !== undefined) {
          found.push(value);
        }
      }
      for (const length of this.#suffix.lengths) {
        const start = text.length - length;
        const value = start >= 0 ? this.#suffix.get(text.slice(start)) : undefined;
        if (value !== undefined) {
          found.push(value);
        }
      }
    }
    if (this.#any !== undefined) {
      found.push(this.#any);
    }
    return found;
  }
}

class LengthMap<V> {
  readonly #values = new Map<string, V>();
  readonly #lengths = new Set<number>();

  get lengths(): Iterable<number> {
    return this.#lengths;
  }

  get(text: string): V | undefined {
    return this.#values.get(text);
  }

  set(text: string, value: V): void {
    this.#values.set(text, value);
    this.#lengths.add(text.length);
  }
}

/** Walks sorted lists as if they were one. There are few of them, so the heads are simply scanned. */
function mergeFind<T, R>(
  lists: readonly (readonly Candidate<T>[])[],
  accept: (value: T) => R | undefined,
): R | undefined {
  const positions = new Array<number>(lists.length).fill(0);
  for (;;) {
    let best: Candidate<T> | undefined;
    let bestList = -1;
    for (let index = 0; index < lists.length; index += 1) {
      const head = lists[index]?.[positions[index] ?? 0];
      if (head !== undefined && (best === undefined || head.rank < best.rank)) {
        best = head;
        bestList = index;
      }
    }
    if (best === undefined) {
      return undefined;
    }
    positions[bestList] = (positions[bestList] ?? 0) + 1;
    const result = accept(best.value);
    if (result !== undefined) {
      return result;
    }
  }
}
