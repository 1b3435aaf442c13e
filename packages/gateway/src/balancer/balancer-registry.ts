import type { KongTarget, KongUpstream } from '@waygate/kong';
import { type EntityDifference, referredId } from '../configuration/entity-difference.ts';
import type { EntitySource } from '../configuration/entity-source.ts';
import type { Chooser, Tried } from './algorithm.ts';
import type { BalancerAddress } from './balancer-address.ts';
import { type Destination, noPeer } from './destination.ts';
import type { HealthEvent } from './health-counter.ts';
import { HostBalancer } from './host-balancer.ts';
import { type BalancerSurroundings, UpstreamBalancer } from './upstream-balancer.ts';

/** The balancers that a change concerned. */
export interface ChangedBalancers {
  readonly kept: readonly UpstreamBalancer[];
  readonly gone: readonly UpstreamBalancer[];
}

/** All balancers: one for each upstream, and one for each host that services name directly. */
export class BalancerRegistry {
  readonly #surroundings: BalancerSurroundings;
  readonly #byId = new Map<string, UpstreamBalancer>();
  readonly #byName = new Map<string, UpstreamBalancer>();
  /** By port, then by host: a look-up makes no text. */
  readonly #hosts = new Map<number, Map<string, HostBalancer>>();
  /** How many services name a host. */
  readonly #hostUsers = new Map<string, number>();

  constructor(surroundings: BalancerSurroundings) {
    this.#surroundings = surroundings;
  }

  get balancers(): Iterable<UpstreamBalancer> {
    return this.#byName.values();
  }

  find(name: string): UpstreamBalancer | undefined {
    return this.#byName.get(name);
  }

  /** Takes over all that there is, for a start. */
  load(source: EntitySource): void {
    const differences: EntityDifference[] = [];
    for (const collection of ['upstreams', 'services']) {
      for (const after of source.list(collection)) {
        differences.push({ collection, id: String(after.id), before: undefined, after });
      }
    }
    this.change(source, differences);
  }

  /**
   * Takes over what changed, however much else there is. What stays keeps its state; what goes is
   * forgotten.
   */
  change(source: EntitySource, differences: readonly EntityDifference[]): ChangedBalancers {
    const touched = new Set<string>();
    for (const { collection, id, before, after } of differences) {
      if (collection === 'upstreams') {
        touched.add(id);
      } else if (collection === 'targets') {
        for (const target of [before, after]) touched.add(referredId(target, 'upstream') ?? '');
      } else if (collection === 'services') {
        this.#countHost(after?.host, 1);
        this.#countHost(before?.host, -1);
      }
    }
    return this.#changeUpstreams(source, touched);
  }

  /** All addresses that can still be chosen. */
  *addresses(): Generator<BalancerAddress> {
    for (const balancer of this.#byName.values()) {
      for (const state of balancer.states) yield* state.addresses;
    }
    for (const byHost of this.#hosts.values()) {
      for (const host of byHost.values()) yield* host.addresses;
    }
  }

  /** Chooses where a request goes; at once whenever names are known. */
  pick(
    host: string,
    port: number,
    hash: (upstream: KongUpstream) => string | undefined,
    tried: Tried,
    chooser?: Chooser,
  ): Destination | Promise<Destination> {
    const upstream = this.#byName.get(host);
    if (upstream === undefined) return this.#hostBalancer(host, port).pick(tried);
    return upstream.isResolved
      ? choose(upstream, hash, tried, chooser)
      : upstream.resolve().then(() => choose(upstream, hash, tried, chooser));
  }

  /** A place to ask on behalf of a request: an address of an upstream, or of whatever has that name. */
  async locate(
    host: string,
    port: number,
  ): Promise<{ readonly ip: string; readonly port: number } | undefined> {
    if (this.#byName.has(host)) {
      const chosen = await this.pick(host, port, () => undefined, undefined);
      return chosen.kind === 'address' ? chosen.address : undefined;
    }
    try {
      const [first] = await this.#surroundings.dns.get(host);
      return first && { ip: first.ip, port: first.port ?? port };
    } catch {
      return undefined;
    }
  }

  /** Counts what a worker reports on an address. */
  async reportPassive(upstream: string, authority: string, event: HealthEvent): Promise<void> {
    const balancer = this.#byId.get(upstream);
    if (balancer === undefined) return;
    if (balancer.findAddress(authority) === undefined) await balancer.resolve();
    const address = balancer.findAddress(authority);
    if (address !== undefined) balancer.reportPassive(address, event);
  }

  /** Takes what the counting process says on an address. */
  believe(upstream: string, authority: string, isHealthy: boolean): void {
    this.#byId.get(upstream)?.believe(authority, isHealthy);
  }

  #changeUpstreams(source: EntitySource, ids: ReadonlySet<string>): ChangedBalancers {
    const kept: UpstreamBalancer[] = [];
    const gone: UpstreamBalancer[] = [];
    // Names first, as one upstream may have taken the name that another gave up.
    for (const id of ids) {
      const balancer = this.#byId.get(id);
      if (balancer !== undefined && this.#byName.get(balancer.upstream.name ?? '') === balancer) {
        this.#byName.delete(balancer.upstream.name ?? '');
      }
    }
    for (const id of ids) {
      const upstream = source.get('upstreams', id) as KongUpstream | undefined;
      let balancer = this.#byId.get(id);
      if (upstream === undefined) {
        if (balancer !== undefined) {
          this.#byId.delete(id);
          gone.push(balancer);
        }
        continue;
      }
      if (balancer === undefined) {
        balancer = new UpstreamBalancer(upstream, this.#surroundings);
        this.#byId.set(id, balancer);
      }
      balancer.update(upstream, [...(source.heldBy('targets', id) as Iterable<KongTarget>)]);
      this.#byName.set(upstream.name ?? '', balancer);
      kept.push(balancer);
    }
    return { kept, gone };
  }

  /** A host that no service names any more is forgotten. */
  #countHost(host: unknown, by: 1 | -1): void {
    if (typeof host !== 'string') return;
    const users = (this.#hostUsers.get(host) ?? 0) + by;
    if (users > 0) {
      this.#hostUsers.set(host, users);
      return;
    }
    this.#hostUsers.delete(host);
    for (const [port, byHost] of this.#hosts) {
      if (byHost.delete(host) && byHost.size === 0) this.#hosts.delete(port);
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
  chooser: Chooser | undefined,
): Destination {
  const address =
    chooser === undefined
      ? upstream.pick(hash(upstream.upstream), tried)
      : (chooser(upstream.usable(), tried) ?? upstream.pick(hash(upstream.upstream), tried));
  return address === undefined ? noPeer : { kind: 'address', address, upstream };
}
