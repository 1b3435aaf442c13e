import { createServer as createHttpServer, type Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions as HttpsOptions } from 'node:https';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import type { TLSSocket } from 'node:tls';
import { listenOn } from '@waygate/text';
import { offerUpgrade } from '../http/upgrade.ts';
import { Http2Door, type RequestListener } from './http2-door.ts';
import type { ServingIdentity } from './serving-identity.ts';

/** How long a client may take to send a request. Against slow-loris connections. */
export interface ClientTimeouts {
  /** For the request line and the headers. */
  readonly headersMs: number;
  /** For all of it. */
  readonly requestMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
}

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly timeouts?: ClientTimeouts;
  /** Without it, plain HTTP. */
  readonly tls?: ServingIdentity;
}

const defaultTimeouts: ClientTimeouts = { headersMs: 10_000, requestMs: 60_000, checkMs: 2000 };

/** The server's socket. Closing it ends every connection, idle or not. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #onRequest: RequestListener;
  /** Bound to the port; it is the door itself unless that is made later. */
  readonly #bound: NetServer;
  #door: Server | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions, onRequest: RequestListener) {
    this.#options = options;
    this.#onRequest = onRequest;
    // The first context for TLS of a process takes Node.js 40 ms: whoever connects first waits for it, and not
    // everybody who starts a server. What could be wrong with an identity is still said at the start.
    if (options.tls?.isFresh === true) this.#bound = this.#waitingForClient();
    else this.#bound = this.#makeDoor();
  }

  #waitingForClient(): NetServer {
    const waiting = createNetServer({ noDelay: true });
    waiting.on('connection', (socket) => {
      this.#track(socket);
      // The next connections are the door's own; this one is given to it once it looks at the time that clients take.
      this.#door ??= this.#makeDoor().listen(waiting);
      setImmediate(() => this.#door?.emit('connection', socket));
    });
    return waiting;
  }

  #makeDoor(): Server {
    const { tls, timeouts: given } = this.#options;
    const { headersMs, requestMs, checkMs } = given ?? defaultTimeouts;
    const timeouts = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 90_000,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: 256 * 1024,
      noDelay: true,
    };
    const door =
      tls === undefined
        ? createHttpServer(timeouts, this.#onRequest)
        : this.#secure(
            {
              ...timeouts,
              cert: tls.certificate,
              key: tls.privateKey,
              // A client may come with a certificate; without one, a token will do. No authority must
              // not become the many that Node.js knows.
              ...clientCertificates(tls),
              rejectUnauthorized: false,
              ALPNProtocols: ['h2', 'http/1.1'],
            },
            new Http2Door({ idleMs: timeouts.keepAliveTimeout, requestMs }, this.#onRequest),
          );
    door.on('connection', (socket) => this.#track(socket));
    door.on('upgrade', (request, socket, head) => {
      const response = new ServerResponse(request);
      offerUpgrade(request, response, socket, head);
      this.#onRequest(request, response);
    });
    // Errors of single connections are the client's affair.
    door.on('clientError', (_error, socket) => socket.destroy());
    door.on('tlsClientError', () => undefined);
    return door;
  }

  /** One port for both protocols: the client's choice in the handshake decides. */
  #secure(options: HttpsOptions, second: Http2Door): Server {
    const server = createHttpsServer(options, this.#onRequest);
    const [first] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket) => {
      if (socket.alpnProtocol === 'h2') second.take(socket);
      else first?.call(server, socket);
    });
    return server;
  }

  async listen(): Promise<number> {
    const { port, host } = this.#options;
    await listenOn(this.#bound, { host, port });
    return (this.#bound.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const servers = [this.#bound, ...(this.#door === undefined ? [] : [this.#door])];
    const closed = servers.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function clientCertificates({ clientAuthorities }: ServingIdentity): HttpsOptions {
  return clientAuthorities === ''
    ? { requestCert: false }
    : { requestCert: true, ca: clientAuthorities };
}
