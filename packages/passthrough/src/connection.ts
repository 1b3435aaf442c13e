import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { AddressList } from './address-list.ts';
import { type ClientHello, ClientHelloParser, type HelloDecision } from './client-hello.ts';
import type { Backend, PassthroughLimits } from './config.ts';
import { Download } from './download.ts';
import { type EndpointPool, keyOf, type Lease } from './endpoint-pool.ts';
import { countRefusal, hostCounters, type PassthroughCounters, type Refusal } from './metrics.ts';
import {
  type ConnectionEnds,
  encodeProxyV1,
  encodeProxyV2,
  parseProxyHeader,
  plain,
} from './proxy-protocol.ts';
import type { RouteChoice, RouteDecision, RouteTable } from './route-table.ts';
import { encodeAlert, type TlsAlert } from './tls-alert.ts';

/** A table and the pools that belong to it: a connection looks at one pair for all its life. */
export interface Routing {
  readonly table: RouteTable;
  readonly pools: ReadonlyMap<Backend, EndpointPool>;
}

export interface ProxyProtocolIn {
  readonly mode: 'off' | 'optional' | 'required';
  /** Only these peers may speak for others. */
  readonly trusted: AddressList;
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

/** After an alert, the client gets this long to read it before the socket is closed under it. */
const lingerMs = 1_000;
/** Room for a burst on the way to a slower peer, per direction. */
export const socketHighWaterMark = 256 * 1024;

/** One client, from accept to the last byte: sniff, choose, connect, carry. */
export class Connection {
  readonly #client: Socket;
  readonly #host: ConnectionHost;
  readonly #startedMs = Date.now();
  #ends: ConnectionEnds;
  /** The address that `admit` counted; null until a trusted proxy has named the client. */
  admittedAddress: string | null = null;
  /** Received and not yet sent on; given to the backend verbatim. */
  #head: Buffer[] = [];
  #parser: ClientHelloParser | undefined;
  #isAwaitingProxyHeader: boolean;
  #timer: NodeJS.Timeout | undefined;
  #backend: Socket | undefined;
  #lease: Lease | undefined;
  #hello: Pick<ClientHello, 'serverName' | 'alpn'> = { serverName: null, alpn: [] };
  #choice: RouteChoice | undefined;
  #refusal: Refusal | undefined;
  #isSniffing = true;

  constructor(client: Socket, host: ConnectionHost) {
    this.#client = client;
    this.#host = host;
    this.#parser = new ClientHelloParser(host.limits.maxHelloBytes);
    this.#ends = {
      sourceAddress: plain(client.remoteAddress ?? ''),
      sourcePort: client.remotePort ?? 0,
      // Asked of the system only by those who tell a backend of it.
      get destinationAddress() {
        return plain(client.localAddress ?? '');
      },
      get destinationPort() {
        return client.localPort ?? 0;
      },
    };
    this.#isAwaitingProxyHeader =
      host.proxyProtocol.mode !== 'off' && host.proxyProtocol.trusted.has(this.#ends.sourceAddress);
  }

  start(): void {
    const { counters, limits } = this.#host;
    counters.accepted += 1;
    counters.active += 1;
    counters.pendingHellos += 1;
    this.#client.once('close', () => this.#clientClosed());
    this.#client.on('error', () => this.#client.destroy());
    if (!this.#isAwaitingProxyHeader && !this.#admit()) return;
    this.#timer = setTimeout(() => this.#drop('hello-timeout'), limits.helloTimeoutMs);
    this.#client.on('data', this.#sniff);
    // A client that ends before its hello is whole has nothing to route.
    this.#client.once('end', () => {
      if (this.#isSniffing) this.#drop('client-gone');
    });
  }

  /** Ends the connection at once: for a drain that ran out of time. */
  destroy(): void {
    this.#client.destroy();
    this.#backend?.destroy();
  }

  #admit(): boolean {
    const address = this.#ends.sourceAddress;
    if (this.#host.admit(address)) {
      this.admittedAddress = address;
      return true;
    }
    this.#drop('too-many-from-address');
    return false;
  }

