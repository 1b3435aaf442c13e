import { isIP } from 'node:net';
import type { Backend, Endpoint } from './config.ts';

interface Member {
  readonly endpoint: Endpoint;
  readonly isAddress: boolean;
  weight: number;
  /** Smooth weighted round-robin: grows by the weight, the largest is picked and pays the total. */
  current: number;
  active: number;
  failures: number;
  ejectedUntilMs: number;
}

/** A pick that must be given back: `failed` when the endpoint could not be reached. */
export interface Lease {
  readonly endpoint: Endpoint;
  /** Whether the endpoint is an address, and not a name to be looked up. */
  readonly isAddress: boolean;
  connected(): void;
  failed(): void;
  release(): void;
}

interface PoolOptions {
  readonly maxFailures: number;
  readonly ejectionMs: number;
  readonly now: () => number;
}

const noneTried: ReadonlySet<string> = new Set();

/** Balances over a backend's endpoints and leaves out those that keep failing, for a while. */
export class EndpointPool {
  readonly #members: Member[];
  readonly #backend: Backend;
  readonly #options: PoolOptions;

  /** `previous` is the pool of the same backend before a change: health and load carry over. */
  constructor(backend: Backend, options: PoolOptions, previous?: EndpointPool) {
    this.#backend = backend;
    this.#options = options;
    const known = new Map(
      previous === undefined
        ? []
        : previous.#members.map((member) => [keyOf(member.endpoint), member]),
    );
    this.#members = backend.endpoints.map((endpoint) => {
      const before = known.get(keyOf(endpoint));
      const weight = endpoint.weight ?? 1;
      // The same member, so that connections which are over count for the new pool as well.
      if (before !== undefined) return Object.assign(before, { weight });
      const isAddress = isIP(endpoint.address) !== 0;
      const health = { active: 0, failures: 0, ejectedUntilMs: 0 };
      return { endpoint, isAddress, weight, current: 0, ...health };
    });
  }

  /**
   * The next endpoint that is not in `tried`; undefined when none is left. When every endpoint is
   * ejected the ejections are ignored: trying a sick endpoint beats refusing for certain.
   */
  pick(tried: ReadonlySet<string> = noneTried): Lease | undefined {
    const now = this.#options.now();
    const member = this.#choose(tried, now) ?? this.#choose(tried, Number.POSITIVE_INFINITY);
    return member === undefined ? undefined : new MemberLease(member, this.#options);
  }

  /** The best of those that have not been tried and are not ejected beyond `now`. */
  #choose(tried: ReadonlySet<string>, now: number): Member | undefined {
    const isByLoad = this.#backend.balance === 'least-connections';
    let best: Member | undefined;
    let total = 0;
    for (const member of this.#members) {
      if (member.weight <= 0 || member.ejectedUntilMs > now) continue;
      if (tried.size > 0 && tried.has(keyOf(member.endpoint))) continue;
      if (isByLoad) {
        if (best === undefined || member.active / member.weight < best.active / best.weight)
          best = member;
        continue;
      }
      member.current += member.weight;
      total += member.weight;
      if (best === undefined || member.current > best.current) best = member;
    }
    if (best !== undefined) best.current -= total;
    return best;
  }
}

class MemberLease implements Lease {
  readonly #member: Member;
  readonly #options: PoolOptions;

  constructor(member: Member, options: PoolOptions) {
    this.#member = member;
    this.#options = options;
    member.active += 1;
  }

  get endpoint(): Endpoint {
    return this.#member.endpoint;
  }

  get isAddress(): boolean {
    return this.#member.isAddress;
  }

  connected(): void {
    this.#member.failures = 0;
    this.#member.ejectedUntilMs = 0;
  }

  failed(): void {
    const { maxFailures, ejectionMs, now } = this.#options;
    this.#member.failures += 1;
    if (this.#member.failures >= maxFailures) this.#member.ejectedUntilMs = now() + ejectionMs;
  }

  release(): void {
    this.#member.active -= 1;
  }
}

export function keyOf(endpoint: Endpoint): string {
  return `${endpoint.address}|${endpoint.port}`;
}
