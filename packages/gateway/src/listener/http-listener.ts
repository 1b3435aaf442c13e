import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
} from 'node:http2';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext, TLSSocket } from 'node:tls';
import { errorBody, errorMessage } from '../http/error-body.ts';
import { newRequestId } from '../http/request-id.ts';
import type { ConnectionFacts } from '../proxy/client-facts.ts';
import type { ServerReply, ServerRequest } from '../proxy/request-context.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';
import { serverHeader } from '../version.ts';
import { type ProxiedAddresses, readProxyHeader } from './proxy-protocol.ts';
import { HeadRelay, readUnknownMethod } from './unknown-method.ts';

/** Where to listen. Port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface HttpListenerOptions extends ListenAddress {
  /** Each connection must start with a PROXY protocol header, which says who the client is. */
  readonly isProxyProtocol?: boolean;
  /** Plain-text HTTP/2 (h2c) instead of HTTP/1.1, for gRPC without TLS. */
  readonly isHttp2Only?: boolean;
  /** Present for TLS. */
  readonly tls?: ListenerTls;
  /** The port that clients see, if it is another one (a container's). */
  readonly publicPort?: number;
}

export interface ListenerTls {
  readonly fallback: CertificatePair;
  contextFor(serverName: string): SecureContext | undefined;
  /** Asks clients for a certificate, and refuses those without one that these authorities signed. */
  readonly clientCa?: readonly string[];
  /** 48 bytes that session tickets are encrypted with; drawn anew if there are none. */
  readonly ticketKeys?: Buffer;
}

/** Who takes the requests. */
export interface HttpHandler {
  connectionOpened(): void;
  connectionClosed(): void;
  handle(request: ServerRequest, reply: ServerReply, connection: ConnectionFacts): void;
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    connection: ConnectionFacts,
  ): void;
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
type AnyServer = Server | Http2SecureServer | Http2Server;

/** As nginx's four buffers of 8 kB for request headers. */
const maximumHeaderBytes = 32 * 1_024;
const proxyHeaderTimeoutMs = 5_000;
const requestHeadTimeoutMs = 60_000;
const keepAliveMs = 75_000;

