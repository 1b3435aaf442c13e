import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterArrivals } from '@waygate/text';
import type { ClientCertificate, ConnectionFacts } from '../exchange/client-facts.ts';
import { type ClientLimits, defaultClientLimits } from '../exchange/client-limits.ts';
import type { RefusalPage } from '../http1/refusal.ts';
import { type RequestHandler, ServerConnection } from '../http1/server-connection.ts';
import { Http2Reply, Http2Request } from '../http2/http2-reply.ts';
import { SessionWatch } from '../http2/session-watch.ts';
import { sessionContextOf } from '../tls/client-authority.ts';
import { clientCertificateOf } from '../tls/client-certificate.ts';
import { type HandshakeSettings, handshakeOptions } from '../tls/handshake-settings.ts';
import type { ListenerTls } from './listener-tls.ts';
import { type ListenAddress, startListening, stopListening } from './listening.ts';
import { type ProxiedAddresses, readProxyHeader } from './read-proxy-header.ts';
import { readServerName } from './read-server-name.ts';

interface HttpListenerOptions extends ListenAddress {
  /** Each connection must start with a PROXY protocol header, which says who the client is. */
  readonly isProxyProtocol?: boolean;
  /** Plain-text HTTP/2 (h2c) and nothing else. */
  readonly isHttp2Only?: boolean;
  /** Present for TLS. */
  readonly tls?: ListenerTls;
  /** With TLS: takes connections that are not for requests, by the name that their clients ask for. */
  readonly passOn?: (socket: Socket, serverName: string | undefined) => boolean;
  /** The port that clients see, if it is another one (a container's). */
  readonly publicPort?: number;
  readonly limits?: ClientLimits;
  /** The page for what cannot be read as a request, if not Kong's. */
  refusalPage?(): RefusalPage | undefined;
}

/** Servers that shake hands in one manner. */
interface SecureServers {
  readonly settings: HandshakeSettings | undefined;
  /** What clients that name no server are shown, where that is not the fallback. */
  readonly anyCertificate: string | undefined;
  readonly usual: NetServer;
  /** For names whose clients are asked for a certificate. */
  readonly asking: NetServer | undefined;
}

/** Who takes the requests. */
interface HttpHandler extends RequestHandler {
  connectionOpened(): void;
  connectionClosed(): void;
}

const proxyHeaderTimeoutMs = 5_000;
/** How often, at least, connections are looked at that hold on for too long. */
const maximumCheckMs = 1_000;
const handshakeTimeoutMs = 60_000;

