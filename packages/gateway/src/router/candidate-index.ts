import { type Affixed, AffixTable } from './affix-table.ts';
import type { CandidateBucket, Compare } from './candidate-bucket.ts';
import {
  bucketFor,
  collectBuckets,
  findBucket,
  type PathBuckets,
  withoutBucket,
} from './path-buckets.ts';
import { ScratchList } from './scratch-list.ts';
import type { TextKey } from './text-key.ts';

/** What must hold for a candidate to be looked at. A `null` list means that any value may match. */
export interface CandidateKeys {
  readonly hosts: readonly TextKey[] | null;
  readonly paths: readonly TextKey[] | null;
}

/** Hosts that start or end alike. */
class WildcardHost<T> implements Affixed {
  readonly text: string;
  sibling: this | undefined;
  buckets: PathBuckets<T> | undefined;

  constructor(text: string) {
    this.text = text;
  }
}

const anyKey: readonly null[] = [null];

/**
 * Finds, among many candidates, the few that a host and a path may match, in the order in which they
 * are to be tried, in time that does not grow with their number: hosts and paths are hashed by the texts
 * they must equal, start or end with. Candidates come and go one by one, at a cost that does not grow
 * with the others either.
 *
 * It never leaves out a candidate that matches, and it offers none whose keys do not fit.
 */
export class CandidateIndex<T> {
  readonly #compare: Compare<T>;
  readonly #equal = new Map<string, PathBuckets<T>>();
  readonly #prefix = new AffixTable<WildcardHost<T>>('prefix');
  readonly #suffix = new AffixTable<WildcardHost<T>>('suffix');
  #any: PathBuckets<T> | undefined;

  // What the search under way has found. One search ends before the next begins, so that none needs
  // memory of its own.
  readonly #found = new ScratchList<CandidateBucket<T>>();
  readonly #positions: number[] = [];
  readonly #wildcards = new ScratchList<WildcardHost<T>>();
  #last: CandidateBucket<T> | undefined;

  /** @param compare - negative if the first is to be tried before the second; 0 for the same one only */
  constructor(compare: Compare<T>) {
    this.#compare = compare;
  }

  add(candidate: T, { hosts, paths }: CandidateKeys): void {
    for (const host of hosts ?? anyKey) {
      let buckets = this.#bucketsOf(host);
      for (const path of paths ?? anyKey) {
        const found = bucketFor(buckets, path);
        found.bucket.insert(candidate, this.#compare);
        buckets = found.buckets;
      }
      this.#setBuckets(host, buckets);
    }
  }

  /** Takes a candidate out that was added with the same keys. */
  remove(candidate: T, { hosts, paths }: CandidateKeys): void {
    for (const host of hosts ?? anyKey) {
      let buckets = this.#bucketsOf(host);
      for (const path of paths ?? anyKey) {
        const bucket = buckets === undefined ? undefined : findBucket(buckets, path);
        bucket?.remove(candidate, this.#compare);
        if (buckets !== undefined && bucket?.isEmpty === true) {
          buckets = withoutBucket(buckets, bucket);
        }
      }
      this.#setBuckets(host, buckets);
    }
  }

  /** Begins a search; {@link next} brings its candidates. A host may be written in up to three ways. */
  search(path: string, host: string, secondHost = host, thirdHost = host): void {
    this.#found.clear();
    this.#last = undefined;
    this.#collectHost(path, host);
    if (secondHost !== host) {
      this.#collectHost(path, secondHost);
    }
    if (thirdHost !== host && thirdHost !== secondHost) {
      this.#collectHost(path, thirdHost);
    }
    if (this.#any !== undefined) {
      collectBuckets(this.#any, path, this.#found);
    }
    for (let index = 0; index < this.#found.size; index += 1) {
      this.#positions[index] = 0;
    }
  }

  /** The next candidate in order. One that several keys led to may come several times. */
  next(): T | undefined {
    const found = this.#found;
    const positions = this.#positions;
    let best: T | undefined;
    let bestIndex = 0;
    for (let index = 0; index < found.size; index += 1) {
      const head = found.at(index).at(positions[index] ?? 0);
      if (head !== undefined && (best === undefined || this.#compare(head, best) < 0)) {
        best = head;
        bestIndex = index;
      }
    }
    if (best !== undefined) {
      positions[bestIndex] = (positions[bestIndex] ?? 0) + 1;
      this.#last = found.at(bestIndex);
    }
    return best;
  }

  /** The text of the path's key by which the last candidate was found. */
  get pathText(): string | undefined {
    return this.#last?.key?.text;
  }

  #collectHost(path: string, host: string): void {
    const buckets = this.#equal.get(host);
    if (buckets !== undefined) {
      collectBuckets(buckets, path, this.#found);
    }
    if (this.#prefix.size === 0 && this.#suffix.size === 0) {
      return;
    }
    const wildcards = this.#wildcards;
    wildcards.clear();
    this.#prefix.collect(host, wildcards);
    this.#suffix.collect(host, wildcards);
    for (let index = 0; index < wildcards.size; index += 1) {
      const { buckets: others } = wildcards.at(index);
      if (others !== undefined) {
        collectBuckets(others, path, this.#found);
      }
    }
  }

  #bucketsOf(key: TextKey | null): PathBuckets<T> | undefined {
    if (key === null) {
      return this.#any;
    }
    return key.kind === 'equal'
      ? this.#equal.get(key.text)
      : this.#tableOf(key).get(key.text)?.buckets;
  }

  #setBuckets(key: TextKey | null, buckets: PathBuckets<T> | undefined): void {
    if (key === null) {
      this.#any = buckets;
      return;
    }
    if (key.kind === 'equal') {
      if (buckets === undefined) {
        this.#equal.delete(key.text);
      } else {
        this.#equal.set(key.text, buckets);
      }
      return;
    }
    const table = this.#tableOf(key);
    let host = table.get(key.text);
    if (buckets === undefined) {
      if (host !== undefined) {
        table.remove(host);
      }
      return;
    }
    if (host === undefined) {
      host = new WildcardHost(key.text);
      table.add(host);
    }
    host.buckets = buckets;
  }

  #tableOf(key: TextKey): AffixTable<WildcardHost<T>> {
    return key.kind === 'prefix' ? this.#prefix : this.#suffix;
  }
}
