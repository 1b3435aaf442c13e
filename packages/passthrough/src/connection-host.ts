import type { AddressRange } from '@waygate/text';
import type { Backend, PassthroughLimits } from './config.ts';
import type { Connection } from './connection.ts';
import type { EndpointPool } from './endpoint-pool.ts';
import type { PassthroughCounters, Refusal } from './metrics.ts';
import type { RouteTable } from './route-table.ts';

/** A table and the pools that belong to it: a connection looks at one pair for all its life. */
export interface Routing {
  readonly table: RouteTable;
  readonly pools: ReadonlyMap<Backend, EndpointPool>;
}

export interface ProxyProtocolIn {
  readonly mode: 'off' | 'optional' | 'required';
  /** Only these peers may speak for others. */
  readonly trusted: AddressRange | undefined;
}

/** What a connection needs of the proxy that accepted it. */
export interface ConnectionHost {
  readonly limits: PassthroughLimits;
  readonly proxyProtocol: ProxyProtocolIn;
  readonly counters: PassthroughCounters;
  routing(): Routing;
  /** False when the address has too many connections; a counted one is given back by `closed`. */
  admit(address: string): boolean;
  closed(connection: Connection, summary: ConnectionSummary): void;
}

/** What is known of a connection when it is over: one line of an access log. */
export interface ConnectionSummary {
  readonly clientAddress: string;
  readonly clientPort: number;
  readonly serverName: string | null;
  readonly host: string | undefined;
  readonly endpoint: string | undefined;
  readonly refusal: Refusal | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly durationMs: number;
}
