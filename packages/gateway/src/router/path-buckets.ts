import { AffixTable } from './affix-table.ts';
import { CandidateBucket } from './candidate-bucket.ts';
import type { ScratchList } from './scratch-list.ts';
import type { TextKey } from './text-key.ts';

/** Up to so many paths of a host are looked through one by one: that needs little memory. */
const fewPaths = 6;

/**
 * The buckets of one host: a short chain of them, or a table once there are many. Most hosts have one
 * or two paths, so the first bucket stands for the host.
 */
export type PathBuckets<T> = CandidateBucket<T> | PathTable<T>;

/** The bucket of a key, made if it is not there, and what stands for the host from then on. */
export function bucketFor<T>(
  buckets: PathBuckets<T> | undefined,
  key: TextKey | null,
): { readonly buckets: PathBuckets<T>; readonly bucket: CandidateBucket<T> } {
  const known = buckets === undefined ? undefined : findBucket(buckets, key);
  if (buckets !== undefined && known !== undefined) {
    return { buckets, bucket: known };
  }
  const bucket = new CandidateBucket<T>(key);
  if (buckets instanceof PathTable) {
    buckets.add(bucket);
    return { buckets, bucket };
  }
  bucket.next = buckets;
  let count = 0;
  for (let one: CandidateBucket<T> | undefined = bucket; one !== undefined; one = one.next) {
    count += 1;
  }
  return { buckets: count > fewPaths ? tableOf(bucket) : bucket, bucket };
}

export function findBucket<T>(
  buckets: PathBuckets<T>,
  key: TextKey | null,
): CandidateBucket<T> | undefined {
  if (buckets instanceof PathTable) {
    return buckets.find(key);
  }
  let bucket: CandidateBucket<T> | undefined = buckets;
  while (bucket !== undefined && !isSameKey(bucket.key, key)) {
    bucket = bucket.next;
  }
  return bucket;
}

/** What stands for the host without an emptied bucket; undefined if it was the last. */
export function withoutBucket<T>(
  buckets: PathBuckets<T>,
  bucket: CandidateBucket<T>,
): PathBuckets<T> | undefined {
  if (buckets instanceof PathTable) {
    buckets.remove(bucket);
    return buckets.isEmpty ? undefined : buckets;
  }
  if (buckets === bucket) {
    return bucket.next;
  }
  let before: CandidateBucket<T> | undefined = buckets;
  while (before !== undefined && before.next !== bucket) {
    before = before.next;
  }
  if (before !== undefined) {
    before.next = bucket.next;
  }
  return buckets;
}

/** Appends the buckets whose candidates a path may match. */
export function collectBuckets<T>(
  buckets: PathBuckets<T>,
  path: string,
  into: ScratchList<CandidateBucket<T>>,
): void {
  if (buckets instanceof PathTable) {
    buckets.collect(path, into);
    return;
  }
  for (let one: CandidateBucket<T> | undefined = buckets; one !== undefined; one = one.next) {
    if (one.fits(path)) {
      into.push(one);
    }
  }
}

function tableOf<T>(chain: CandidateBucket<T>): PathTable<T> {
  const table = new PathTable<T>();
  let bucket: CandidateBucket<T> | undefined = chain;
  while (bucket !== undefined) {
    const { next }: CandidateBucket<T> = bucket;
    bucket.next = undefined;
    table.add(bucket);
    bucket = next;
  }
  return table;
}

function isSameKey(one: TextKey | null, two: TextKey | null): boolean {
  return one?.kind === two?.kind && one?.text === two?.text;
}

/** Any number of buckets, by the texts that they ask for. */
export class PathTable<T> {
  #any: CandidateBucket<T> | undefined;
  readonly #equal = new Map<string, CandidateBucket<T>>();
  readonly #prefix = new AffixTable<CandidateBucket<T>>('prefix');
  readonly #suffix = new AffixTable<CandidateBucket<T>>('suffix');

  get isEmpty(): boolean {
    return (
      this.#any === undefined &&
      this.#equal.size === 0 &&
      this.#prefix.size === 0 &&
      this.#suffix.size === 0
    );
  }

  find(key: TextKey | null): CandidateBucket<T> | undefined {
    switch (key?.kind) {
      case 'equal':
        return this.#equal.get(key.text);
      case 'prefix':
        return this.#prefix.get(key.text);
      case 'suffix':
        return this.#suffix.get(key.text);
      default:
        return this.#any;
    }
  }

  add(bucket: CandidateBucket<T>): void {
    switch (bucket.key?.kind) {
      case 'equal':
        this.#equal.set(bucket.text, bucket);
        return;
      case 'prefix':
        this.#prefix.add(bucket);
        return;
      case 'suffix':
        this.#suffix.add(bucket);
        return;
      default:
        this.#any = bucket;
    }
  }

  remove(bucket: CandidateBucket<T>): void {
    switch (bucket.key?.kind) {
      case 'equal':
        this.#equal.delete(bucket.text);
        return;
      case 'prefix':
        this.#prefix.remove(bucket);
        return;
      case 'suffix':
        this.#suffix.remove(bucket);
        return;
      default:
        this.#any = undefined;
    }
  }

  collect(path: string, into: ScratchList<CandidateBucket<T>>): void {
    const equal = this.#equal.size === 0 ? undefined : this.#equal.get(path);
    if (equal !== undefined) {
      into.push(equal);
    }
    this.#prefix.collect(path, into);
    this.#suffix.collect(path, into);
    if (this.#any !== undefined) {
      into.push(this.#any);
    }
  }
}
