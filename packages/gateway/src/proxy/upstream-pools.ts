import { Pool } from 'undici';
import type { BalancerAddress } from '../balancer/balancer-address.ts';

/** How to speak TLS to an upstream. */
export interface UpstreamTls {
  readonly isVerified: boolean;
  readonly ca: readonly string[];
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

interface PooledAddress {
  readonly pools: Map<string, Pool>;
}

/** As Kong's `upstream_keepalive_idle_timeout`. */
const idleMs = 60_000;

/**
 * Kept-alive connections by address. An address belongs to a target: when the target goes, its pools are
 * closed after what is under way has ended.
 */
export class UpstreamPools {
  readonly #addresses = new Map<BalancerAddress, PooledAddress>();
  #isClosed = false;

  /** Plain HTTP to an address. */
  plain(address: BalancerAddress, connectTimeoutMs: number): Pool {
    return this.#get(address, `http ${connectTimeoutMs}`, () => {
      const origin = `http://${address.authority}`;
      return new Pool(origin, this.#settings({ timeout: connectTimeoutMs }));
    });
  }

  /** TLS to an address, for one server name: undici reconnects when the name changes. */
  secure(
    address: BalancerAddress,
    connectTimeoutMs: number,
    serverName: string,
    tls: UpstreamTls,
    tlsKey: string,
  ): Pool {
    return this.#get(address, `https ${connectTimeoutMs} ${serverName} ${tlsKey}`, () => {
      const connect = {
        timeout: connectTimeoutMs,
        rejectUnauthorized: tls.isVerified,
        ALPNProtocols: ['http/1.1'],
        ...(serverName === '' ? {} : { servername: serverName }),
        ...(tls.ca.length === 0 ? {} : { ca: [...tls.ca] }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
      };
      return new Pool(`https://${address.authority}`, this.#settings(connect));
    });
  }

  /** Lets go of addresses that no balancer knows any more. */
  retain(known: ReadonlySet<BalancerAddress>): void {
    for (const [address, { pools }] of this.#addresses) {
      if (!known.has(address) && address.connections === 0) {
        this.#addresses.delete(address);
        for (const pool of pools.values()) {
          void pool.close();
        }
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#addresses.values()].flatMap((item) => [...item.pools.values()]);
    this.#addresses.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #settings(connect: object): Pool.Options {
    return {
      connections: 512,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The client's limits were checked when its headers were read; upstreams may send more.
      maxHeaderSize: 64 * 1_024,
      connect,
    };
  }

  #get(address: BalancerAddress, key: string, create: () => Pool): Pool {
    if (this.#isClosed) {
      throw new Error('the gateway has stopped');
    }
    let pooled = this.#addresses.get(address);
    if (pooled === undefined) {
      pooled = { pools: new Map() };
      this.#addresses.set(address, pooled);
    }
    let pool = pooled.pools.get(key);
    if (pool === undefined) {
      pool = create();
      pooled.pools.set(key, pool);
    }
    return pool;
  }
}
