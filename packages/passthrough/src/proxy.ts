import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { listenOn, parseAddressRanges } from '@waygate/text';
import {
  type Backend,
  defaultLimits,
  type PassthroughLimits,
  type PassthroughTable,
} from './config.ts';
import { Connection, socketHighWaterMark } from './connection.ts';
import type {
  ConnectionHost,
  ConnectionSummary,
  ProxyProtocolIn,
  Routing,
} from './connection-host.ts';
import { EndpointPool } from './endpoint-pool.ts';
import { countRefusal, newCounters, type PassthroughCounters } from './metrics.ts';
import { RouteTable } from './route-table.ts';
import { endWithAlert } from './tls-alert.ts';

/** Clients beyond `maxConnections` that are told so at the same time. */
const maxTurnedAway = 256;

/** The table, the limits, and what a proxy tells. */
export interface PassthroughOptions {
  readonly table: PassthroughTable;
  readonly limits?: Partial<PassthroughLimits> | undefined;
  /** Whether peers may send a PROXY header, and which. Off unless named. */
  readonly proxyProtocol?:
    | { readonly mode: 'optional' | 'required'; readonly trusted: readonly string[] }
    | undefined;
  /** Called once a connection is over: an access log. */
  readonly onConnection?: ((summary: ConnectionSummary) => void) | undefined;
}

/** Where a proxy listens; port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * A TLS proxy that reads only the ClientHello: it picks a backend by server name and ALPN, and
 * carries the bytes untouched.
 *
 * ```ts
 * const endpoints = [{ address: '127.0.0.1', port: 8443 }];
 * const hosts = [{ host: 'a.example.com', backend: { name: 'a', endpoints } }];
 * const proxy = new PassthroughProxy({ table: { hosts } });
 * const { port } = await proxy.start({ host: '127.0.0.1', port: 0 });
 * proxy.update({ hosts: [] }); // connections that live keep their backend
 * await proxy.stop({ drainMs: 10_000 });
 * ```
 */
export class PassthroughProxy {
  readonly counters: PassthroughCounters = newCounters();
  readonly #options: PassthroughOptions;
  readonly #limits: PassthroughLimits;
  readonly #host: ConnectionHost;
  /** Every connection that was admitted and has not told its end. */
  readonly #connections = new Set<Connection>();
  /** Connections by source address; an address with none is not in it. */
  readonly #byAddress = new Map<string, number>();
  /** Sockets that only wait for their refusal to be sent; bounded, or a flood would cost memory. */
  readonly #turnedAway = new Set<Socket>();
  /** Swapped whole by `update`; a connection keeps the one that it was routed by. */
  #routing: Routing;
  #server: Server | undefined;
  /** Called when the last connection has ended, while somebody waits for that. */
  #whenIdle: (() => void) | undefined;

  constructor(options: PassthroughOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#routing = this.#compile(options.table, new Map());
    const proxyProtocol: ProxyProtocolIn = {
      mode: options.proxyProtocol?.mode ?? 'off',
      trusted: parseAddressRanges(options.proxyProtocol?.trusted ?? []),
    };
    this.#host = {
      limits: this.#limits,
      proxyProtocol,
      counters: this.counters,
      routing: () => this.#routing,
      admit: (address) => this.#admit(address),
      closed: (connection, summary) => this.#closed(connection, summary),
    };
  }

  /** Listens; resolves with the address, whose port is real when 0 was asked for. */
  async start(address: ListenAddress): Promise<ListenAddress> {
    const server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      highWaterMark: socketHighWaterMark,
    });
    server.on('connection', (socket) => this.#accept(socket));
    this.#server = server;
    await listenOn(server, { host: address.host, port: address.port, backlog: 4096 });
    const { address: host, port } = server.address() as AddressInfo;
    return { host, port };
  }

  /** Swaps the table at once for new connections. Endpoints that stay keep their health and load. */
  update(table: PassthroughTable): void {
    this.#routing = this.#compile(table, this.#routing.pools);
  }

  /** Takes no new connections and waits for the living ones, at most `drainMs`; then ends them. */
  async stop({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if (this.#connections.size > 0 && drainMs > 0) await this.#drain(drainMs);
    const ended = this.#allEnded();
    for (const connection of this.#connections) connection.destroy();
    for (const socket of this.#turnedAway) socket.destroy();
    await Promise.all([closed, ended]);
  }

  /** A socket that is closed has yet to tell its connection, which then tells who asked to hear of it. */
  #allEnded(): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  #drain(drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      this.#whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #compile(table: PassthroughTable, before: ReadonlyMap<Backend, EndpointPool>): Routing {
    const byName = new Map([...before].map(([backend, pool]) => [backend.name, pool]));
    const backends = new Set(table.hosts.map(({ backend }) => backend));
    if (table.defaultBackend !== undefined) backends.add(table.defaultBackend);
    const options = { ...this.#limits, now: () => performance.now() };
    const pools = new Map(
      [...backends].map((backend) => [
        backend,
        new EndpointPool(backend, options, byName.get(backend.name)),
      ]),
    );
    return { table: new RouteTable(table), pools };
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= this.#limits.maxConnections) {
      this.counters.accepted += 1;
      countRefusal(this.counters, 'too-many-connections');
      this.#turnAway(socket);
      return;
    }
    const connection = new Connection(socket, this.#host);
    this.#connections.add(connection);
    connection.start();
  }

  /** The client is told, as long as not too many are being told: they are sockets beyond the limit. */
  #turnAway(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#turnedAway.size >= maxTurnedAway) {
      socket.destroy();
      return;
    }
    this.#turnedAway.add(socket);
    const timer = endWithAlert(socket, 'internalError');
    socket.once('close', () => {
      clearTimeout(timer);
      this.#turnedAway.delete(socket);
    });
  }

  #admit(address: string): boolean {
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= this.#limits.maxConnectionsPerAddress) return false;
    this.#byAddress.set(address, count + 1);
    return true;
  }

  #closed(connection: Connection, summary: ConnectionSummary): void {
    this.#connections.delete(connection);
    const address = connection.admittedAddress;
    if (address !== null) {
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    }
    this.#options.onConnection?.(summary);
    if (this.#connections.size === 0) this.#whenIdle?.();
  }
}
