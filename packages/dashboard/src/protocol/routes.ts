import type { Health, Origin, ShownObject } from './reference.ts';

/** One line of the Routes page: a route of the gateway, and all that is known of it. */
export interface RouteRow {
  readonly id: string;
  readonly name: string;
  readonly protocols: readonly string[];
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  /** Of a router with expressions, in place of hosts, paths and methods. */
  readonly expression?: string;
  readonly plugins: readonly RoutePlugin[];
  readonly service?: { readonly id: string; readonly name: string; readonly address: string };
  readonly targets: readonly RouteTarget[];
  /** The Ingress, HTTPRoute, … that it was made from. */
  readonly object?: ShownObject;
  readonly origin?: Origin;
  readonly health: Health;
  readonly reason?: string;
}

export interface RoutePlugin {
  readonly name: string;
  /** `route`, `service`, `route and service` or `global`. */
  readonly scope: string;
}

export interface RouteTarget {
  readonly target: string;
  readonly weight: number;
  readonly health: Health;
}

/**
 * What went over a route lately. Sent apart from the row, which it would otherwise send again at every
 * request. One number for each of the last minutes' slots, oldest first.
 */
export interface RouteTraffic {
  /** The route's id. */
  readonly id: string;
  readonly slotMs: number;
  /** When the last slot ended, in milliseconds since 1970. */
  readonly endedAt: number;
  readonly requests: readonly number[];
  /** Answers of 500 and above. */
  readonly errors: readonly number[];
  /** Milliseconds; null where nothing was requested. */
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}
