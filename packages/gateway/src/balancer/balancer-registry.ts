import { isIP } from 'node:net';
import type { KongTarget, KongUpstream } from '@waygate/kong';
import type { EntitySource } from '../configuration/entity-source.ts';
import { BalancerAddress } from './balancer-address.ts';
import type { DnsCache } from './dns-resolver.ts';
import { UpstreamBalancer } from './upstream-balancer.ts';

/** Where a request may go, or why it may go nowhere. */
export type Destination =
  | {
      readonly kind: 'address';
      readonly address: BalancerAddress;
      readonly upstream?: UpstreamBalancer;
    }
  | { readonly kind: 'none'; readonly message: string };

const noPeer: Destination = {
  kind: 'none',
  message: 'failure to get a peer from the ring-balancer',
};
const noName: Destination = { kind: 'none', message: 'name resolution failed' };

/** All balancers: one for each upstream, and one for each host that services name directly. */
export class BalancerRegistry {
  readonly #dns: DnsCache;
  readonly #random: () => number;
  readonly #byId = new Map<string, UpstreamBalancer>();
  #byName: ReadonlyMap<string, UpstreamBalancer> = new Map();
  readonly #hosts = new Map<string, HostBalancer>();
  #version = '';

  constructor(dns: DnsCache, random: () => number) {
    this.#dns = dns;
    this.#random = random;
  }

  get balancers(): Iterable<UpstreamBalancer> {
    return this.#byName.values();
  }

  find(name: string): UpstreamBalancer | undefined {
    return this.#byName.get(name);
  }

  /** Takes over changed upstreams and targets. What stays keeps its state; what goes is forgotten. */
  reconcile(source: EntitySource): void {
    const version = `${source.version('upstreams')}.${source.version('targets')}`;
    if (version === this.#version) {
      return;
    }
    this.#version = version;
    const targets = new Map<string, KongTarget[]>();
    for (const target of source.list('targets') as Iterable<KongTarget>) {
      const id = target.upstream?.id ?? '';
      const list = targets.get(id);
      if (list === undefined) {
        targets.set(id, [target]);
      } else {
        list.push(target);
      }
    }
    const byName = new Map<string, UpstreamBalancer>();
    const seen = new Set<string>();
    for (const upstream of source.list('upstreams') as Iterable<KongUpstream>) {
      const id = upstream.id ?? '';
      seen.add(id);
      let balancer = this.#byId.get(id);
      if (balancer === undefined) {
        balancer = new UpstreamBalancer(upstream, this.#dns, this.#random);
        this.#byId.set(id, balancer);
      }
      balancer.update(upstream, targets.get(id) ?? []);
      byName.set(upstream.name ?? '', balancer);
    }
    for (const id of this.#byId.keys()) {
      if (!seen.has(id)) {
        this.#byId.delete(id);
      }
    }
    this.#byName = byName;
  }

  /** Whether an address can still be chosen. */
  knows(address: BalancerAddress): boolean {
    for (const balancer of this.#byName.values()) {
      if (balancer.states.some((state) => state.addresses.includes(address))) {
        return true;
      }
    }
    for (const host of this.#hosts.values()) {
      if (host.has(address)) {
        return true;
      }
    }
    return false;
  }

  /** Chooses where a request goes; at once whenever names are known. */
  pick(
    host: string,
    port: number,
    hash: (upstream: KongUpstream) => string | undefined,
    tried: ReadonlySet<BalancerAddress>,
  ): Destination | Promise<Destination> {
    const upstream = this.#byName.get(host);
    if (upstream === undefined) {
      return this.#hostBalancer(host, port).pick(tried);
    }
    const choose = (): Destination => {
      const address = upstream.pick(hash(upstream.upstream), tried);
      return address === undefined ? noPeer : { kind: 'address', address, upstream };
    };
    return upstream.isResolved ? choose() : upstream.resolve().then(choose);
  }

  #hostBalancer(host: string, port: number): HostBalancer {
    const key = `${host}:${port}`;
    let balancer = this.#hosts.get(key);
    if (balancer === undefined) {
      balancer = new HostBalancer(host, port, this.#dns);
      this.#hosts.set(key, balancer);
    }
    return balancer;
  }
}

/** The addresses of a name that is no upstream, in turn. */
class HostBalancer {
  readonly #host: string;
  readonly #port: number;
  readonly #dns: DnsCache;
  #addresses = new Map<string, BalancerAddress>();
  #turn = 0;

  constructor(host: string, port: number, dns: DnsCache) {
    this.#host = host;
    this.#port = port;
    this.#dns = dns;
    if (isIP(host) !== 0) {
      this.#addresses.set(host, new BalancerAddress(host, host, port, 100));
    }
  }

  has(address: BalancerAddress): boolean {
    for (const known of this.#addresses.values()) {
      if (known === address) {
        return true;
      }
    }
    return false;
  }

  pick(tried: ReadonlySet<BalancerAddress>): Destination | Promise<Destination> {
    const found = this.#dns.get(this.#host);
    if (!(found instanceof Promise)) {
      return this.#choose(found, tried);
    }
    return found.then(
      (addresses) => this.#choose(addresses, tried),
      () => noName,
    );
  }

  #choose(
    found: readonly { ip: string; port?: number }[],
    tried: ReadonlySet<BalancerAddress>,
  ): Destination {
    let fallback: BalancerAddress | undefined;
    for (let step = 0; step < found.length; step += 1) {
      this.#turn = (this.#turn + 1) % found.length;
      const item = found[this.#turn];
      if (item === undefined) {
        continue;
      }
      const address = this.#addressOf(item.ip, item.port ?? this.#port);
      if (!tried.has(address)) {
        return { kind: 'address', address };
      }
      fallback ??= address;
    }
    return fallback === undefined ? noName : { kind: 'address', address: fallback };
  }

  #addressOf(ip: string, port: number): BalancerAddress {
    const key = port === this.#port ? ip : `${ip}:${port}`;
    let address = this.#addresses.get(key);
    if (address === undefined) {
      address = new BalancerAddress(this.#host, ip, port, 100);
      this.#addresses.set(key, address);
    }
    return address;
  }
}
