import { connect, isIPv6 } from 'node:net';
import type { KongActiveHealthcheck } from '@waygate/kong';
import { afterArrivals, HttpClient, TimeoutError, withDeadline } from '@waygate/text';
import type { BalancerAddress } from './balancer-address.ts';
import type { ChangedBalancers } from './balancer-registry.ts';
import type { HealthEvent } from './health-counter.ts';
import type { UpstreamBalancer } from './upstream-balancer.ts';

type Side = 'healthy' | 'unhealthy';

const sides: readonly Side[] = ['healthy', 'unhealthy'];

/** Probes targets of upstreams whose active checks are on; the unhealthy in an interval of their own. */
export class HealthChecker {
  readonly #timers: Readonly<Record<Side, Map<UpstreamBalancer, NodeJS.Timeout>>> = {
    healthy: new Map(),
    unhealthy: new Map(),
  };
  #isStopped = false;

  /** Starts and stops checks as the upstreams that changed now ask for it. */
  reconcile({ kept, gone }: ChangedBalancers): void {
    for (const side of sides) {
      const timers = this.#timers[side];
      for (const balancer of kept) {
        if (intervalOf(balancer, side) === undefined) {
          this.#cancel(timers, balancer);
        } else if (!timers.has(balancer)) {
          this.#schedule(balancer, side);
        }
      }
      for (const balancer of gone) this.#cancel(timers, balancer);
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const side of sides) {
      for (const timer of this.#timers[side].values()) clearTimeout(timer);
      this.#timers[side].clear();
    }
  }

  #cancel(timers: Map<UpstreamBalancer, NodeJS.Timeout>, balancer: UpstreamBalancer): void {
    clearTimeout(timers.get(balancer));
    timers.delete(balancer);
  }

  #schedule(balancer: UpstreamBalancer, side: Side): void {
    const interval = intervalOf(balancer, side);
    if (interval === undefined || this.#isStopped) return;
    const timer = setTimeout(() => {
      void this.#checkAll(balancer, side).finally(() => {
        if (this.#timers[side].get(balancer) === timer) this.#schedule(balancer, side);
      });
    }, interval);
    timer.unref();
    this.#timers[side].set(balancer, timer);
  }

  async #checkAll(balancer: UpstreamBalancer, side: Side): Promise<void> {
    await balancer.resolve();
    const settings = balancer.upstream.healthchecks?.active;
    if (settings === undefined) return;
    const queue = balancer.states
      .flatMap((state) => state.addresses)
      .filter((address) => address.isHealthy === (side === 'healthy'));
    const count = Math.max(1, Math.min(settings.concurrency ?? 10, queue.length));
    const work = async (): Promise<void> => {
      for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
        balancer.reportActive(address, await probe(address, settings));
      }
    };
    await Promise.all(Array.from({ length: count }, work));
  }
}

/** In milliseconds; undefined if this side is not checked. */
function intervalOf(balancer: UpstreamBalancer, side: Side): number | undefined {
  const seconds = balancer.upstream.healthchecks?.active?.[side]?.interval ?? 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Asks one address once, on a connection of its own. Never rejects. */
async function probe(
  address: BalancerAddress,
  settings: KongActiveHealthcheck,
): Promise<HealthEvent> {
  const timeoutMs = (settings.timeout ?? 1) * 1_000;
  if (settings.type === 'tcp' || settings.type === 'grpc' || settings.type === 'grpcs') {
    return probeTcp(address, timeoutMs);
  }
  const client = new HttpClient({
    tls: {
      serverName: settings.https_sni ?? address.hostname,
      isUnverified: settings.https_verify_certificate === false,
    },
    connectTimeoutMs: timeoutMs,
  });
  const host = isIPv6(address.ip) ? `[${address.ip}]` : address.ip;
  try {
    // For all of it: one that answers a byte now and then would keep its neighbours from being asked.
    const { statusCode } = await withDeadline(client.send)({
      origin: `${settings.type === 'https' ? 'https' : 'http'}://${host}:${address.port}`,
      path: settings.http_path ?? '/',
      headers: { host: address.hostname, 'user-agent': 'kong', ...settings.headers },
      timeoutMs,
    });
    return { kind: 'status', status: statusCode };
  } catch (error) {
    return { kind: error instanceof TimeoutError ? 'timeout' : 'tcp-failure' };
  } finally {
    client.close();
  }
}

function probeTcp(address: BalancerAddress, timeoutMs: number): Promise<HealthEvent> {
  return new Promise((resolve) => {
    const socket = connect({ host: address.ip, port: address.port });
    socket.setTimeout(timeoutMs, () =>
      afterArrivals(() => {
        resolve({ kind: 'timeout' });
        socket.destroy();
      }),
    );
    socket.on('connect', () => {
      resolve({ kind: 'tcp-success' });
      socket.destroy();
    });
    socket.on('error', () => resolve({ kind: 'tcp-failure' }));
  });
}
