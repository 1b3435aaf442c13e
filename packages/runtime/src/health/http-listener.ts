import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isLoopback, listenOn, pageRefusal } from '@waygate/text';
import { RuntimeError } from '../runtime-error.ts';

/** A certificate and its key, PEM. */
export interface ListenerKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Where a server listens. */
export interface HttpListenerOptions {
  /** Loopback unless told otherwise. */
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port?: number | undefined;
  readonly onRequest: RequestListener;
}

/** Probes, scrapers and webhooks are quick; what is not gets no socket for long. */
const requestTimeoutMs = 10_000;

/**
 * Where a small server listens, with TLS or without: how it starts, and how it stops for good.
 *
 * ```ts
 * const listener = new HttpListener({ onRequest: (_request, response) => void response.end('ok') });
 * const { port } = await listener.listen();
 * await listener.close();
 * ```
 */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  #server: Server | TlsServer | undefined;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
  }

  /** Where it listens, once it does. */
  get address(): AddressInfo | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address : undefined;
  }

  /** Listens; the promise is for the moment from which on it answers. */
  async listen(pair?: ListenerKeyPair): Promise<AddressInfo> {
    if (this.#server !== undefined)
      throw new RuntimeError('WG_RUNTIME_STATE', 'the server listens already');
    const { host = '127.0.0.1', port = 0 } = this.#options;
    const onRequest = guarded(this.#options.onRequest, host, pair !== undefined);
    const server =
      pair === undefined
        ? createServer(onRequest)
        : createTlsServer({ ...pair, minVersion: 'TLSv1.2' }, onRequest);
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = requestTimeoutMs;
    await listenOn(server, { host, port });
    this.#server = server;
    return this.address!;
  }

  /** Shows another certificate to whoever connects from now on. */
  renew(pair: ListenerKeyPair): void {
    if (this.#server !== undefined && 'setSecureContext' in this.#server)
      this.#server.setSecureContext({ ...pair, minVersion: 'TLSv1.2' });
  }

  /** Stops listening and cuts what is open. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

/** On loopback, web pages are turned away: what is served here is for programs of this machine. */
function guarded(onRequest: RequestListener, host: string, isTls: boolean): RequestListener {
  if (!isLoopback(host)) return onRequest;
  return (request, response) => {
    const refusal = pageRefusal(request.headers, { host, isNameChecked: !isTls });
    if (refusal === undefined) onRequest(request, response);
    else response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`refused: ${refusal}\n`);
  };
}
