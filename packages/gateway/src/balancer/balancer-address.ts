/**
 * One place that requests can be sent to: a target's name resolved to an address. The counts live here
 * and outlast configurations, so that a change elsewhere does not make a balancer forget.
 */
export class BalancerAddress {
  /** The host as the target or service names it; health checks and `Host` use it. */
  readonly hostname: string;
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, with brackets around an IPv6 address. */
  readonly authority: string;
  weight: number;
  /** Requests under way. */
  connections = 0;
  /** Moving average of how long answers take, in milliseconds; undefined until the first. */
  latencyMs: number | undefined;
  isHealthy = true;
  #rampStart = 0;
  /** When it carries its full weight, in milliseconds since the epoch; 0 once it does. */
  #rampEnd = 0;

  constructor(hostname: string, ip: string, port: number, weight: number) {
    this.hostname = hostname;
    this.ip = ip;
    this.port = port;
    this.weight = weight;
    this.authority = `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
  }

  observeLatency(ms: number): void {
    const before = this.latencyMs;
    this.latencyMs = before === undefined || ms > before ? ms : before * 0.7 + ms * 0.3;
  }

  /** Lets its share grow from little to all of its weight. */
  startSlowly(now: number, durationMs: number): void {
    this.#rampStart = now;
    this.#rampEnd = durationMs > 0 ? now + durationMs : 0;
  }

  /** How much of its weight counts now, above 0 and up to 1. */
  share(now: () => number): number {
    if (this.#rampEnd === 0) return 1;
    const time = now();
    if (time >= this.#rampEnd) {
      this.#rampEnd = 0;
      return 1;
    }
    return Math.max(minimumShare, (time - this.#rampStart) / (this.#rampEnd - this.#rampStart));
  }
}

/** Even a target that has just come gets a few requests, or its caches would never warm. */
const minimumShare = 0.1;

/** `host:port` of a target. The port is 8000 if none is given, as in Kong. */
export function parseTarget(target: string): { host: string; port: number } {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/.exec(target);
  const host = match?.groups?.v6 ?? match?.groups?.name ?? target;
  return { host, port: Number(match?.groups?.port ?? 8000) };
}
