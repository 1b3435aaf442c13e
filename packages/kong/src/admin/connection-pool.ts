import { connect, isIP, type Socket } from 'node:net';
import { KongError } from '../kong-error.ts';
import { type RawAnswer, ResponseReader } from './response-reader.ts';

export interface AdminTls {
  /** Certificates to trust, PEM, instead of the system's. */
  readonly ca?: string;
  readonly serverName?: string;
  /** Whether any certificate of the server is taken. */
  readonly isUnverified?: boolean;
  readonly certificate?: string;
  readonly key?: string;
}

export interface ConnectionPoolOptions {
  readonly url: URL;
  readonly tls: AdminTls;
  /** Connections that are open at a time at most. */
  readonly connections: number;
  /** For which a connection may be silent while it owes an answer. */
  readonly timeoutMs: number;
  /** Bytes; a longer answer is an error. */
  readonly largestAnswer: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

interface Job {
  readonly request: RawRequest;
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (error: Error) => void;
  /** Whether it was on a connection that the server closed before it answered anything. */
  isSecondTry?: boolean;
}

interface Connection {
  readonly socket: Socket;
  job: Job | undefined;
  reader: ResponseReader | undefined;
  /** Whether it has carried a request before: then the server may be about to close it. */
  isUsed: boolean;
  hasAnswered: boolean;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => {
      if (!token.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
        throw new KongError('WG_KONG_UNREACHABLE', `the header ${name} cannot be sent`);
      }
      return `${name}: ${value}\r\n`;
    })
    .join('');
}

