import { isIP } from 'node:net';

/** An address that a name stands for. SRV records bring their own port and weight. */
export interface ResolvedAddress {
  readonly ip: string;
  readonly port?: number;
  readonly weight?: number;
}

export interface Resolution {
  readonly addresses: readonly ResolvedAddress[];
  /** How long this may be used. */
  readonly ttlMs: number;
}

/** Resolves a name. Throws if there is no such name. */
export type ResolveName = (name: string) => Promise<Resolution>;

interface Cached {
  readonly addresses: readonly ResolvedAddress[];
  expiresAt: number;
  isRefreshing: boolean;
}

interface Failed {
  readonly error: Error;
  readonly until: number;
}

/** A name that cannot be resolved is not asked for again for so long. */
const negativeTtlMs = 1_000;
/** A new answer for a name that is known and cannot be had now is asked for again after this. */
const staleRetryMs = 1_000;
/** A name of a record that says 0 would be asked for with each request. */
const minimumTtlMs = 1_000;
/** Names come from configurations only, but those change: the oldest go first. */
const maximumNames = 10_000;

/**
 * Remembers what names stand for. An answer that has run out is still used while a new one is fetched,
 * so that no request waits for a name that was known a moment ago. Failures are remembered for a moment
 * too: a name that does not exist is not asked for with each request.
 */
export class DnsCache {
  readonly #resolve: ResolveName;
  readonly #now: () => number;
  readonly #cache = new Map<string, Cached>();
  readonly #failed = new Map<string, Failed>();
  readonly #pending = new Map<string, Promise<readonly ResolvedAddress[]>>();
  #revision = 0;

  constructor(resolve: ResolveName, now: () => number) {
    this.#resolve = resolve;
    this.#now = now;
  }

  /** Grows whenever a name got a new answer. */
  get revision(): number {
    return this.#revision;
  }

  /** At once if it is known, otherwise a promise that rejects if there is no such name. */
  get(name: string): readonly ResolvedAddress[] | Promise<readonly ResolvedAddress[]> {
    return this.peek(name) ?? this.#failure(name) ?? this.#fetch(name);
  }

  /** What is known now. If it has run out a new answer is fetched meanwhile. */
  peek(name: string): readonly ResolvedAddress[] | undefined {
    if (isIP(name) !== 0) return [{ ip: name }];
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.expiresAt <= this.#now() && !cached.isRefreshing) {
      cached.isRefreshing = true;
      this.#fetch(name).catch(() => {
        cached.expiresAt = this.#now() + staleRetryMs;
        cached.isRefreshing = false;
      });
    }
    return cached?.addresses;
  }

  /** When what `peek` says has run out; never for addresses. */
  expiryOf(name: string): number {
    if (isIP(name) !== 0) return Number.POSITIVE_INFINITY;
    const cached = this.#cache.get(name);
    // While a new answer is fetched the revision tells of it.
    return cached === undefined || cached.isRefreshing
      ? Number.POSITIVE_INFINITY
      : cached.expiresAt;
  }

  /** Asks again for a name that could not be resolved, if it is time; returns when that is. */
  retry(name: string): number {
    const failed = this.#failed.get(name);
    if (failed !== undefined && failed.until > this.#now()) return failed.until;
    this.#fetch(name).catch(() => undefined);
    return this.#now() + negativeTtlMs;
  }

  #failure(name: string): Promise<never> | undefined {
    const failed = this.#failed.get(name);
    return failed !== undefined && failed.until > this.#now()
      ? Promise.reject(failed.error)
      : undefined;
  }

  #fetch(name: string): Promise<readonly ResolvedAddress[]> {
    let pending = this.#pending.get(name);
    if (pending === undefined) {
      pending = this.#resolve(name)
        .then(
          ({ addresses, ttlMs }) => {
            const expiresAt = this.#now() + Math.max(ttlMs, minimumTtlMs);
            this.#failed.delete(name);
            remember(this.#cache, name, { addresses, expiresAt, isRefreshing: false });
            this.#revision += 1;
            return addresses;
          },
          (cause: unknown) => {
            const error = cause instanceof Error ? cause : new Error(String(cause));
            remember(this.#failed, name, { error, until: this.#now() + negativeTtlMs });
            throw error;
          },
        )
        .finally(() => this.#pending.delete(name));
      this.#pending.set(name, pending);
    }
    return pending;
  }
}

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > maximumNames) {
    const [oldest] = map.keys();
    map.delete(oldest ?? '');
  }
}
