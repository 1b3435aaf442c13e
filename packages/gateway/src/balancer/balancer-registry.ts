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
  readonly #byName = new Map<string, UpstreamBalancer>();
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

  /** The balancer of an upstream by the upstream's id. */
  ofUpstream(id: string): UpstreamBalancer | undefined {
    return this.#byId.get(id);
  }

  find(name: string): UpstreamBalancer | undefined {
    return this.#byName.get(name);
  }

  /**
   * Takes over changed upstreams and targets. What stays keeps its state; what goes is forgotten.
   *
   * @param touched - the ids of the upstreams that changed since the last call, or whose targets did,
   * where that is known: only these are looked at, however many others there are
   */
  reconcile(source: EntitySource, touched?: ReadonlySet<string>): void {
    const upstreamsVersion = source.version('upstreams');
    const targetsVersion = source.version('targets');
    if (upstreamsVersion !== this.#upstreamsVersion || targetsVersion !== this.#targetsVersion) {
      this.#upstreamsVersion = upstreamsVersion;
      this.#targetsVersion = targetsVersion;
      for (const id of touched ?? allUpstreams(source, this.#byId.keys())) {
        this.#reconcileUpstream(source, id);
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

  #reconcileUpstream(source: EntitySource, id: string): void {
    const upstream = source.find('upstreams', id) as KongUpstream | undefined;
    let balancer = this.#byId.get(id);
    const former = balancer?.upstream.name ?? '';
    // Another one may have taken the name over already.
    if (
      balancer !== undefined &&
      former !== upstream?.name &&
      this.#byName.get(former) === balancer
    ) {
      this.#byName.delete(former);
    }
    if (upstream === undefined) {
      this.#byId.delete(id);
      return;
    }
    if (balancer === undefined) {
      balancer = new UpstreamBalancer(upstream, this.#surroundings);
      this.#byId.set(id, balancer);
    }
    balancer.update(upstream, [...(source.targetsOf(id) as Iterable<KongTarget>)]);
    this.#byName.set(upstream.name ?? '', balancer);
  }

  /** Hosts that no service names any more. */
  #forgetHosts(source: EntitySource): void {
    if (this.#hosts.size === 0) {
      return;
    }
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

/** Those that are there now, and those that were. */
function allUpstreams(source: EntitySource, known: Iterable<string>): Set<string> {
  const ids = new Set(known);
  for (const { id } of source.list('upstreams')) {
    ids.add(String(id));
  }
  return ids;
}

function choose(
  upstream: UpstreamBalancer,
  hash: (upstream: KongUpstream) => string | undefined,
  tried: Tried,
): Destination {
  const address = upstream.pick(hash(upstream.upstream), tried);
  return address === undefined ? noPeer : { kind: 'address', address, upstream };
}
