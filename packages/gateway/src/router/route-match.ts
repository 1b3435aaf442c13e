import type { KongRoute, KongService } from '@waygate/kong';

/** A route with an id, and the enabled service that it points at. */
export interface RouteEntry {
  readonly route: KongRoute & { readonly id: string };
  readonly service: KongService | undefined;
}

/**
 * What routing may look at. Values that cost something to get are asked for by function, so that a
 * configuration without header rules never parses headers.
 */
export interface RouteRequest {
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls' | 'udp';
  readonly method: string;
  /** Normalised as {@link normalizePath} does; empty for streams. */
  readonly path: string;
  /** The `Host` header as it came, with its port if it had one. */
  readonly host: string;
  readonly sni: string | undefined;
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly destinationIp: string;
  readonly destinationPort: number;
  /** All values of a header, by lower-case name, in the order in which they came. */
  header(name: string): readonly string[] | undefined;
  query(name: string): readonly string[] | undefined;
}

/** Groups that the path's regular expression captured, by number and by name. */
export interface PathCaptures {
  /** A group that took no part in the match has none. */
  readonly numbered: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string>>;
}

/** The decision for one request. */
export interface RouteMatch {
  readonly entry: RouteEntry;
  /** The part of the path that matched, if the route strips it. */
  readonly prefix: string | undefined;
  /** The path for the upstream, not yet percent-encoded and without the query. */
  readonly upstreamPath: string;
  readonly captures: PathCaptures | undefined;
}

/** A route as it is from now on, or without `entry` that it is gone. */
export interface RouteChange {
  readonly id: string;
  readonly entry: RouteEntry | undefined;
}

/** Decides on requests. It is immutable: {@link change} makes another. */
export interface Router {
  match(request: RouteRequest): RouteMatch | undefined;
  /** The router after changes. It decides as one that is made anew of the same routes. */
  change(changes: readonly RouteChange[]): Router;
}

const streamProtocols: ReadonlySet<string> = new Set(['tcp', 'tls', 'udp', 'tls_passthrough']);

/** Kong looks at the first protocol only: a route is all HTTP or all stream. */
export function isStreamRoute(route: KongRoute): boolean {
  const first = route.protocols?.[0];
  return first !== undefined && streamProtocols.has(first);
}

export function isEmpty(list: readonly unknown[] | null | undefined): boolean {
  return list === null || list === undefined || list.length === 0;
}