/**
 * Keeps connections to one server open and sends requests over them, one at a time on each. It does
 * what a client of an Admin API needs and no more: loading a whole HTTP library takes longer than
 * most runs of `waygate gateway diff`, and ten thousand writes are mostly overhead of the library.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #common: string;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: Job[] = [];
  #firstWaiting = 0;
  #opening = 0;
  /** One listener for each signal, however many requests it may cancel, while there are any. */
  readonly #watched = new Map<AbortSignal, { readonly listener: () => void; requests: number }>();
  #isClosed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#common = `host: ${options.url.host}\r\n${headerLines(options.headers)}`;
  }

  /** Sends one request; the promise fails when the server cannot be reached or breaks off. */
  send(request: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (!/^\/[\x21-\x7e]*$/.test(request.path)) {
        reject(new KongError('WG_KONG_ANSWER', `${request.path} is no path of an Admin API`));
        return;
      }
      const { signal } = request;
      if (signal?.aborted === true || this.#isClosed) {
        reject(new KongError('WG_KONG_ABORTED', this.#isClosed ? 'closed' : 'cancelled'));
        return;
      }
      if (signal === undefined) {
        this.#waiting.push({ request, resolve, reject });
      } else {
        this.#watch(signal);
        this.#waiting.push({
          request,
          resolve: (answer) => {
            this.#unwatch(signal);
            resolve(answer);
          },
          reject: (error) => {
            this.#unwatch(signal);
            reject(error);
          },
        });
      }
      this.#startWaiting();
    });
  }

  /** Ends all connections; what is under way fails. */
  close(): void {
    this.#isClosed = true;
    const error = new KongError('WG_KONG_ABORTED', 'closed');
    for (const job of this.#waiting.splice(this.#firstWaiting)) job.reject(error);
    for (const { socket } of this.#connections) socket.destroy(error);
  }

  #startWaiting(): void {
    while (this.#firstWaiting < this.#waiting.length) {
      const connection = this.#idle.pop();
      if (connection === undefined) break;
      this.#start(connection, this.#nextJob() as Job);
    }
    const waiting = this.#waiting.length - this.#firstWaiting;
    const room = this.#options.connections - this.#connections.size - this.#opening;
    for (let count = Math.min(waiting - this.#opening, room); count > 0; count -= 1) {
      void this.#open();
    }
  }

  #nextJob(): Job | undefined {
    const job = this.#waiting[this.#firstWaiting];
    if (job === undefined) return undefined;
    this.#firstWaiting += 1;
    if (this.#firstWaiting > 1000) {
      this.#waiting.splice(0, this.#firstWaiting);
      this.#firstWaiting = 0;
    }
    return job;
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    let socket: Socket;
    try {
      socket = await this.#connect();
    } catch (error) {
      this.#opening -= 1;
      // Nobody else is told: their turn comes with the next connection that opens or fails.
      this.#nextJob()?.reject(error as Error);
      this.#startWaiting();
      return;
    }
    this.#opening -= 1;
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      job: undefined,
      reader: undefined,
      isUsed: false,
      hasAnswered: false,
    };
    this.#connections.add(connection);
    socket.on('data', (piece: Buffer) => this.#receive(connection, piece));
    socket.on('end', () => this.#end(connection));
    socket.on('close', () => this.#drop(connection, new Error('other side closed')));
    socket.on('error', (error) => this.#drop(connection, error));
    socket.on('timeout', () => {
      if (connection.job === undefined) return;
      socket.destroy(new Error(`no answer for ${this.#options.timeoutMs} ms`));
    });
    const job = this.#nextJob();
    if (job === undefined) this.#idle.push(connection);
    else this.#start(connection, job);
  }

  async #connect(): Promise<Socket> {
    const { url, tls, timeoutMs } = this.#options;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isSecure = url.protocol === 'https:';
    const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
    // Most Admin APIs are spoken to in clear on the same machine: TLS is loaded when it is needed.
    const secure = isSecure ? await import('node:tls') : undefined;
    return new Promise((resolve, reject) => {
      const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined);
      const socket: Socket =
        secure === undefined
          ? connect({ host, port, noDelay: true })
          : secure.connect({
              host,
              port,
              ...(tls.ca === undefined ? {} : { ca: tls.ca }),
              ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
              ...(tls.key === undefined ? {} : { key: tls.key }),
              ...(servername === undefined ? {} : { servername }),
              rejectUnauthorized: tls.isUnverified !== true,
            });
      const fail = (error: Error & { readonly errors?: readonly Error[] }) =>
        reject(error.message === '' ? (error.errors?.[0] ?? error) : error);
      const late = () => socket.destroy(new Error(`no connection after ${timeoutMs} ms`));
      socket.once('error', fail);
      socket.once('timeout', late);
      socket.setTimeout(timeoutMs);
      socket.once(secure === undefined ? 'connect' : 'secureConnect', () => {
        socket.off('error', fail);
        socket.off('timeout', late);
        resolve(socket);
      });
    });
  }

  #start(connection: Connection, job: Job): void {
    const { method, path, body } = job.request;
    connection.job = job;
    connection.hasAnswered = false;
    connection.reader = new ResponseReader(method === 'HEAD', this.#options.largestAnswer);
    const length =
      body === undefined
        ? ''
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\n${this.#common}${length}\r\n`;
    if (typeof body === 'object') {
      // Long, and not to be copied: the two parts leave together.
      connection.socket.cork();
      connection.socket.write(head);
      connection.socket.write(body);
      connection.socket.uncork();
    } else connection.socket.write(body === undefined ? head : head + body);
  }

  #receive(connection: Connection, piece: Buffer): void {
    const { reader } = connection;
    if (reader === undefined) {
      connection.socket.destroy();
      return;
    }
    connection.hasAnswered = true;
    try {
      const answer = reader.push(piece);
      if (answer !== undefined) this.#finish(connection, answer);
    } catch (error) {
      connection.socket.destroy(error as Error);
    }
  }

  #end(connection: Connection): void {
    const answer = connection.reader?.end();
    if (answer !== undefined) this.#finish(connection, answer);
    connection.socket.destroy();
  }

  #finish(connection: Connection, answer: RawAnswer): void {
    const { job } = connection;
    connection.job = undefined;
    connection.reader = undefined;
    connection.isUsed = true;
    if (!answer.keepsAlive || this.#isClosed) {
      this.#forget(connection);
      connection.socket.destroy();
      this.#startWaiting();
    } else {
      const next = this.#nextJob();
      if (next === undefined) this.#idle.push(connection);
      else this.#start(connection, next);
    }
    job?.resolve(answer);
  }

  /** A connection is gone. Its request is sent again if the server had not looked at it. */
  #drop(connection: Connection, error: Error): void {
    const { job } = connection;
    this.#forget(connection);
    if (job === undefined) return;
    connection.job = undefined;
    const isUnseen = connection.isUsed && !connection.hasAnswered;
    const mayRepeat = job.request.method !== 'POST' && job.isSecondTry !== true;
    if (isUnseen && mayRepeat && !this.#isClosed && !(error instanceof KongError)) {
      job.isSecondTry = true;
      this.#waiting.push(job);
    } else job.reject(error);
    this.#startWaiting();
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  #watch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (watched !== undefined) {
      watched.requests += 1;
      return;
    }
    const listener = () => this.#abort(signal);
    this.#watched.set(signal, { listener, requests: 1 });
    signal.addEventListener('abort', listener, { once: true });
  }

  #unwatch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    watched.requests -= 1;
    if (watched.requests > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }

  /** Fails all requests that a signal cancels, those that wait and those that are under way. */
  #abort(signal: AbortSignal): void {
    const error = new KongError('WG_KONG_ABORTED', 'cancelled');
    const waiting = this.#waiting.splice(this.#firstWaiting);
    for (const job of waiting) {
      if (job.request.signal === signal) job.reject(error);
      else this.#waiting.push(job);
    }
    for (const { job, socket } of this.#connections) {
      if (job?.request.signal === signal) socket.destroy(error);
    }
  }
}
