import type { KongTarget, KongUpstream } from '@waygate/kong';
import {
  type Algorithm,
  type AlgorithmSurroundings,
  createAlgorithm,
  type Tried,
} from './algorithm.ts';
import { BalancerAddress, parseTarget } from './balancer-address.ts';
import type { DnsCache, ResolvedAddress } from './dns-cache.ts';
import { HealthCounter, type HealthEvent } from './health-counter.ts';
import type { HealthLink } from './health-link.ts';

/** How a target does, in the words of `/upstreams/{name}/health`. */
type TargetHealth = 'HEALTHY' | 'UNHEALTHY' | 'DNS_ERROR' | 'HEALTHCHECKS_OFF';

/** A target with the addresses that its name resolved to. */
export interface TargetState {
  readonly target: KongTarget;
  readonly host: string;
  readonly port: number;
  addresses: BalancerAddress[];
  hasDnsError: boolean;
}

/** What balancers need of the world around them. */
export interface BalancerSurroundings extends AlgorithmSurroundings {
  readonly dns: DnsCache;
  /** How long a target that comes to others takes to get its full share; 0 for at once, as in Kong. */
  readonly slowStartMs: number;
  readonly health?: HealthLink;
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
  readonly #surroundings: BalancerSurroundings;
  /** The state of the DNS cache that the addresses are from, and when that runs out. */
  #dnsRevision = -1;
  #refreshAt = 0;
  #isResolved = false;
  #hasPassiveChecks = false;
  #wasUpdated = false;

  constructor(upstream: KongUpstream, surroundings: BalancerSurroundings) {
    this.#upstream = upstream;
    this.#surroundings = surroundings;
  }

  get upstream(): KongUpstream {
    return this.#upstream;
  }

  get states(): readonly TargetState[] {
    return this.#states;
  }

  /** Takes over a changed upstream or changed targets. Addresses that stay keep their counts. */
  update(upstream: KongUpstream, targets: readonly KongTarget[]): void {
    // Entities are replaced and never changed: the same ones say the same.
    const isSame =
      upstream === this.#upstream &&
      targets.length === this.#states.length &&
      this.#states.every((state, index) => state.target === targets[index]);
    if (isSame && this.#wasUpdated) return;
    this.#wasUpdated = true;
    this.#upstream = upstream;
    this.#hasPassiveChecks = hasPassiveChecks(upstream);
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
    this.#resolveKnown(before.size > 0);
    const kept = new Set(this.#states.flatMap((state) => state.addresses));
    for (const address of this.#counters.keys()) {
      if (!kept.has(address)) this.#counters.delete(address);
    }
  }

  /** Resolves names that are not known yet. Done before the first pick, and by the health checker. */
  async resolve(): Promise<void> {
    await Promise.all(
      this.#states.map(async (state) => {
        try {
          const found = await this.#surroundings.dns.get(state.host);
          state.hasDnsError = false;
          this.#adopt(state, found, false);
        } catch {
          state.hasDnsError = true;
        }
      }),
    );
    this.#isResolved = true;
  }

  /** True if every target has been resolved, so that `pick` need not wait. */
  get isResolved(): boolean {
    return this.#isResolved;
  }