/** A port on which HTTP/1.1 and HTTP/2 are spoken: after a handshake of TLS, or by what a client starts with. */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #handler: HttpHandler;
  /** Takes the connections of the port; the others get theirs from it. */
  readonly #server: NetServer;
  /** Shake hands, as it was last said; they go when that changes, the connections they made stay. */
  #secure: SecureServers | undefined;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<ServerConnection>();
  readonly #sessions = new Set<SessionWatch>();
  readonly #limits: ClientLimits;
  readonly #facts = new WeakMap<object, ConnectionFacts>();
  /** Of the clients that were asked for one. */
  readonly #certificates = new WeakMap<object, ClientCertificate>();
  /** What PROXY headers said, by the peer's own address and port. */
  readonly #proxied = new Map<string, ProxiedAddresses>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HttpListenerOptions, handler: HttpHandler) {
    this.#options = options;
    this.#handler = handler;
    this.#limits = options.limits ?? defaultClientLimits;
    const { tls } = options;
    this.#http2 = this.#createHttp2();
    this.#secure = tls && this.#serversFor(tls);
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  async start(): Promise<ListenAddress> {
    const address = await startListening(this.#server, { ...this.#address, backlog: 2_048 });
    this.#checkTimes();
    return address;
  }

  /** Takes no more connections, ends idle ones, and after `graceMs` those that are still busy. */
  async stop(graceMs: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const stopped = stopListening(this.#server, this.#sockets, graceMs);
    for (const connection of this.#connections) connection.drain();
    for (const session of this.#sessions) session.close();
    await stopped;
  }

  get #checkMs(): number {
    const { headTimeoutMs, bodyTimeoutMs, sendTimeoutMs, keepAliveMs } = this.#limits;
    return Math.min(maximumCheckMs, headTimeoutMs, bodyTimeoutMs, sendTimeoutMs, keepAliveMs);
  }

  get #address(): ListenAddress {
    return { host: this.#options.host, port: this.#options.port };
  }

  /** Keeps watch only while the port is open; it holds no process alive. */
  #checkTimes(): void {
    const check = (): void => {
      const now = performance.now();
      for (const connection of this.#connections) connection.checkTime(now);
      for (const session of this.#sessions) session.checkTime(now);
      if (this.#timer !== undefined) this.#checkTimes();
    };
    this.#timer = setTimeout(() => afterArrivals(check), this.#checkMs).unref();
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= this.#limits.maxConnections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.#track(socket);
    if (this.#options.isProxyProtocol !== true) {
      this.#welcome(socket);
      return;
    }
    const key = keyOf(socket);
    readProxyHeader(socket, proxyHeaderTimeoutMs).then(
      (addresses) => {
        if (addresses !== undefined) {
          this.#proxied.set(key, addresses);
          socket.once('close', () => this.#proxied.delete(key));
        }
        this.#welcome(socket);
      },
      () => undefined,
    );
  }

  /** Ends the oldest connection that only waits for another request; false if there is none. */
  #makeRoom(): boolean {
    for (const connection of this.#connections) {
      if (connection.isIdle) {
        connection.drain();
        return true;
      }
    }
    for (const session of this.#sessions) {
      if (session.isIdle) {
        session.destroy();
        return true;
      }
    }
    return false;
  }

  #welcome(socket: Socket): void {
    const { tls } = this.#options;
    if (tls !== undefined) {
      // A client that ends before it has shaken hands is gone; Node would keep its half open for ever.
      socket.allowHalfOpen = false;
      this.#welcomeSecurely(tls, socket);
    } else if (this.#options.isHttp2Only === true) {
      this.#http2.emit('connection', socket);
    } else {
      this.#serveHttp1(socket);
    }
  }

  #welcomeSecurely(tls: ListenerTls, socket: Socket): void {
    const { passOn } = this.#options;
    const servers = this.#serversFor(tls);
    const { usual } = servers;
    const asking = tls.isAsking?.() === true ? servers.asking : undefined;
    if (asking === undefined && passOn === undefined) {
      usual.emit('connection', socket);
      return;
    }
    readServerName(socket, this.#limits.headTimeoutMs).then(
      (name) => {
        if (passOn?.(socket, name) === true) return;
        const isAsked = name !== undefined && tls?.isAskedFor?.(name) === true;
        (isAsked ? (asking ?? usual) : usual).emit('connection', socket);
      },
      () => undefined,
    );
  }

  /** As they are, or others if clients are to be met otherwise by now. */
  #serversFor(tls: ListenerTls): SecureServers {
    const settings = tls.welcome?.()?.handshake;
    const pair = settings?.hasAnyName === true ? tls.pairFor?.('*') : undefined;
    const anyCertificate = pair?.cert.join();
    const known = this.#secure;
    if (known?.settings === settings && known?.anyCertificate === anyCertificate && known) {
      return known;
    }
    const create = (isAsking: boolean) => this.#createSecure(tls, settings, pair, isAsking);
    this.#secure = {
      settings,
      anyCertificate,
      usual: create(false),
      asking: tls.isAsking === undefined ? undefined : create(true),
    };
    return this.#secure;
  }

  #serveHttp1(socket: Socket): void {
    const connection = new ServerConnection(
      socket,
      this.#handler,
      () => this.#factsOf(socket),
      this.#limits,
      // Who shook hands for HTTP/1 keeps to it.
      this.#secure === undefined ? (taken) => this.#serveHttp2(connection, taken) : undefined,
      this.#options.refusalPage,
    );
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }

  /** A client that knows that we speak HTTP/2 need not ask: gRPC clients without TLS never do. */
  #serveHttp2(connection: ServerConnection, socket: Socket): void {
    this.#connections.delete(connection);
    this.#http2.emit('connection', socket);
  }

  #createSecure(
    tls: ListenerTls,
    settings: HandshakeSettings | undefined,
    pair: { cert: string[]; key: string[] } | undefined,
    isAsking: boolean,
  ): NetServer {
    const server = createTlsServer(
      {
        ...handshakeOptions(settings),
        handshakeTimeout: handshakeTimeoutMs,
        cert: pair?.cert ?? tls.fallback.cert,
        key: pair?.key ?? tls.fallback.key,
        SNICallback: (name, callback) => {
          if (settings?.isUnknownRefused === true && tls.isServed?.(name) !== true) {
            callback(new Error(`${name} has no certificate`));
            return;
          }
          const context = tls.contextFor(name);
          if (context instanceof Promise) {
            context.then((found) => callback(null, found), callback);
          } else {
            callback(null, context);
          }
        },
        ...(tls.ticketKeys === undefined ? {} : { ticketKeys: tls.ticketKeys }),
        ...(isAsking ? { requestCert: true, rejectUnauthorized: false } : {}),
        ...(tls.clientCa === undefined
          ? {}
          : {
              requestCert: true,
              rejectUnauthorized: tls.isClientOptional !== true,
              ca: [...tls.clientCa],
              sessionIdContext: sessionContextOf(tls.clientCa.join('\n')),
            }),
      },
      (socket) => {
        if (isAsking || tls.clientCa !== undefined) {
          const shown = clientCertificateOf(socket);
          this.#certificates.set(socket, shown);
          // A resumed session counts as right for Node, whatever it was that was let in before.
          const isRight = shown.verification === 'SUCCESS' || tls.isClientOptional === true;
          if (tls.clientCa !== undefined && !isRight) {
            socket.destroy();
            return;
          }
        }
        socket.allowHalfOpen = true;
        if (socket.alpnProtocol === 'h2') {
          this.#http2.emit('connection', socket);
        } else {
          this.#serveHttp1(socket);
        }
      },
    );
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  }

  #createHttp2(): Http2Server {
    const server = createHttp2Server({
      settings: { maxConcurrentStreams: this.#limits.maxStreams },
    });
    const onRequest = (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const wrapped = new Http2Request(request);
      const reply = new Http2Reply(response, wrapped.expectsContinue, this.#limits);
      // The socket of an HTTP/2 request is a proxy object; the session has the real one's addresses.
      const socket = request.stream.session?.socket as Socket;
      this.#handler.handle(wrapped, reply, this.#factsOf(socket));
    };
    server.on('request', onRequest);
    server.on('checkContinue', onRequest);
    server.on('session', (session) => {
      const watch = new SessionWatch(session, this.#limits);
      this.#sessions.add(watch);
      session.on('error', () => undefined);
      session.once('close', () => this.#sessions.delete(watch));
    });
    server.on('sessionError', () => undefined);
    return server;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    this.#handler.connectionOpened();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#handler.connectionClosed();
    });
    socket.on('error', () => socket.destroy());
  }

  /** The socket of an HTTP/2 session is a stand-in for the one that shook hands. */
  #certificateOf(socket: Socket): ClientCertificate | undefined {
    const { tls } = this.#options;
    const name = (socket as Partial<TLSSocket>).servername;
    const isAsked = typeof name === 'string' && tls?.isAskedFor?.(name) === true;
    return isAsked && this.#secure?.asking !== undefined
      ? clientCertificateOf(socket as TLSSocket)
      : undefined;
  }

  #factsOf(socket: Socket): ConnectionFacts {
    let facts = this.#facts.get(socket);
    if (facts === undefined) {
      const proxied = this.#proxied.size === 0 ? undefined : this.#proxied.get(keyOf(socket));
      const name = (socket as Partial<TLSSocket>).servername;
      const certificate = this.#certificates.get(socket) ?? this.#certificateOf(socket);
      facts = {
        remoteAddress: proxied?.sourceIp ?? socket.remoteAddress ?? '0.0.0.0',
        remotePort: proxied?.sourcePort ?? socket.remotePort ?? 0,
        localAddress: proxied?.destinationIp ?? socket.localAddress ?? '0.0.0.0',
        localPort: this.#options.publicPort ?? proxied?.destinationPort ?? socket.localPort ?? 0,
        isTls: this.#options.tls !== undefined,
        sni: typeof name === 'string' && name !== '' ? name : undefined,
        ...(certificate === undefined ? {} : { certificate }),
      };
      this.#facts.set(socket, facts);
    }
    return facts;
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress}|${socket.remotePort}|${socket.localPort}`;
}
