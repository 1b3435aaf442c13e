import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TextError } from '../error.ts';
import { dial, type HttpTls } from './dial.ts';
import { LinkedSignal, TimeoutError } from './linked-signal.ts';
import type { HttpRequest, HttpResponse, Send, Upgraded } from './message.ts';
import { isSocks, proxyAuthorization } from './proxy-tunnel.ts';
import { Turns } from './turns.ts';

export interface HttpClientOptions {
  readonly tls?: HttpTls | undefined;
  /** The proxy that leads to a server. None by default: the environment is the caller's to read. */
  readonly proxyFor?: ((server: URL) => URL | undefined) | undefined;
  /** Answers in place of the network: a server in this process. It ends an answer when its signal aborts. */
  readonly answer?: Send | undefined;
  /** Connections in use at a time, streams aside. 16. */
  readonly maxConnections?: number | undefined;
  /** For a connection, its proxy and its handshake. 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a server may be silent while it owes something. 60 s; 0 is for ever. */
  readonly idleTimeoutMs?: number | undefined;
}

/** An unused connection is kept for so long: less than the servers that we know of do. */
const keptMs = 20_000;
const maxHeaderBytes = 64 * 1024;

/** What a request tells the connection that is opened for it. */
interface Leg {
  readonly server: URL;
  /** Not `signal`, which Node would take for its own. */
  readonly dialSignal: AbortSignal;
  /** The proxy that is asked in place of the server; others are tunnels to it. */
  readonly front: URL | undefined;
  readonly connectTimeoutMs: number | undefined;
}

interface Exchanged {
  readonly message: IncomingMessage;
  readonly upgraded?: Upgraded;
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** Keeps connections by the server that they lead to, whatever way they take. */
class DialingAgent extends Agent {
  readonly #dial: (leg: Leg) => Promise<Socket>;

  constructor(maxFreeSockets: number, open: (leg: Leg) => Promise<Socket>) {
    super({ keepAlive: true, timeout: keptMs });
    // Node's constructor takes 0 for its default.
    this.maxFreeSockets = maxFreeSockets;
    this.#dial = open;
  }

  override getName(options?: object): string {
    return (options as Leg).server.origin;
  }

  override createConnection(options: object, callback?: Connected): undefined {
    // There is no socket to give with an error, whatever the types of Node say.
    const fail = callback as ((error: Error) => void) | undefined;
    this.#dial(options as Leg).then((socket) => callback?.(null, socket), fail);
    return undefined;
  }
}

/**
 * Sends requests over connections that it keeps. It is what every chain of `Send` ends in: it follows
 * no redirect, repeats nothing and reads no environment. Errors are the socket's own, the signal's
 * reason, or a `TimeoutError`.
 *
 * ```ts
 * const client = new HttpClient();
 * const { statusCode, body } = await client.send({ origin: 'https://example.com', path: '/' });
 * client.close();
 * ```
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #pool: DialingAgent;
  /** Nothing in it is used twice. */
  readonly #streams: DialingAgent;
  readonly #turns: Turns;
  readonly #running = new Set<LinkedSignal>();
  #isClosed = false;
  /** TLS sessions by origin, so that the next handshake is a short one. */
  readonly #sessions = new Map<string, Buffer>();

  constructor(options: HttpClientOptions = {}) {
    const { maxConnections = 16 } = options;
    this.#options = options;
    this.#turns = new Turns(maxConnections);
    const open = (leg: Leg) => this.#open(leg);
    this.#pool = new DialingAgent(maxConnections, open);
    this.#streams = new DialingAgent(0, open);
  }