  pick(hash: string | undefined, tried: Tried): BalancerAddress | undefined {
    const { dns, now } = this.#surroundings;
    if (dns.revision !== this.#dnsRevision || now() >= this.#refreshAt) this.#resolveKnown(true);
    if (!this.isHealthy) return undefined;
    const algorithm = this.#algorithm ?? this.#build();
    // With all healthy addresses tried, one that failed a moment ago is still better than none.
    return (
      algorithm.pick(hash, tried) ??
      (tried === undefined ? undefined : algorithm.pick(hash, undefined))
    );
  }

  /** The addresses that a request may go to, in the order of their targets. */
  usable(): readonly BalancerAddress[] {
    const { dns, now } = this.#surroundings;
    if (dns.revision !== this.#dnsRevision || now() >= this.#refreshAt) this.#resolveKnown(true);
    return this.isHealthy
      ? this.#states.flatMap(({ addresses }) =>
          addresses.filter(({ isHealthy, weight }) => isHealthy && weight > 0),
        )
      : [];
  }

  /** False when less weight is healthy than the upstream's threshold asks for. */
  get isHealthy(): boolean {
    const threshold = this.#upstream.healthchecks?.threshold ?? 0;
    if (threshold <= 0) return true;
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
    if (state.hasDnsError && state.addresses.length === 0) return 'DNS_ERROR';
    if (!this.hasHealthchecks) return 'HEALTHCHECKS_OFF';
    return state.addresses.every((address) => address.isHealthy) ? 'HEALTHY' : 'UNHEALTHY';
  }

  /** The address with this authority, if some target has it now. */
  findAddress(authority: string): BalancerAddress | undefined {
    for (const state of this.#states) {
      const found = state.addresses.find((address) => address.authority === authority);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A request's outcome, for passive checks. */
  reportPassive(address: BalancerAddress, event: HealthEvent): void {
    if (!this.#hasPassiveChecks) return;
    const { health } = this.#surroundings;
    if (health?.report !== undefined) {
      health.report(this.#upstream.id ?? '', address.authority, event);
      return;
    }
    const settings = this.#upstream.healthchecks?.passive;
    if (settings !== undefined) {
      const counters = this.#countersOf(address);
      const wasWatched = counters.passive.hasFailures;
      this.#apply(address, counters.passive.record(settings, event), wasWatched);
    }
  }

  /** A probe's outcome, for active checks. */
  reportActive(address: BalancerAddress, event: HealthEvent): void {
    const settings = this.#upstream.healthchecks?.active;
    if (settings !== undefined) {
      const counters = this.#countersOf(address);
      const wasWatched = counters.passive.hasFailures;
      this.#apply(address, counters.active.record(settings, event), wasWatched);
    }
  }

  /** Sets an address by hand, as `PUT /upstreams/{name}/targets/{target}/healthy` does. */
  setHealth(address: BalancerAddress, isHealthy: boolean): void {
    const counters = this.#countersOf(address);
    const wasWatched = counters.passive.hasFailures;
    counters.active.reset();
    counters.passive.reset();
    this.#apply(address, isHealthy, wasWatched);
  }

  /** Takes what another process found out. */
  believe(authority: string, isHealthy: boolean): void {
    const address = this.findAddress(authority);
    if (address !== undefined) this.#turn(address, isHealthy);
  }

  #apply(address: BalancerAddress, isHealthy: boolean | undefined, wasWatched: boolean): void {
    const wasHealthy = address.isHealthy;
    if (isHealthy !== undefined) this.#turn(address, isHealthy);
    const hasFailures = this.#counters.get(address)?.passive.hasFailures ?? false;
    if (address.isHealthy !== wasHealthy || hasFailures !== wasWatched) {
      this.#surroundings.health?.onChange?.({
        upstream: this.#upstream.id ?? '',
        authority: address.authority,
        isHealthy: address.isHealthy,
        isWatched: hasFailures || !address.isHealthy,
      });
    }
  }

  #turn(address: BalancerAddress, isHealthy: boolean): void {
    if (isHealthy && !address.isHealthy) {
      address.startSlowly(this.#surroundings.now(), this.#surroundings.slowStartMs);
    }
    address.isHealthy = isHealthy;
  }

  #countersOf(address: BalancerAddress): Counters {
    let counters = this.#counters.get(address);
    if (counters === undefined) {
      counters = { active: new HealthCounter(), passive: new HealthCounter() };
      this.#counters.set(address, counters);
    }
    return counters;
  }

  /** Takes what the DNS cache knows; names that have run out are asked for meanwhile. */
  #resolveKnown(isLate: boolean): void {
    const { dns } = this.#surroundings;
    let refreshAt = Number.POSITIVE_INFINITY;
    let isResolved = true;
    for (const state of this.#states) {
      const found = dns.peek(state.host);
      if (found !== undefined) {
        state.hasDnsError = false;
        this.#adopt(state, found, isLate);
        refreshAt = Math.min(refreshAt, dns.expiryOf(state.host));
      } else if (!state.hasDnsError) {
        isResolved = false;
      } else {
        refreshAt = Math.min(refreshAt, dns.retry(state.host));
      }
    }
    this.#isResolved = isResolved;
    this.#refreshAt = refreshAt;
    this.#dnsRevision = dns.revision;
  }

  #adopt(state: TargetState, found: readonly ResolvedAddress[], isLate: boolean): void {
    const targetWeight = state.target.weight ?? 100;
    const weightOf = (item: ResolvedAddress) =>
      targetWeight === 0 ? 0 : (item.weight ?? targetWeight);
    const isSame =
      found.length === state.addresses.length &&
      found.every((item, index) => {
        const address = state.addresses[index];
        return (
          address?.ip === item.ip &&
          address.port === (item.port ?? state.port) &&
          address.weight === weightOf(item)
        );
      });
    if (isSame) return;
    const before = new Map(state.addresses.map((address) => [address.authority, address]));
    state.addresses = found.map((item) => {
      const created = this.#create(state, item, weightOf(item), isLate);
      const known = before.get(created.authority);
      if (known === undefined) return created;
      known.weight = created.weight;
      before.delete(created.authority);
      return known;
    });
    for (const gone of before.values()) this.#counters.delete(gone);
    this.#algorithm = undefined;
  }

  #create(
    { host, port }: TargetState,
    item: ResolvedAddress,
    weight: number,
    isLate: boolean,
  ): BalancerAddress {
    const { health, now, slowStartMs } = this.#surroundings;
    const address = new BalancerAddress(host, item.ip, item.port ?? port, weight);
    const said = health?.stateOf?.(this.#upstream.id ?? '', address.authority);
    address.isHealthy = said?.isHealthy ?? true;
    if (isLate) address.startSlowly(now(), slowStartMs);
    return address;
  }

  #build(): Algorithm {
    const addresses = this.#states.flatMap((state) => state.addresses);
    this.#algorithm = createAlgorithm(
      this.#upstream.algorithm ?? 'round-robin',
      addresses,
      this.#upstream.slots ?? 10_000,
      this.#surroundings,
    );
    return this.#algorithm;
  }
}

/** Whether anything that happens to a request could change the health of an address. */
function hasPassiveChecks({ healthchecks }: KongUpstream): boolean {
  const { healthy, unhealthy } = healthchecks?.passive ?? {};
  const thresholds = [
    healthy?.successes,
    unhealthy?.http_failures,
    unhealthy?.tcp_failures,
    unhealthy?.timeouts,
  ];
  return thresholds.some((threshold) => (threshold ?? 0) > 0);
}
