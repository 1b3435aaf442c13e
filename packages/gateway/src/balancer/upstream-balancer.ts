import type { KongTarget, KongUpstream } from '@waygate/kong';
import { type Algorithm, createAlgorithm } from './algorithm.ts';
import { BalancerAddress, parseTarget } from './balancer-address.ts';
import type { DnsCache } from './dns-resolver.ts';
import { HealthCounter, type HealthEvent } from './health-counter.ts';

/** How a target does, in the words of `/upstreams/{name}/health`. */
export type TargetHealth = 'HEALTHY' | 'UNHEALTHY' | 'DNS_ERROR' | 'HEALTHCHECKS_OFF';

/** A target with the addresses that its name resolved to. */
export interface TargetState {
  readonly target: KongTarget;
  readonly host: string;
  readonly port: number;
  addresses: BalancerAddress[];
  hasDnsError: boolean;
}

interface Counters {
  readonly active: HealthCounter;
  readonly passive: HealthCounter;
}

/** Spreads requests over the targets of one upstream. Its counts outlast changes to the upstream. */
export class UpstreamBalancer {
  #upstream: KongUpstream;
  #states: readonly TargetState[] = [];
  #algorithm: Algorithm | undefined;
  readonly #counters = new Map<BalancerAddress, Counters>();
  readonly #dns: DnsCache;
  readonly #random: () => number;

  constructor(upstream: KongUpstream, dns: DnsCache, random: () => number) {
    this.#upstream = upstream;
    this.#dns = dns;
    this.#random = random;
  }

  get upstream(): KongUpstream {
    return this.#upstream;
  }

  get states(): readonly TargetState[] {
    return this.#states;
  }

