/** A limit as nginx's `limit_req` has it: so many requests leak away each second, so many more are let in. */
export interface BucketLimit {
  /** What tells one bucket from another. */
  readonly key: string;
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  /** Requests that have not leaked away yet, beside the one that the rate allows. */
  excess: number;
  at: number;
  readonly perSecond: number;
}

/** Of one zone; the buckets that were used least recently make room. */
const maximumBuckets = 65_536;

/** Leaky buckets by zone: who fills many of one zone takes nothing from another. */
export class LeakyBuckets {
  readonly #zones = new Map<string, Map<string, Bucket>>();

  /** Whether a request is within all limits. Only then does it count, for each of them. */
  take(zone: string, limits: readonly BucketLimit[], now: number): boolean {
    let buckets = this.#zones.get(zone);
    if (buckets === undefined) {
      buckets = new Map();
      this.#zones.set(zone, buckets);
    }
    const filled: [string, Bucket][] = [];
    for (const { key, perSecond, burst } of limits) {
      const bucket = buckets.get(key);
      const excess = bucket === undefined ? 0 : Math.max(0, leaked(bucket, now) + 1);
      if (excess > burst) return false;
      filled.push([key, { excess, at: now, perSecond }]);
    }
    for (const [key, bucket] of filled) {
      buckets.delete(key);
      buckets.set(key, bucket);
    }
    this.#makeRoom(zone, buckets, now);
    return true;
  }

  /** Buckets that are remembered, of all zones. */
  get size(): number {
    let size = 0;
    for (const buckets of this.#zones.values()) size += buckets.size;
    return size;
  }

  /** The oldest are looked at with each request, so that what has leaked away is forgotten. */
  #makeRoom(zone: string, buckets: Map<string, Bucket>, now: number): void {
    let looked = 0;
    for (const [key, bucket] of buckets) {
      const isEmpty = leaked(bucket, now) + 1 <= 0;
      if (looked === 3 || !(isEmpty || buckets.size > maximumBuckets)) break;
      buckets.delete(key);
      looked += 1;
    }
    if (buckets.size === 0) this.#zones.delete(zone);
  }
}

function leaked({ excess, at, perSecond }: Bucket, now: number): number {
  return excess - (perSecond * Math.max(0, now - at)) / 1_000;
}