  /** Bound, as it is handed to wrappers. */
  readonly send = async (request: HttpRequest): Promise<HttpResponse> => {
    if (this.#isClosed) throw closed();
    request.signal?.throwIfAborted();
    const linked = new LinkedSignal(request.signal);
    this.#running.add(linked);
    let hasTurn = false;
    const release = () => {
      linked.release();
      this.#running.delete(linked);
      if (hasTurn) this.#turns.give();
    };
    try {
      if (!isStream(request)) {
        await this.#turns.take(linked.signal);
        hasTurn = true;
      }
      const response = await this.#answer(request, linked.signal);
      const { body, upgraded } = response;
      if (body.closed || upgraded !== undefined) release();
      else body.once('close', release);
      return response;
    } catch (error) {
      release();
      throw linked.signal.aborted ? linked.signal.reason : error;
    }
  };

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Lets what is under way come to its end, and keeps nothing. */
  retire(): void {
    this.#pool.maxFreeSockets = 0;
    for (const idle of Object.values(this.#pool.freeSockets)) {
      for (const socket of idle ?? []) socket.destroy();
    }
  }

  /** Ends everything that is open. */
  close(): void {
    this.#isClosed = true;
    for (const linked of this.#running) linked.abort(closed());
    this.#pool.destroy();
    this.#streams.destroy();
  }

  async #open({ server, dialSignal: signal, front, connectTimeoutMs }: Leg): Promise<Socket> {
    const { tls, proxyFor } = this.#options;
    const timeoutMs = connectTimeoutMs ?? this.#options.connectTimeoutMs ?? 10_000;
    if (front !== undefined) return dial(front, { timeoutMs, signal });
    return dial(server, {
      tls,
      proxy: proxyFor?.(server),
      timeoutMs,
      signal,
      session: this.#sessions.get(server.origin),
      onSession: (session) => this.#sessions.set(server.origin, session),
    });
  }

  async #answer(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { answer } = this.#options;
    if (answer !== undefined) {
      const headers = headersOf(request, new URL(request.origin), undefined);
      return answer({ ...request, headers, signal });
    }
    const { message, upgraded } = await this.#exchange(request, signal);
    const { statusCode = 0, statusMessage = '', headers } = message;
    return { statusCode, statusMessage, headers, body: message, upgraded };
  }

  #exchange(request: HttpRequest, signal: AbortSignal): Promise<Exchanged> {
    const { idleTimeoutMs = this.#options.idleTimeoutMs ?? 60_000, connectTimeoutMs } = request;
    const server = new URL(request.origin);
    const front = frontOf(server, this.#options.proxyFor?.(server), request);
    const leg: Leg = { server, dialSignal: signal, front, connectTimeoutMs };
    const outgoing = openRequest({
      ...leg,
      agent: isStream(request) ? this.#streams : this.#pool,
      method: request.method ?? 'GET',
      path: front === undefined ? request.path : `${request.origin}${request.path}`,
      headers: headersOf(request, server, front),
      maxHeaderSize: maxHeaderBytes,
    });
    return new Promise((resolve, reject) => {
      const headTimer =
        idleTimeoutMs > 0
          ? setTimeout(() => outgoing.destroy(new TimeoutError(idleTimeoutMs)), idleTimeoutMs)
          : undefined;
      const onAbort = () => outgoing.destroy(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const headDone = () => {
        clearTimeout(headTimer);
        signal.removeEventListener('abort', onAbort);
      };
      // An error after the answer shows where the body is read.
      outgoing.on('error', (error) => {
        headDone();
        reject(error);
      });
      outgoing.once('response', (message) => {
        headDone();
        watchBody(message, signal, isStream(request) ? 0 : idleTimeoutMs);
        resolve({ message });
      });
      outgoing.once('upgrade', (message, socket, rest) => {
        headDone();
        resolve({ message, upgraded: { socket: socket as Socket, rest } });
      });
      outgoing.end(request.body);
    });
  }
}

function closed(): TextError {
  return new TextError('WG_TEXT_CLOSED', 'the client is closed');
}

/** Ends a body that is given up or falls silent, with the reason for its reader. */
function watchBody(message: IncomingMessage, signal: AbortSignal, idleTimeoutMs: number): void {
  const { socket } = message;
  // Node's own way to abort would tell the reader that the connection was reset.
  const onAbort = () => message.destroy(signal.reason);
  const onIdle = () => {
    // It is the reader who is slow.
    if (message.readableLength > 0) socket.setTimeout(idleTimeoutMs);
    else message.destroy(new TimeoutError(idleTimeoutMs));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  socket.setTimeout(idleTimeoutMs).on('timeout', onIdle);
  message.once('close', () => {
    signal.removeEventListener('abort', onAbort);
    socket.off('timeout', onIdle);
  });
}

function isStream({ isStream: isAsked, headers }: HttpRequest): boolean {
  return isAsked === true || headers?.upgrade !== undefined;
}

/** The proxy that is asked for a plain resource by its whole address, so that no tunnel is needed. */
function frontOf(server: URL, proxy: URL | undefined, { headers }: HttpRequest): URL | undefined {
  if (server.protocol !== 'http:' || proxy === undefined || isSocks(proxy)) return undefined;
  return headers?.upgrade === undefined ? proxy : undefined;
}

function headersOf(
  { headers = {}, body }: HttpRequest,
  server: URL,
  proxy: URL | undefined,
): Record<string, string | string[]> {
  const authorization = proxy === undefined ? undefined : proxyAuthorization(proxy);
  const all: Record<string, string | string[]> = { host: server.host };
  if (authorization !== undefined) all['proxy-authorization'] = authorization;
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = typeof value === 'string' ? value : [...value];
  }
  return all;
}
