import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { AdminListenOptions } from '../gateway-options.ts';
import { type ListenAddress, startListening, stopListening } from '../listener/listening.ts';
import type { AdminHandlerLike } from './admin-api.ts';
import type { AdminResponse } from './admin-message.ts';
import { message } from './admin-message.ts';
import { AdminPages } from './admin-pages.ts';
import { toAdminRequest } from './admin-request.ts';

/** Large configurations are sent whole; more than this is refused. */
const maximumBodyBytes = 512 * 1_024 * 1_024;
const lingerMs = 30_000;

/** The port of the Admin API. */
export class AdminListener {
  readonly #options: AdminListenOptions;
  readonly #api: AdminHandlerLike;
  readonly #pages: AdminPages;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: AdminListenOptions, api: AdminHandlerLike) {
    this.#options = options;
    this.#api = api;
    this.#pages = new AdminPages(options);
    const listener = (request: IncomingMessage, reply: ServerResponse) => {
      void this.#answer(request, reply);
    };
    const { tls } = options;
    this.#server =
      tls === undefined
        ? createServer(listener)
        : createSecureServer(
            {
              cert: tls.cert,
              key: tls.key,
              ...(tls.clientCa === undefined
                ? {}
                : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }),
            },
            listener,
          );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<ListenAddress> {
    const { host, port } = this.#options;
    return await startListening(this.#server, { host, port });
  }

  async stop(graceMs: number): Promise<void> {
    const stopped = stopListening(this.#server, this.#sockets, graceMs);
    this.#server.closeIdleConnections();
    await stopped;
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    let response: AdminResponse;
    try {
      response =
        this.#pages.answer(request.method ?? 'GET', request.headers) ??
        (this.#isAllowed(request) ? await this.#call(request) : message(401, 'Unauthorized'));
    } catch {
      response = message(500, 'An unexpected error occurred');
    }
    const isText = typeof response.body === 'string';
    const body =
      response.body === undefined
        ? ''
        : isText
          ? String(response.body)
          : JSON.stringify(response.body);
    const isHead = request.method === 'HEAD';
    reply.writeHead(response.status, {
      ...(isText || response.body === undefined
        ? {}
        : { 'Content-Type': 'application/json; charset=utf-8' }),
      ...this.#pages.headers(response.headers ?? {}, request.headers.origin),
      ...(response.status === 204 || response.status === 304
        ? {}
        : { 'Content-Length': Buffer.byteLength(body) }),
      'X-Kong-Admin-Latency': Math.round(performance.now() - startedAt),
    });
    reply.end(isHead ? undefined : body);
  }

  async #call(request: IncomingMessage): Promise<AdminResponse> {
    const body = await readBody(request, this.#options.maxBodyBytes ?? maximumBodyBytes);
    if (body === undefined) return message(413, 'Payload too large');
    return this.#api.handle(
      toAdminRequest(
        request.method ?? 'GET',
        request.url ?? '/',
        request.headers as Readonly<Record<string, string | undefined>>,
        body,
      ),
    );
  }

  #isAllowed(request: IncomingMessage): boolean {
    const { token } = this.#options;
    if (token === undefined) return true;
    const header = request.headers['kong-admin-token'];
    const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const given = Buffer.from(typeof header === 'string' ? header : (bearer ?? ''));
    const wanted = Buffer.from(token);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/**
 * The whole body; undefined if it is too large. What is left of it then is read for a while and dropped,
 * so that a client that is still sending gets to read the answer.
 */
function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = Number(request.headers['content-length'] ?? 0);
    if (!(size > limit)) size = 0;
    const refuse = () => {
      chunks.length = 0;
      request.off('data', onData);
      request.resume();
      const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
      request.once('close', () => clearTimeout(timer));
      resolve(undefined);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) refuse();
    };
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client closed the connection')));
    request.once('end', () => resolve(Buffer.concat(chunks)));
    if (size > limit) {
      refuse();
    } else {
      request.on('data', onData);
    }
  });
}
