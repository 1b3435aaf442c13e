import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { KongActiveHealthcheck } from '@waygate/kong';
import type { BalancerAddress } from './balancer-address.ts';
import type { BalancerRegistry } from './balancer-registry.ts';
import type { HealthEvent } from './health-counter.ts';
import type { UpstreamBalancer } from './upstream-balancer.ts';

/** Probes targets of upstreams whose active checks are on. */
export class HealthChecker {
  readonly #balancers: BalancerRegistry;
  readonly #timers = new Map<UpstreamBalancer, NodeJS.Timeout>();
  #isStopped = false;

  constructor(balancers: BalancerRegistry) {
    this.#balancers = balancers;
  }

  /** Starts and stops checks as the upstreams now ask for it. */
  reconcile(): void {
    const wanted = new Set<UpstreamBalancer>();
    for (const balancer of this.#balancers.balancers) {
      if (intervalOf(balancer) !== undefined) {
        wanted.add(balancer);
        if (!this.#timers.has(balancer)) {
          this.#schedule(balancer);
        }
      }
    }
    for (const [balancer, timer] of this.#timers) {
      if (!wanted.has(balancer)) {
        clearTimeout(timer);
        this.#timers.delete(balancer);
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
    this.#timers.clear();
  }

  #schedule(balancer: UpstreamBalancer): void {
    const interval = intervalOf(balancer);
    if (interval === undefined || this.#isStopped) {
      return;
    }
    const timer = setTimeout(() => {
      void this.#checkAll(balancer).finally(() => {
        if (this.#timers.get(balancer) === timer) {
          this.#schedule(balancer);
        }
      });
    }, interval);
    timer.unref();
    this.#timers.set(balancer, timer);
  }

  async #checkAll(balancer: UpstreamBalancer): Promise<void> {
    await balancer.resolve();
    const settings = balancer.upstream.healthchecks?.active;
    if (settings === undefined) {
      return;
    }
    const due = balancer.states
      .flatMap((state) => state.addresses)
      .filter((address) => {
        const side = address.isHealthy ? settings.healthy : settings.unhealthy;
        return (side?.interval ?? 0) > 0;
      });
    const queue = [...due];
    const work = async (): Promise<void> => {
      for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
        balancer.reportActive(address, await probe(address, settings));
      }
    };
    const count = Math.max(1, Math.min(settings.concurrency ?? 10, due.length));
    await Promise.all(Array.from({ length: count }, work));
  }
}

/** The shorter of the two intervals that are on, in milliseconds. */
function intervalOf(balancer: UpstreamBalancer): number | undefined {
  const active = balancer.upstream.healthchecks?.active;
  const seconds = [active?.healthy?.interval ?? 0, active?.unhealthy?.interval ?? 0].filter(
    (value) => value > 0,
  );
  return seconds.length === 0 ? undefined : Math.min(...seconds) * 1_000;
}

/** Asks one address once. Never rejects. */
function probe(address: BalancerAddress, settings: KongActiveHealthcheck): Promise<HealthEvent> {
  const timeoutMs = (settings.timeout ?? 1) * 1_000;
  if (settings.type === 'tcp' || settings.type === 'grpc' || settings.type === 'grpcs') {
    return probeTcp(address, timeoutMs);
  }
  return new Promise((resolve) => {
    const isSecure = settings.type === 'https';
    const options = {
      host: address.ip,
      port: address.port,
      path: settings.http_path ?? '/',
      headers: { Host: address.hostname, 'User-Agent': 'kong', ...settings.headers },
      timeout: timeoutMs,
      agent: false as const,
      servername: settings.https_sni ?? address.hostname,
      rejectUnauthorized: settings.https_verify_certificate !== false,
    };
    const request = (isSecure ? httpsRequest : httpRequest)(options as object, (response) => {
      response.resume();
      request.destroy();
      resolve({ kind: 'status', status: response.statusCode ?? 0 });
    });
    request.on('timeout', () => {
      resolve({ kind: 'timeout' });
      request.destroy();
    });
    request.on('error', () => resolve({ kind: 'tcp-failure' }));
    request.end();
  });
}

function probeTcp(address: BalancerAddress, timeoutMs: number): Promise<HealthEvent> {
  return new Promise((resolve) => {
    const socket = connect({ host: address.ip, port: address.port });
    socket.setTimeout(timeoutMs, () => {
      resolve({ kind: 'timeout' });
      socket.destroy();
    });
    socket.on('connect', () => {
      resolve({ kind: 'tcp-success' });
      socket.destroy();
    });
    socket.on('error', () => resolve({ kind: 'tcp-failure' }));
  });
}
