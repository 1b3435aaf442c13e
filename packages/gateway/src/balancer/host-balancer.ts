import { isIP } from 'node:net';
import type { Tried } from './algorithm.ts';
import { BalancerAddress } from './balancer-address.ts';
import { type Destination, noName } from './destination.ts';
import type { DnsCache, ResolvedAddress } from './dns-cache.ts';

/** The addresses of a name that is no upstream, in turn. */
export class HostBalancer {
  readonly #host: string;
  readonly #port: number;
  readonly #dns: DnsCache;
  /** Set if the host is an address itself: there is nothing to choose. */
  readonly #fixed: (Destination & { kind: 'address' }) | undefined;
  readonly #addresses = new Map<string, BalancerAddress>();
  #found: readonly ResolvedAddress[] = [];
  #turn = 0;

  constructor(host: string, port: number, dns: DnsCache) {
    this.#host = host;
    this.#port = port;
    this.#dns = dns;
    const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
    this.#fixed =
      isIP(bare) === 0
        ? undefined
        : { kind: 'address', address: new BalancerAddress(host, bare, port, 100) };
  }

  get addresses(): Iterable<BalancerAddress> {
    return this.#fixed === undefined ? this.#addresses.values() : [this.#fixed.address];
  }

  pick(tried: Tried): Destination | Promise<Destination> {
    if (this.#fixed !== undefined) return this.#fixed;
    const found = this.#dns.get(this.#host);
    if (!(found instanceof Promise)) return this.#choose(found, tried);
    return found.then(
      (addresses) => this.#choose(addresses, tried),
      () => noName,
    );
  }

  #choose(found: readonly ResolvedAddress[], tried: Tried): Destination {
    if (found !== this.#found) {
      this.#found = found;
      this.#forgetOthers(found);
    }
    let fallback: BalancerAddress | undefined;
    for (let step = 0; step < found.length; step += 1) {
      this.#turn = (this.#turn + 1) % found.length;
      const item = found[this.#turn];
      if (item === undefined) continue;
      const address = this.#addressOf(item);
      if (tried?.has(address) !== true) return { kind: 'address', address };
      fallback ??= address;
    }
    return fallback === undefined ? noName : { kind: 'address', address: fallback };
  }

  #addressOf(item: ResolvedAddress): BalancerAddress {
    const port = item.port ?? this.#port;
    const key = `${item.ip} ${port}`;
    let address = this.#addresses.get(key);
    if (address === undefined) {
      address = new BalancerAddress(this.#host, item.ip, port, 100);
      this.#addresses.set(key, address);
    }
    return address;
  }

  #forgetOthers(found: readonly ResolvedAddress[]): void {
    const kept = new Set(found.map((item) => `${item.ip} ${item.port ?? this.#port}`));
    for (const key of this.#addresses.keys()) {
      if (!kept.has(key)) this.#addresses.delete(key);
    }
  }
}