  readonly #sniff = (chunk: Buffer): void => {
    if (!this.#isAwaitingProxyHeader) {
      this.#head.push(chunk);
      this.#decide(this.#parser!.push(chunk));
      return;
    }
    this.#head.push(chunk);
    this.#readProxyHeader(Buffer.concat(this.#head));
  };

  #readProxyHeader(received: Buffer): void {
    const decision = parseProxyHeader(received);
    if (decision.kind === 'need-more') {
      this.#head = [received];
      return;
    }
    const isRequired = this.#host.proxyProtocol.mode === 'required';
    if (decision.kind === 'malformed' || (decision.kind === 'absent' && isRequired)) {
      this.#drop('malformed-proxy-header');
      return;
    }
    if (decision.kind === 'header' && decision.header.ends !== undefined)
      this.#ends = decision.header.ends;
    this.#isAwaitingProxyHeader = false;
    if (!this.#admit()) return;
    const rest = decision.kind === 'header' ? received.subarray(decision.length) : received;
    this.#head = [];
    if (rest.length > 0) this.#sniff(rest);
  }

  #decide(decision: HelloDecision): void {
    if (decision.kind === 'need-more') return;
    this.#endSniffing();
    const { counters } = this.#host;
    const { table, pools } = this.#host.routing();
    switch (decision.kind) {
      case 'hello': {
        this.#hello = decision.hello;
        if (decision.hello.serverName === null) counters.serverNameMissing += 1;
        else counters.serverNameFound += 1;
        this.#follow(table.choose(decision.hello, this.#ends.sourceAddress), pools);
        return;
      }
      case 'not-tls': {
        const choice = table.chooseDefault();
        if (choice.kind === 'route') this.#follow(choice, pools);
        else this.#refuse('not-tls', undefined);
        return;
      }
      case 'rejected':
        this.#refuse(
          decision.reason === 'hello-too-large' ? 'hello-too-large' : 'malformed-hello',
          'decodeError',
        );
    }
  }

  #endSniffing(): void {
    this.#isSniffing = false;
    this.#host.counters.pendingHellos -= 1;
    for (const chunk of this.#head) this.#host.counters.helloBytes += chunk.length;
    this.#parser = undefined;
    clearTimeout(this.#timer);
    this.#client.off('data', this.#sniff);
    // Nothing more is read until there is somewhere to put it.
    this.#client.pause();
  }

  #follow(decision: RouteDecision, pools: ReadonlyMap<Backend, EndpointPool>): void {
    if (decision.kind === 'unrecognized-name') {
      this.#refuse('unrecognized-name', 'unrecognizedName');
      return;
    }
    if (decision.kind === 'source-denied') {
      this.#refuse('source-denied', 'accessDenied');
      return;
    }
    this.#choice = decision.choice;
    const pool = pools.get(decision.choice.backend);
    this.#connect(pool, new Set());
  }

  #connect(pool: EndpointPool | undefined, tried: Set<string>): void {
    const { limits, counters } = this.#host;
    const lease = tried.size < limits.maxConnectAttempts ? pool?.pick(tried) : undefined;
    if (lease === undefined || this.#client.destroyed) {
      lease?.release();
      this.#refuse('backend-unreachable', 'internalError');
      return;
    }
    tried.add(keyOf(lease.endpoint));
    const download = new Download();
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: lease.endpoint.address,
      port: lease.endpoint.port,
      allowHalfOpen: true,
      noDelay: true,
      // An address needs no choice between families; a name gets one.
      autoSelectFamily: isIP(lease.endpoint.address) === 0,
      highWaterMark: socketHighWaterMark,
      onread: download.onread,
    };
    const backend = connect(options);
    this.#backend = backend;
    const fail = (): void => {
      clearTimeout(this.#timer);
      backend.removeAllListeners();
      backend.on('error', () => {});
      backend.destroy();
      lease.failed();
      lease.release();
      hostCounters(counters, this.#choice!.host).connectFailures += 1;
      this.#connect(pool, tried);
    };
    this.#timer = setTimeout(fail, limits.connectTimeoutMs);
    backend.once('error', fail);
    backend.once('connect', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      backend.off('error', fail);
      lease.connected();
      this.#lease = lease;
      this.#carry(backend, download);
    });
  }

  #carry(backend: Socket, download: Download): void {
    const client = this.#client;
    if (client.destroyed) {
      backend.destroy();
      this.#lease?.release();
      return;
    }
    const counters = hostCounters(this.#host.counters, this.#choice!.host);
    counters.connections += 1;
    counters.active += 1;
    backend.once('close', () => {
      counters.active -= 1;
      counters.bytesIn += client.bytesRead;
      counters.bytesOut += client.bytesWritten;
      this.#lease?.release();
      // The backend is gone in both directions: what it sent is on its way to the client.
      if (!client.destroyed && !client.writableEnded) client.end();
      if (!client.readableEnded) client.resume();
    });
    backend.on('error', () => {
      backend.destroy();
      if (!client.destroyed) client.resetAndDestroy();
    });
    backend.cork();
    const header = this.#proxyHeader();
    if (header !== undefined) backend.write(header);
    for (const chunk of this.#head) backend.write(chunk);
    backend.uncork();
    this.#head = [];
    pipe(client, backend);
    download.start(backend, client);
    afterEnd(backend, () => client.end());
    this.#watchIdleness(backend);
    client.resume();
  }

  /**
   * TCP keep-alive is turned on at the first silence: only then can a peer have vanished unseen, and
   * most connections are over before. Silence beyond the idle timeout ends the connection.
   */
  #watchIdleness(backend: Socket): void {
    const client = this.#client;
    const { idleTimeoutMs, halfClosedTimeoutMs, keepAliveMs } = this.#host.limits;
    let isProbing = false;
    let limitMs = idleTimeoutMs;
    client.setTimeout(Math.min(keepAliveMs, limitMs));
    client.on('timeout', () => {
      if (isProbing || limitMs <= keepAliveMs) {
        this.destroy();
        return;
      }
      isProbing = true;
      for (const socket of [client, backend]) socket.setKeepAlive(true, keepAliveMs);
      client.setTimeout(limitMs);
    });
    const shorten = (): void => {
      limitMs = Math.min(idleTimeoutMs, halfClosedTimeoutMs);
      client.setTimeout(isProbing ? limitMs : Math.min(keepAliveMs, limitMs));
    };
    afterEnd(client, shorten);
    afterEnd(backend, shorten);
  }

  #proxyHeader(): Buffer | undefined {
    switch (this.#choice?.backend.proxyProtocol) {
      case 'v1':
        return encodeProxyV1(this.#ends);
      case 'v2':
        return encodeProxyV2(this.#ends, {
          authority: this.#hello.serverName ?? undefined,
          alpn: this.#hello.alpn[0],
        });
      default:
        return undefined;
    }
  }

  /** Says why in TLS's own terms, and lets the client read it: closing at once would reset it away. */
  #refuse(refusal: Refusal, alert: TlsAlert | undefined): void {
    if (this.#client.destroyed) return;
    this.#refusal = refusal;
    this.#head = [];
    this.#timer = setTimeout(() => this.#client.destroy(), lingerMs);
    if (alert === undefined) this.#client.end();
    else this.#client.end(encodeAlert(alert));
    this.#client.once('end', () => this.#client.destroySoon());
    this.#client.resume();
  }

  #drop(refusal: Refusal): void {
    this.#refusal = refusal;
    this.#client.destroy();
  }

  #clientClosed(): void {
    clearTimeout(this.#timer);
    const { counters } = this.#host;
    counters.active -= 1;
    if (this.#isSniffing) counters.pendingHellos -= 1;
    if (this.#isSniffing && this.#refusal === undefined) this.#refusal = 'client-gone';
    if (this.#refusal !== undefined) countRefusal(counters, this.#refusal);
    // A client that vanished takes its backend along; one that ended in order has ended it already.
    if (this.#backend !== undefined && !this.#backend.destroyed) {
      if (this.#backend.writableEnded) this.#backend.destroySoon();
      else this.#backend.destroy();
    }
    const endpoint = this.#lease?.endpoint;
    this.#host.closed(this, {
      clientAddress: this.#ends.sourceAddress,
      clientPort: this.#ends.sourcePort,
      serverName: this.#hello.serverName,
      host: this.#choice?.host,
      endpoint: endpoint === undefined ? undefined : `${endpoint.address}:${endpoint.port}`,
      refusal: this.#refusal,
      bytesIn: this.#client.bytesRead,
      bytesOut: this.#client.bytesWritten,
      durationMs: Date.now() - this.#startedMs,
    });
  }
}

/** One direction, with back-pressure; the end of one side ends only this direction. */
function pipe(source: Socket, sink: Socket): void {
  source.on('data', (chunk: Buffer) => {
    if (!sink.write(chunk)) source.pause();
  });
  sink.on('drain', () => source.resume());
  afterEnd(source, () => sink.end());
}

/** A paused socket with nothing to read still reports its end, so it may be over already. */
function afterEnd(socket: Socket, action: () => void): void {
  if (socket.readableEnded) action();
  else socket.once('end', action);
}
