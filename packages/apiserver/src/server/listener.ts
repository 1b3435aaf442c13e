import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Without it, plain HTTP. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string; readonly ca: string };
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** A request line and headers have to come within this time: against slow-loris clients. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 60_000;

/** The server's socket. Closing it ends every connection, idle or not. */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions, onRequest: RequestListener) {
    const timeouts = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: 90_000,
      connectionsCheckingInterval: 2000,
      maxHeaderSize: 256 * 1024,
      noDelay: true,
    };
    this.#server =
      options.tls === undefined
        ? createHttpServer(timeouts, onRequest)
        : createHttpsServer(
            {
              ...timeouts,
              cert: options.tls.certificate,
              key: options.tls.privateKey,
              ca: options.tls.ca,
              // A client may come with a certificate; without one, a token will do.
              requestCert: true,
              rejectUnauthorized: false,
              ALPNProtocols: ['http/1.1'],
            },
            onRequest,
          );
    this.#server.on('connection', (socket) => this.#track(socket));
    // Errors of single connections are the client's affair.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('tlsClientError', () => undefined);
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
