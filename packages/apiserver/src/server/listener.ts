import { createServer as createHttpServer, type Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions as HttpsOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
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
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions, onRequest: RequestListener) {
    const { headersMs, requestMs, checkMs } = options.timeouts ?? defaultTimeouts;
    const timeouts = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 90_000,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: 256 * 1024,
      noDelay: true,
    };
    this.#server =
      options.tls === undefined
        ? createHttpServer(timeouts, onRequest)
        : this.#secure(
            {
              ...timeouts,
              cert: options.tls.certificate,
              key: options.tls.privateKey,
              // A client may come with a certificate; without one, a token will do. No authority must
              // not become the many that Node.js knows.
              ...clientCertificates(options.tls),
              rejectUnauthorized: false,
              ALPNProtocols: ['h2', 'http/1.1'],
            },
            new Http2Door({ idleMs: timeouts.keepAliveTimeout, requestMs }, onRequest),
            onRequest,
          );
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on('upgrade', (request, socket, head) => {
      const response = new ServerResponse(request);
      offerUpgrade(request, response, socket, head);
      onRequest(request, response);
    });
    // Errors of single connections are the client's affair.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('tlsClientError', () => undefined);
  }

  /** One port for both protocols: the client's choice in the handshake decides. */
  #secure(options: HttpsOptions, second: Http2Door, onRequest: RequestListener): Server {
    const server = createHttpsServer(options, onRequest);
    const [first] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket) => {
      if (socket.alpnProtocol === 'h2') second.take(socket);
      else first?.call(server, socket);
    });
    return server;
  }

  async listen(options: ListenerOptions): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(options.port, options.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function clientCertificates({ clientAuthorities }: ServingIdentity): HttpsOptions {
  return clientAuthorities === ''
    ? { requestCert: false }
    : { requestCert: true, ca: clientAuthorities };
}
