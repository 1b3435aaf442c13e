import type { CoreEvent } from '@waygate/schema';
import type { Clock } from '../time/clock.ts';
import { LruMap } from './lru-map.ts';

interface EventSpamFilterOptions {
  readonly clock: Clock;
  /** Events that one key may send at once. 25. */
  readonly burst?: number;
  /** Events a second that it gets back. One in five minutes. */
  readonly qps?: number;
  readonly cacheSize?: number;
  /** Events with one key share one budget: by default source, object and type. */
  readonly spamKey?: (event: CoreEvent) => string;
}

interface Bucket {
  tokens: number;
  readMs: number;
}

/** Drops the events of a source on an object that come faster than its bucket refills. */
export class EventSpamFilter {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #tokensPerMs: number;
  readonly #spamKey: (event: CoreEvent) => string;
  readonly #buckets: LruMap<string, Bucket>;

  constructor(options: EventSpamFilterOptions) {
    this.#clock = options.clock;
    this.#burst = options.burst ?? 25;
    this.#tokensPerMs = (options.qps ?? 1 / 300) / 1000;
    this.#spamKey = options.spamKey ?? spamKeyOf;
    this.#buckets = new LruMap(options.cacheSize ?? 4096);
  }

  /** True when the event is to be dropped. Asking costs a token. */
  isSpam(event: CoreEvent): boolean {
    const key = this.#spamKey(event);
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, readMs: nowMs };
    const refilled = bucket.tokens + (nowMs - bucket.readMs) * this.#tokensPerMs;
    // A token that is due at this very instant must not be missed by a rounding error.
    const tokens = Math.min(this.#burst, refilled) + 1e-9;
    const isSpam = tokens < 1;
    this.#buckets.set(key, { tokens: isSpam ? tokens : tokens - 1, readMs: nowMs });
    return isSpam;
  }
}

function spamKeyOf({ source, involvedObject, type }: CoreEvent): string {
  return JSON.stringify([
    source?.component,
    source?.host,
    involvedObject.kind,
    involvedObject.namespace,
    involvedObject.name,
    involvedObject.uid,
    involvedObject.apiVersion,
    type,
  ]);
}