/** A port on which HTTP/1.1, or with TLS HTTP/1.1 and HTTP/2, is spoken. */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #handler: HttpHandler;
  readonly #server: AnyServer;
  readonly #front: NetServer | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #facts = new WeakMap<object, ConnectionFacts>();
  /** Methods that Node does not know, by the connection that brings their request. */
  readonly #methods = new WeakMap<object, string>();
  /** What PROXY headers said, by the peer's own address and port. */
  readonly #proxied = new Map<string, ProxiedAddresses>();

  constructor(options: HttpListenerOptions, handler: HttpHandler) {
    this.#options = options;
    this.#handler = handler;
    this.#server = this.#createServer();
    this.#wire();
    this.#front = options.isProxyProtocol === true ? this.#createFront() : undefined;
  }

  async start(): Promise<ListenAddress> {
    const server = this.#front ?? this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#options.port, this.#options.host, 2_048, () => {
        server.off('error', reject);
        resolve();
      });
    });
    const { address, port } = server.address() as AddressInfo;
    return { host: address, port };
  }

  /** Takes no more connections, ends idle ones, and after `graceMs` those that are still busy. */
  async stop(graceMs: number): Promise<void> {
    const server = this.#front ?? this.#server;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if ('closeIdleConnections' in this.#server) {
      this.#server.closeIdleConnections();
    }
    const timer = setTimeout(() => this.#destroySockets(), graceMs);
    await closed;
    clearTimeout(timer);
    this.#destroySockets();
  }

  #createServer(): AnyServer {
    const { tls, isHttp2Only } = this.#options;
    if (tls !== undefined) {
      return createSecureServer({
        allowHTTP1: true,
        cert: tls.fallback.cert,
        key: tls.fallback.key,
        maxHeaderSize: maximumHeaderBytes,
        SNICallback: (name, callback) => callback(null, tls.contextFor(name)),
        ...(tls.ticketKeys === undefined ? {} : { ticketKeys: tls.ticketKeys }),
        ...(tls.clientCa === undefined
          ? {}
          : { requestCert: true, rejectUnauthorized: true, ca: [...tls.clientCa] }),
      } as Parameters<typeof createSecureServer>[0]);
    }
    if (isHttp2Only === true) {
      return createHttp2Server();
    }
    return createServer({
      maxHeaderSize: maximumHeaderBytes,
      headersTimeout: requestHeadTimeoutMs,
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      requireHostHeader: false,
      noDelay: true,
    });
  }

  #wire(): void {
    const server = this.#server;
    type Request = IncomingMessage & Http2ServerRequest;
    type Reply = ServerResponse & Http2ServerResponse;
    const onRequest = (request: Request, reply: Reply) => {
      const method = this.#methods.get(request.socket);
      if (method !== undefined) {
        request.method = method;
      }
      this.#handler.handle(request, reply, this.#factsOf(socketOf(request)));
    };
    server.on('request', onRequest);
    server.on('checkContinue', onRequest);
    // Node answers 417 to any other expectation by itself, as nginx does.
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#handler.handleUpgrade(request, socket, head, this.#factsOf(socket as Socket));
    });
    server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuse(socket, 405));
    server.on('clientError', (error: ParserError, socket: Duplex) => {
      if (!this.#relayUnknownMethod(error, socket)) {
        refuse(socket, statusOf(error));
      }
    });
    server.on('connection', (socket: Socket) => this.#track(socket));
    server.on('tlsClientError', () => undefined);
    server.on('sessionError', () => undefined);
  }

  #relayUnknownMethod(error: ParserError, socket: Duplex): boolean {
    const { rawPacket, code } = error;
    const found =
      code === 'HPE_INVALID_METHOD' && rawPacket !== undefined && socket.writable
        ? readUnknownMethod(rawPacket)
        : undefined;
    if (found === undefined) {
      return false;
    }
    const relay = new HeadRelay(socket, found.head);
    this.#facts.set(relay, this.#factsOf(socket as Socket));
    this.#methods.set(relay, found.method);
    this.#server.emit('connection', relay);
    return true;
  }

  #createFront(): NetServer {
    return createNetServer({ pauseOnConnect: false, noDelay: true }, (socket) => {
      this.#track(socket);
      const key = keyOf(socket);
      readProxyHeader(socket, proxyHeaderTimeoutMs).then(
        (addresses) => {
          if (addresses !== undefined) {
            this.#proxied.set(key, addresses);
            socket.once('close', () => this.#proxied.delete(key));
          }
          this.#server.emit('connection', socket);
        },
        () => undefined,
      );
    });
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) {
      return;
    }
    this.#sockets.add(socket);
    this.#handler.connectionOpened();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#handler.connectionClosed();
    });
    socket.on('error', () => socket.destroy());
  }

  #destroySockets(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  #factsOf(socket: Socket): ConnectionFacts {
    let facts = this.#facts.get(socket);
    if (facts === undefined) {
      const proxied = this.#proxied.get(keyOf(socket));
      const name = (socket as Partial<TLSSocket>).servername;
      facts = {
        remoteAddress: proxied?.sourceIp ?? socket.remoteAddress ?? '0.0.0.0',
        remotePort: proxied?.sourcePort ?? socket.remotePort ?? 0,
        localAddress: proxied?.destinationIp ?? socket.localAddress ?? '0.0.0.0',
        localPort: this.#options.publicPort ?? proxied?.destinationPort ?? socket.localPort ?? 0,
        isTls: this.#options.tls !== undefined,
        sni: typeof name === 'string' && name !== '' ? name : undefined,
      };
      this.#facts.set(socket, facts);
    }
    return facts;
  }
}

function socketOf(request: IncomingMessage & Http2ServerRequest): Socket {
  // The socket of an HTTP/2 request is a proxy object; the session has the real one's addresses.
  return request.httpVersionMajor === 2
    ? (request.stream.session?.socket as Socket)
    : request.socket;
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress}|${socket.remotePort}|${socket.localPort}`;
}

function statusOf(error: ParserError): number {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return 494;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}

/** Answers what could not be read as a request, and closes: nothing after it can be trusted. */
function refuse(socket: Duplex, status: number): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const body = errorBody(errorMessage(status), requestId, undefined, 'text');
  socket.end(
    `HTTP/1.1 ${status} ${errorMessage(status)}\r\nDate: ${new Date().toUTCString()}\r\n` +
      `Content-Type: ${body.contentType}\r\nContent-Length: ${Buffer.byteLength(body.text)}\r\n` +
      `Connection: close\r\nX-Kong-Response-Latency: 0\r\nServer: ${serverHeader}\r\n` +
      `X-Kong-Request-Id: ${requestId}\r\n\r\n${body.text}`,
  );
}
