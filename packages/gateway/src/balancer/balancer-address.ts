/**
 * One place that requests can be sent to: a target's name resolved to an address. The counts live here
 * and outlast configurations, so that a change elsewhere does not make a balancer forget.
 */
export class BalancerAddress {
  /** The host as the target or service names it; health checks and `Host` use it. */
  readonly hostname: string;
  readonly ip: string;
  readonly port: number;
  weight: number;
  /** Requests under way. */
  connections = 0;
  /** Moving average of how long answers take, in milliseconds; undefined until the first. */
  latencyMs: number | undefined;
  isHealthy = true;

  constructor(hostname: string, ip: string, port: number, weight: number) {
    this.hostname = hostname;
    this.ip = ip;
    this.port = port;
    this.weight = weight;
  }

  /** `ip:port`, with brackets around an IPv6 address. */
  get authority(): string {
    return `${this.ip.includes(':') ? `[${this.ip}]` : this.ip}:${this.port}`;
  }

  observeLatency(ms: number): void {
    const before = this.latencyMs;
    this.latencyMs = before === undefined || ms > before ? ms : before * 0.7 + ms * 0.3;
  }
}

/** `host:port` of a target. The port is 8000 if none is given, as in Kong. */
export function parseTarget(target: string): { host: string; port: number } {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/.exec(target);
  const host = match?.groups?.v6 ?? match?.groups?.name ?? target;
  return { host, port: Number(match?.groups?.port ?? 8000) };
}
