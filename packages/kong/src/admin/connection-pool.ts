import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
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
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the body of the answer matters only when it is a refusal. */
  readonly ignoresAnswer?: boolean;
}

/** Called once with what came of a request: the answer, or why there is none. */
type OnAnswer = (answer: RawAnswer | undefined, error: Error | undefined) => void;

interface Job {
  readonly request: RawRequest;
  readonly onAnswer: OnAnswer;
  /** Whether it was on a connection that the server closed before it answered anything. */
  isSecondTry?: boolean;
}

interface Connection {
  readonly socket: Socket;
  job: Job | undefined;
  readonly reader: ResponseReader;
  /** Whether it has carried a request before: then the server may be about to close it. */
  isUsed: boolean;
  hasAnswered: boolean;
}

/** What is read at a time: the list pages of a large Kong come in pieces of it. */
const readBytes = 64 * 1024;

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
  /** Those that are open; `size + #opening` never exceeds `options.connections`. */
  readonly #connections = new Set<Connection>();
  /**
   * Open ones without a job, the latest used last: that one is the least likely to be closed by the
   * server.
   */
  readonly #idle: Connection[] = [];
  /**
   * Jobs from `#firstWaiting` on wait; those before have been handed out. Nobody waits while one is
   * idle.
   */
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
      this.dispatch(request, (answer, error) => {
        if (answer === undefined) reject(error);
        else resolve(answer);
      });
    });
  }

  /** The same without a promise, for those who send ten thousand. */
  dispatch(request: RawRequest, onAnswer: OnAnswer): void {
    const { signal } = request;
    if (!/^\/[\x21-\x7e]*$/.test(request.path)) {
      const message = `${request.path} is no path of an Admin API`;
      onAnswer(undefined, new KongError('WG_KONG_ANSWER', message));
    } else if (signal?.aborted === true || this.#isClosed) {
      const message = this.#isClosed ? 'closed' : 'cancelled';
      onAnswer(undefined, new KongError('WG_KONG_ABORTED', message));
    } else {
      if (signal !== undefined) this.#watch(signal);
      this.#waiting.push({ request, onAnswer });
      this.#startWaiting();
    }
  }

  /** Ends all connections; what is under way fails. */
  close(): void {
    this.#isClosed = true;
    const error = new KongError('WG_KONG_ABORTED', 'closed');
    for (const job of this.#waiting.splice(this.#firstWaiting)) this.#settle(job, error);
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
    let connection: Connection | undefined;
    const receive = (piece: Buffer) => {
      if (connection !== undefined) this.#receive(connection, piece);
    };
    try {
      socket = await this.#connect(receive);
    } catch (error) {
      this.#opening -= 1;
      // Nobody else is told: their turn comes with the next connection that opens or fails.
      const job = this.#nextJob();
      if (job !== undefined) this.#settle(job, error as Error);
      this.#startWaiting();
      return;
    }
    this.#opening -= 1;
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const opened: Connection = {
      socket,
      job: undefined,
      reader: new ResponseReader(this.#options.largestAnswer),
      isUsed: false,
      hasAnswered: false,
    };
    connection = opened;
    this.#connections.add(opened);
    socket.on('end', () => this.#end(opened));
    socket.on('close', () => this.#drop(opened, new Error('other side closed')));
    socket.on('error', (error) => this.#drop(opened, error));
    socket.on('timeout', () => {
      if (opened.job === undefined) return;
      socket.destroy(new Error(`no answer for ${this.#options.timeoutMs} ms`));
    });
    const job = this.#nextJob();
    if (job === undefined) this.#idle.push(opened);
    else this.#start(opened, job);
  }

  async #connect(receive: (piece: Buffer) => void): Promise<Socket> {
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
          ? connect({ host, port, noDelay: true, onread: readInto(receive) })
          : secure.connect({
              host,
              port,
              ...(tls.ca === undefined ? {} : { ca: tls.ca }),
              ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
              ...(tls.key === undefined ? {} : { key: tls.key }),
              ...(servername === undefined ? {} : { servername }),
              rejectUnauthorized: tls.isUnverified !== true,
            });
      if (secure !== undefined) socket.on('data', receive);
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
    const { method, path, body, ignoresAnswer } = job.request;
    const { socket } = connection;
    connection.job = job;
    connection.hasAnswered = false;
    connection.reader.begin(method === 'HEAD', ignoresAnswer === true);
    const line = `${method} ${path} HTTP/1.1\r\n${this.#common}`;
    if (body === undefined) {
      socket.write(`${line}\r\n`, 'latin1');
      return;
    }
    const length = Buffer.byteLength(body);
    const head = `${line}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    if (typeof body === 'string' && length === body.length) {
      socket.write(head + body, 'latin1');
      return;
    }
    // In another encoding, or long and not to be copied: the two parts leave together.
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  #receive(connection: Connection, piece: Buffer): void {
    if (connection.job === undefined) {
      connection.socket.destroy();
      return;
    }
    connection.hasAnswered = true;
    try {
      const answer = connection.reader.push(piece);
      if (answer !== undefined) this.#finish(connection, connection.job, answer);
    } catch (error) {
      connection.socket.destroy(error as Error);
    }
  }

  #end(connection: Connection): void {
    if (connection.job !== undefined) {
      const answer = connection.reader.end();
      if (answer !== undefined) this.#finish(connection, connection.job, answer);
    }
    connection.socket.destroy();
  }

  #finish(connection: Connection, job: Job, answer: RawAnswer): void {
    connection.job = undefined;
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
    this.#settle(job, undefined, answer);
  }

  #settle(job: Job, error: Error | undefined, answer?: RawAnswer): void {
    if (job.request.signal !== undefined) this.#unwatch(job.request.signal);
    job.onAnswer(answer, error);
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
    } else this.#settle(job, error);
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
      if (job.request.signal === signal) this.#settle(job, error);
      else this.#waiting.push(job);
    }
    for (const { job, socket } of this.#connections) {
      if (job?.request.signal === signal) socket.destroy(error);
    }
  }
}

/** Reads into the same memory again and again: what is kept of a piece is copied by its reader. */
function readInto(receive: (piece: Buffer) => void): OnReadOpts {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  return {
    buffer,
    callback: (bytes) => {
      receive(buffer.subarray(0, bytes));
      return true;
    },
  };
}
