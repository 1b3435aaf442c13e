import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import {
  type ClientHello,
  ClientHelloParser,
  type ConnectionEnds,
  encodeProxyV1,
  encodeProxyV2,
  type HelloDecision,
  parseProxyHeader,
} from '@waygate/text';
import type { Backend } from './config.ts';
import type { ConnectionHost } from './connection-host.ts';
import { Download } from './download.ts';
import { type EndpointPool, keyOf, type Lease } from './endpoint-pool.ts';
import { countRefusal, hostCounters, type Refusal } from './metrics.ts';
import type { RouteChoice, RouteDecision } from './route-table.ts';
import { SocketEnds } from './socket-ends.ts';
import { endWithAlert, type TlsAlert } from './tls-alert.ts';

/** A client that sends on before its backend is there is read up to this, then it has to wait. */
const maxAheadBytes = 64 * 1024;
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
  /** Bytes in `#head` since the hello was whole. */
  #aheadBytes = 0;
  /** Being connected, or connected. */
  #backend: Socket | undefined;
  /** Connected: bytes go from one to the other. */
  #isCarrying = false;
  /** Of the backend; given back when that is closed. */
  #lease: Lease | undefined;
  #hello: Pick<ClientHello, 'serverName' | 'alpn'> = { serverName: null, alpn: [] };
  #choice: RouteChoice | undefined;
  #refusal: Refusal | undefined;
  #isSniffing = true;
  /** TCP keep-alive is on. */
  #isProbing = false;

  constructor(client: Socket, host: ConnectionHost) {
    this.#client = client;
    this.#host = host;
    this.#parser = new ClientHelloParser(host.limits.maxHelloBytes);
    this.#ends = new SocketEnds(client);
    this.#isAwaitingProxyHeader =
      host.proxyProtocol.mode !== 'off' &&
      host.proxyProtocol.trusted?.contains(this.#ends.sourceAddress) === true;
  }

  start(): void {
    const { counters, limits } = this.#host;
    counters.accepted += 1;
    counters.active += 1;
    counters.pendingHellos += 1;
    // One listener for each event, for all of the connection's life: they are a good part of its cost.
    this.#client.on('close', this.#clientClosed);
    this.#client.on('error', this.#clientFailed);
    if (!this.#isAwaitingProxyHeader && !this.#admit()) return;
    this.#timer = setTimeout(this.#helloTimedOut, limits.helloTimeoutMs);
    this.#client.on('data', this.#received);
    this.#client.on('end', this.#clientEnded);
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
    this.#endSniffing();
    this.#refuse('too-many-from-address', 'accessDenied');
    return false;
  }

  readonly #helloTimedOut = (): void => this.#drop('hello-timeout');

  readonly #clientFailed = (): void => {
    this.#client.destroy();
  };

  readonly #received = (chunk: Buffer): void => {
    if (this.#isCarrying) {
      if (!this.#backend!.write(chunk)) this.#client.pause();
    } else if (this.#isSniffing) this.#sniff(chunk);
    else if (this.#refusal === undefined) {
      // Most clients wait for an answer now, so that stopping to read would be for nothing.
      this.#head.push(chunk);
      this.#aheadBytes += chunk.length;
      if (this.#aheadBytes > maxAheadBytes) this.#client.pause();
    }
  };

  readonly #clientEnded = (): void => {
    // A client that ends before its hello is whole has nothing to route.
    if (this.#isSniffing) this.#drop('client-gone');
    else if (this.#refusal !== undefined) this.#client.destroySoon();
    else if (this.#isCarrying) {
      endAfter(this.#backend!);
      this.#shortenTimeout();
    }
  };

  #sniff(chunk: Buffer): void {
    if (!this.#isAwaitingProxyHeader) {
      this.#head.push(chunk);
      this.#decide(this.#parser!.push(chunk));
      return;
    }
    this.#head.push(chunk);
    this.#readProxyHeader(Buffer.concat(this.#head));
  }

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
    this.#sniff(rest);
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
    this.#connect(pool, undefined);
  }

  #connect(pool: EndpointPool | undefined, tried: Set<string> | undefined): void {
    const { limits, counters } = this.#host;
    const attempts = tried?.size ?? 0;
    const lease = attempts < limits.maxConnectAttempts ? pool?.pick(tried) : undefined;
    if (lease === undefined || this.#client.destroyed) {
      lease?.release();
      this.#refuse('backend-unreachable', 'internalError');
      return;
    }
    const download = new Download();
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: lease.endpoint.address,
      port: lease.endpoint.port,
      allowHalfOpen: true,
      noDelay: true,
      // An address needs no choice between families; a name gets one.
      autoSelectFamily: !lease.isAddress,
      highWaterMark: socketHighWaterMark,
      onread: download.onread,
    };
    const backend = connect(options);
    this.#backend = backend;
    this.#lease = lease;
    const fail = (): void => {
      clearTimeout(this.#timer);
      this.#abandonBackend();
      lease.failed();
      hostCounters(counters, this.#choice!.host).connectFailures += 1;
      this.#connect(pool, (tried ?? new Set()).add(keyOf(lease.endpoint)));
    };
    this.#timer = setTimeout(fail, limits.connectTimeoutMs);
    backend.on('error', fail);
    backend.on('connect', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      backend.off('error', fail);
      lease.connected();
      this.#carry(backend, download);
    });
  }

  /** Gives up a backend that is being connected. */
  #abandonBackend(): void {
    const backend = this.#backend!;
    backend.removeAllListeners();
    backend.on('error', () => {});
    backend.destroy();
    this.#lease!.release();
    this.#backend = undefined;
    this.#lease = undefined;
  }

  #carry(backend: Socket, download: Download): void {
    const client = this.#client;
    const counters = hostCounters(this.#host.counters, this.#choice!.host);
    counters.connections += 1;
    counters.active += 1;
    backend.on('close', () => {
      counters.active -= 1;
      counters.bytesIn += client.bytesRead;
      counters.bytesOut += client.bytesWritten;
      this.#lease!.release();
      // The backend is gone in both directions: what it sent is on its way to the client.
      if (!client.destroyed && !client.writableEnded) endAfter(client);
      if (!client.readableEnded) client.resume();
    });
    backend.on('error', () => {
      backend.destroy();
      if (!client.destroyed) client.resetAndDestroy();
    });
    backend.on('drain', () => client.resume());
    backend.on('end', () => {
      endAfter(client);
      this.#shortenTimeout();
    });
    download.start(backend, client);
    this.#isCarrying = true;
    this.#sendHead(backend);
    client.on('timeout', this.#silent);
    client.setTimeout(this.#timeoutMs());
    if (client.readableEnded) this.#clientEnded();
    else if (client.isPaused()) client.resume();
  }

  #sendHead(backend: Socket): void {
    const header = this.#proxyHeader();
    const parts = header === undefined ? this.#head : [header, ...this.#head];
    this.#head = [];
    if (parts.length > 1) backend.cork();
    for (const part of parts) backend.write(part);
    if (parts.length > 1) backend.uncork();
  }

  /**
   * TCP keep-alive is turned on at the first silence: only then can a peer have vanished unseen, and
   * most connections are over before. Silence beyond the idle timeout ends the connection.
   */
  readonly #silent = (): void => {
    const { keepAliveMs } = this.#host.limits;
    if (this.#isProbing || this.#idleLimitMs() <= keepAliveMs) {
      this.destroy();
      return;
    }
    this.#isProbing = true;
    for (const socket of [this.#client, this.#backend!]) socket.setKeepAlive(true, keepAliveMs);
    this.#client.setTimeout(this.#timeoutMs());
  };

  #idleLimitMs(): number {
    const { idleTimeoutMs, halfClosedTimeoutMs } = this.#host.limits;
    const isHalfClosed = this.#client.readableEnded || this.#backend!.readableEnded;
    return isHalfClosed ? Math.min(idleTimeoutMs, halfClosedTimeoutMs) : idleTimeoutMs;
  }

  #timeoutMs(): number {
    const limitMs = this.#idleLimitMs();
    return this.#isProbing ? limitMs : Math.min(this.#host.limits.keepAliveMs, limitMs);
  }

  /** One side has ended. */
  #shortenTimeout(): void {
    if (!this.#client.destroyed) this.#client.setTimeout(this.#timeoutMs());
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
    this.#timer = endWithAlert(this.#client, alert);
  }

  #drop(refusal: Refusal): void {
    this.#refusal = refusal;
    this.#client.destroy();
  }

  readonly #clientClosed = (): void => {
    clearTimeout(this.#timer);
    const { counters } = this.#host;
    counters.active -= 1;
    if (this.#isSniffing) counters.pendingHellos -= 1;
    if (!this.#isCarrying) this.#refusal ??= 'client-gone';
    if (this.#refusal !== undefined) countRefusal(counters, this.#refusal);
    const endpoint = this.#lease?.endpoint;
    // A client that vanished takes its backend along; one that ended in order has ended it already.
    if (this.#backend !== undefined && !this.#isCarrying) this.#abandonBackend();
    else if (this.#backend !== undefined && !this.#backend.destroyed) {
      if (this.#backend.writableEnded) this.#backend.destroySoon();
      else this.#backend.destroy();
    }
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
  };
}

/** Ends one direction. When the other is over too, and all is sent, closing says the same at once. */
function endAfter(socket: Socket): void {
  if (socket.readableEnded && socket.writableLength === 0) socket.destroy();
  else socket.end();
}
