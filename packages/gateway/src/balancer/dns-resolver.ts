import { lookup, Resolver } from 'node:dns/promises';
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

/** For a name that has addresses but no time to live, such as one of the hosts file. */
const defaultTtlMs = 30_000;

/** Asks the system: SRV for names with an underscore, otherwise A and AAAA, and the hosts file. */
export function systemResolver(): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (name) => {
    if (name.startsWith('_')) {
      return resolveService(resolver, name);
    }
    const found = await lookup(name, { all: true });
    const v4 = found.filter((item) => item.family === 4);
    const chosen = v4.length > 0 ? v4 : found;
    return { addresses: chosen.map((item) => ({ ip: item.address })), ttlMs: defaultTtlMs };
  };
}

async function resolveService(resolver: Resolver, name: string): Promise<Resolution> {
  const records = await resolver.resolveSrv(name);
  const best = Math.min(...records.map((record) => record.priority));
  const chosen = records.filter((record) => record.priority === best);
  const addresses = await Promise.all(
    chosen.map(async (record) => {
      const found = await lookup(record.name);
      return { ip: found.address, port: record.port, weight: Math.max(record.weight, 1) };
    }),
  );
  return { addresses, ttlMs: defaultTtlMs };
}

interface Cached {
  readonly addresses: readonly ResolvedAddress[];
  readonly expiresAt: number;
  refresh: Promise<void> | undefined;
}

/**
 * Remembers what names stand for. An answer that has run out is still used while a new one is fetched,
 * so that no request waits for a name that was known a moment ago.
 */
export class DnsCache {
  readonly #resolve: ResolveName;
  readonly #now: () => number;
  readonly #cache = new Map<string, Cached>();
  readonly #pending = new Map<string, Promise<readonly ResolvedAddress[]>>();

  constructor(resolve: ResolveName, now: () => number) {
    this.#resolve = resolve;
    this.#now = now;
  }

  /** At once if it is known, otherwise a promise that rejects if there is no such name. */
  get(name: string): readonly ResolvedAddress[] | Promise<readonly ResolvedAddress[]> {
    if (isIP(name) !== 0) {
      return [{ ip: name }];
    }
    const cached = this.#cache.get(name);
    if (cached === undefined) {
      return this.#fetch(name);
    }
    if (cached.expiresAt <= this.#now() && cached.refresh === undefined) {
      cached.refresh = this.#fetch(name).then(
        () => undefined,
        () => {
          cached.refresh = undefined;
        },
      );
    }
    return cached.addresses;
  }

  /** What is known now, without asking. */
  peek(name: string): readonly ResolvedAddress[] | undefined {
    return isIP(name) !== 0 ? [{ ip: name }] : this.#cache.get(name)?.addresses;
  }

  #fetch(name: string): Promise<readonly ResolvedAddress[]> {
    let pending = this.#pending.get(name);
    if (pending === undefined) {
      pending = this.#resolve(name)
        .then(({ addresses, ttlMs }) => {
          const expiresAt = this.#now() + ttlMs;
          this.#cache.set(name, { addresses, expiresAt, refresh: undefined });
          return addresses;
        })
        .finally(() => this.#pending.delete(name));
      this.#pending.set(name, pending);
    }
    return pending;
  }
}
