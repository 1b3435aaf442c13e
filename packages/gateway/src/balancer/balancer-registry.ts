import type { KongService, KongTarget, KongUpstream } from '@waygate/kong';
import type { EntitySource } from '../configuration/entity-source.ts';
import type { Tried } from './algorithm.ts';
import type { BalancerAddress } from './balancer-address.ts';
import { type Destination, noPeer } from './destination.ts';
import type { HealthEvent } from './health-counter.ts';
import { HostBalancer } from './host-balancer.ts';
import { type BalancerSurroundings, UpstreamBalancer } from './upstream-balancer.ts';

/** All balancers: one for each upstream, and one for each host that services name directly. */
export class BalancerRegistry {
  readonly #surroundings: BalancerSurroundings;
  readonly #byId = new Map<string, UpstreamBalancer>();
  #byName: ReadonlyMap<string, UpstreamBalancer> = new Map();
  /** By port, then by host: a look-up makes no text. */
  readonly #hosts = new Map<number, Map<string, HostBalancer>>();
  #upstreamsVersion = -1;
  #targetsVersion = -1;
  #servicesVersion = -1;

  constructor(surroundings: BalancerSurroundings) {
    this.#surroundings = surroundings;
  }

  get balancers(): Iterable<UpstreamBalancer> {
    return this.#byName.values();
  }

  find(name: string): UpstreamBalancer | undefined {
    return this.#byName.get(name);
  }

  /**
   * Takes over changed upstreams and targets. What stays keeps its state; what goes is forgotten.
   *
   * @param touched - the ids of the upstreams whose targets changed since the last call, where that is
   * known: only these are looked at, however many others there are
   */
  reconcile(source: EntitySource, touched?: ReadonlySet<string>): void {
    const upstreamsVersion = source.version('upstreams');
    const targetsVersion = source.version('targets');
    const isSameUpstreams = upstreamsVersion === this.#upstreamsVersion;
    if (!isSameUpstreams || targetsVersion !== this.#targetsVersion) {
      this.#upstreamsVersion = upstreamsVersion;
      this.#targetsVersion = targetsVersion;
      if (isSameUpstreams && touched !== undefined) {
        this.#reconcileTargets(source, touched);
      } else {
        this.#reconcileUpstreams(source);
      }
    }
    if (source.version('services') !== this.#servicesVersion) {
      this.#servicesVersion = source.version('services');
      this.#forgetHosts(source);
    }
  }

  /** All addresses that can still be chosen. */
  *addresses(): Generator<BalancerAddress> {
    for (const balancer of this.#byName.values()) {
      for (const state of balancer.states) {
        yield* state.addresses;
      }
    }
    for (const byHost of this.#hosts.values()) {
      for (const host of byHost.values()) {
        yield* host.addresses;
      }
    }
  }

  /** Chooses where a request goes; at once whenever names are known. */
  pick(
    host: string,
    port: number,
    hash: (upstream: KongUpstream) => string | undefined,
    tried: Tried,
  ): Destination | Promise<Destination> {
    const upstream = this.#byName.get(host);
    if (upstream === undefined) {
      return this.#hostBalancer(host, port).pick(tried);
    }
    return upstream.isResolved
      ? choose(upstream, hash, tried)
      : upstream.resolve().then(() => choose(upstream, hash, tried));
  }

  /** Counts what a worker reports on an address. */
  async reportPassive(upstream: string, authority: string, event: HealthEvent): Promise<void> {
    const balancer = this.#byId.get(upstream);
    if (balancer === undefined) {
      return;
    }
    if (balancer.findAddress(authority) === undefined) {
      await balancer.resolve();
    }
    const address = balancer.findAddress(authority);
    if (address !== undefined) {
      balancer.reportPassive(address, event);
    }
  }

  /** Takes what the counting process says on an address. */
  believe(upstream: string, authority: string, isHealthy: boolean): void {
    this.#byId.get(upstream)?.believe(authority, isHealthy);
  }

  #reconcileTargets(source: EntitySource, touched: ReadonlySet<string>): void {
    for (const id of touched) {
      const balancer = this.#byId.get(id);
      balancer?.update(balancer.upstream, [...(source.targetsOf(id) as Iterable<KongTarget>)]);
    }
  }

  #reconcileUpstreams(source: EntitySource): void {
    const byName = new Map<string, UpstreamBalancer>();
    const seen = new Set<string>();
    for (const upstream of source.list('upstreams') as Iterable<KongUpstream>) {
      const id = upstream.id ?? '';
      seen.add(id);
      let balancer = this.#byId.get(id);
      if (balancer === undefined) {
        balancer = new UpstreamBalancer(upstream, this.#surroundings);
        this.#byId.set(id, balancer);
      }
      balancer.update(upstream, [...(source.targetsOf(id) as Iterable<KongTarget>)]);
      byName.set(upstream.name ?? '', balancer);
    }
    for (const id of this.#byId.keys()) {
      if (!seen.has(id)) {
        this.#byId.delete(id);
      }
    }
    this.#byName = byName;
  }

  /** Hosts that no service names any more. */
  #forgetHosts(source: EntitySource): void {
    const named = new Set<string>();
    for (const service of source.list('services') as Iterable<KongService>) {
      named.add(service.host ?? '');
    }
    for (const [port, byHost] of this.#hosts) {
      for (const host of byHost.keys()) {
        if (!named.has(host)) {
          byHost.delete(host);
        }
      }
      if (byHost.size === 0) {
        this.#hosts.delete(port);
      }
    }
  }

  #hostBalancer(host: string, port: number): HostBalancer {
    let byHost = this.#hosts.get(port);
    if (byHost === undefined) {
      byHost = new Map();
      this.#hosts.set(port, byHost);
    }
    let balancer = byHost.get(host);
    if (balancer === undefined) {
      balancer = new HostBalancer(host, port, this.#surroundings.dns);
      byHost.set(host, balancer);
    }
    return balancer;
  }
}

function choose(
  upstream: UpstreamBalancer,
  hash: (upstream: KongUpstream) => string | undefined,
  tried: Tried,
): Destination {
  const address = upstream.pick(hash(upstream.upstream), tried);
  return address === undefined ? noPeer : { kind: 'address', address, upstream };
}
