import type { Backend, Endpoint } from './config.ts';

interface Member {
  readonly endpoint: Endpoint;
  readonly weight: number;
  /** Smooth weighted round-robin: grows by the weight, the largest is picked and pays the total. */
  current: number;
  active: number;
  failures: number;
  ejectedUntilMs: number;
}

/** A pick that must be given back: `failed` when the endpoint could not be reached. */
export interface Lease {
  readonly endpoint: Endpoint;
  connected(): void;
  failed(): void;
  release(): void;
}

export interface PoolOptions {
  readonly maxFailures: number;
  readonly ejectionMs: number;
  readonly now: () => number;
}

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
      if (before !== undefined && before.weight === weight) return before;
      return {
        endpoint,
        weight,
        current: 0,
        active: before?.active ?? 0,
        failures: before?.failures ?? 0,
        ejectedUntilMs: before?.ejectedUntilMs ?? 0,
      };
    });
  }

  /**
   * The next endpoint that is not in `tried`; undefined when none is left. When every endpoint is
   * ejected the ejections are ignored: trying a sick endpoint beats refusing for certain.
   */
  pick(tried: ReadonlySet<string>): Lease | undefined {
    const candidates = this.#members.filter(
      (member) => member.weight > 0 && !tried.has(keyOf(member.endpoint)),
    );
    const now = this.#options.now();
    const healthy = candidates.filter((member) => member.ejectedUntilMs <= now);
    const from = healthy.length > 0 ? healthy : candidates;
    const member =
      this.#backend.balance === 'least-connections' ? leastLoaded(from) : smoothest(from);
    return member === undefined ? undefined : this.#lease(member);
  }

  #lease(member: Member): Lease {
    member.active += 1;
    return {
      endpoint: member.endpoint,
      connected: () => {
        member.failures = 0;
        member.ejectedUntilMs = 0;
      },
      failed: () => {
        member.failures += 1;
        if (member.failures >= this.#options.maxFailures)
          member.ejectedUntilMs = this.#options.now() + this.#options.ejectionMs;
      },
      release: () => {
        member.active -= 1;
      },
    };
  }
}

export function keyOf(endpoint: Endpoint): string {
  return `${endpoint.address}|${endpoint.port}`;
}

function leastLoaded(members: readonly Member[]): Member | undefined {
  let best: Member | undefined;
  for (const member of members)
    if (best === undefined || member.active / member.weight < best.active / best.weight)
      best = member;
  return best;
}

function smoothest(members: readonly Member[]): Member | undefined {
  let best: Member | undefined;
  let total = 0;
  for (const member of members) {
    member.current += member.weight;
    total += member.weight;
    if (best === undefined || member.current > best.current) best = member;
  }
  if (best !== undefined) best.current -= total;
  return best;
}