  /** Takes over a changed upstream or changed targets. Addresses that stay keep their counts. */
  update(upstream: KongUpstream, targets: readonly KongTarget[]): void {
    this.#upstream = upstream;
    const before = new Map(this.#states.map((state) => [state.target.target, state]));
    this.#states = targets.map((target) => {
      const known = before.get(target.target);
      const { host, port } = parseTarget(target.target ?? '');
      return {
        target,
        host,
        port,
        addresses: known?.addresses ?? [],
        hasDnsError: known?.hasDnsError ?? false,
      };
    });
    this.#algorithm = undefined;
    this.#resolveKnown();
  }

  /** Resolves names that are not known yet. Done before the first pick, and by the health checker. */
  async resolve(): Promise<void> {
    await Promise.all(
      this.#states.map(async (state) => {
        try {
          const found = await this.#dns.get(state.host);
          state.hasDnsError = false;
          this.#adopt(state, found);
        } catch {
          state.hasDnsError = true;
        }
      }),
    );
  }

  /** True if every target has been resolved, so that `pick` need not wait. */
  get isResolved(): boolean {
    return this.#states.every((state) => state.addresses.length > 0 || state.hasDnsError);
  }

  pick(hash: string | undefined, tried: ReadonlySet<BalancerAddress>): BalancerAddress | undefined {
    this.#resolveKnown();
    if (!this.isHealthy) {
      return undefined;
    }
    const algorithm = this.#algorithm ?? this.#build();
    const fresh = algorithm.pick((item) => item.isHealthy && !tried.has(item), hash);
    // With all healthy addresses tried, one that failed a moment ago is still better than none.
    return fresh ?? algorithm.pick((item) => item.isHealthy, hash);
  }

  /** False when less weight is healthy than the upstream's threshold asks for. */
  get isHealthy(): boolean {
    const threshold = this.#upstream.healthchecks?.threshold ?? 0;
    if (threshold <= 0) {
      return true;
    }
    let total = 0;
    let healthy = 0;
    for (const address of this.#states.flatMap((state) => state.addresses)) {
      total += address.weight;
      healthy += address.isHealthy ? address.weight : 0;
    }
    return total > 0 && (healthy / total) * 100 >= threshold;
  }

  /** Whether the upstream has any health check turned on. */
  get hasHealthchecks(): boolean {
    const { active, passive } = this.#upstream.healthchecks ?? {};
    const isActive = (active?.healthy?.interval ?? 0) > 0 || (active?.unhealthy?.interval ?? 0) > 0;
    const counts = passive?.unhealthy;
    const isPassive = [counts?.http_failures, counts?.tcp_failures, counts?.timeouts].some(
      (count) => (count ?? 0) > 0,
    );
    return isActive || isPassive;
  }

  healthOf(state: TargetState): TargetHealth {
    if (state.hasDnsError && state.addresses.length === 0) {
      return 'DNS_ERROR';
    }
    if (!this.hasHealthchecks) {
      return 'HEALTHCHECKS_OFF';
    }
    return state.addresses.every((address) => address.isHealthy) ? 'HEALTHY' : 'UNHEALTHY';
  }

  /** A request's outcome, for passive checks. */
  reportPassive(address: BalancerAddress, event: HealthEvent): void {
    const settings = this.#upstream.healthchecks?.passive;
    if (settings !== undefined) {
      this.#apply(address, this.#countersOf(address).passive.record(settings, event));
    }
  }

  /** A probe's outcome, for active checks. */
  reportActive(address: BalancerAddress, event: HealthEvent): void {
    const settings = this.#upstream.healthchecks?.active;
    if (settings !== undefined) {
      this.#apply(address, this.#countersOf(address).active.record(settings, event));
    }
  }

  /** Sets an address by hand, as `PUT /upstreams/{name}/targets/{target}/healthy` does. */
  setHealth(address: BalancerAddress, isHealthy: boolean): void {
    address.isHealthy = isHealthy;
    this.#countersOf(address).active.reset();
    this.#countersOf(address).passive.reset();
  }

  #apply(address: BalancerAddress, isHealthy: boolean | undefined): void {
    if (isHealthy !== undefined) {
      address.isHealthy = isHealthy;
    }
  }

  #countersOf(address: BalancerAddress): Counters {
    let counters = this.#counters.get(address);
    if (counters === undefined) {
      counters = { active: new HealthCounter(), passive: new HealthCounter() };
      this.#counters.set(address, counters);
    }
    return counters;
  }

  #resolveKnown(): void {
    for (const state of this.#states) {
      const found = this.#dns.peek(state.host);
      if (found !== undefined) {
        this.#adopt(state, found);
      }
    }
  }

  #adopt(
    state: TargetState,
    found: readonly { ip: string; port?: number; weight?: number }[],
  ): void {
    const targetWeight = state.target.weight ?? 100;
    const isSame =
      found.length === state.addresses.length &&
      found.every((item, index) => {
        const address = state.addresses[index];
        return (
          address?.ip === item.ip &&
          address.port === (item.port ?? state.port) &&
          address.weight === (item.weight ?? targetWeight)
        );
      });
    if (isSame) {
      return;
    }
    const before = new Map(state.addresses.map((address) => [address.authority, address]));
    state.addresses = found.map((item) => {
      const weight = targetWeight === 0 ? 0 : (item.weight ?? targetWeight);
      const created = new BalancerAddress(state.host, item.ip, item.port ?? state.port, weight);
      const known = before.get(created.authority);
      if (known === undefined) {
        return created;
      }
      known.weight = weight;
      before.delete(created.authority);
      return known;
    });
    for (const gone of before.values()) {
      this.#counters.delete(gone);
    }
    this.#algorithm = undefined;
  }

  #build(): Algorithm {
    const addresses = this.#states.flatMap((state) => state.addresses);
    this.#algorithm = createAlgorithm(
      this.#upstream.algorithm ?? 'round-robin',
      addresses,
      this.#upstream.slots ?? 10_000,
      this.#random,
    );
    return this.#algorithm;
  }
}
