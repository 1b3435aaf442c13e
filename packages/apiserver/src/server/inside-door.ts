import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { HttpHeaders, HttpRequest, HttpResponse, Send } from '@waygate/text';
import type { RequestListener } from './http2-door.ts';

/** As much of an answer as is written ahead of its reader. */
const highWaterMark = 64 * 1024;

type Done = (error?: Error | null) => void;

/**
 * The way in for clients of this process: requests go to the same handler as those of the network, with their headers
 * and their rights, but nothing is put into bytes of HTTP and taken out again. Nobody can change the protocol here.
 */
export class InsideDoor {
  readonly #onRequest: RequestListener;
  readonly #open = new Set<InsideResponse>();
  #isClosed = false;

  constructor(onRequest: RequestListener) {
    this.#onRequest = onRequest;
  }

  /** Bound, as it is handed to clients. */
  readonly answer: Send = async (request) => {
    const { signal } = request;
    // Whoever asks again and again must not keep timers and sockets from their turn.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    if (this.#isClosed) throw connectionError('ECONNREFUSED', 'the API server has stopped');
    const response = new InsideResponse();
    const { body } = response;
    const giveUp = () => body.destroy(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#open.add(response);
    body.once('close', () => {
      signal?.removeEventListener('abort', giveUp);
      this.#open.delete(response);
    });
    this.#onRequest(asHttp1Request(request), response as unknown as ServerResponse);
    return response.head;
  };

  /** Cuts off every answer that has not ended. */
  close(): void {
    this.#isClosed = true;
    for (const response of this.#open) response.destroy();
  }
}

/** What the handler is asked, under the names that HTTP/1 has for its parts. */
function asHttp1Request({
  method = 'GET',
  path,
  headers = {},
  body,
}: HttpRequest): IncomingMessage {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'object' ? [...value] : [value ?? '']).flatMap((each) => [name, each]),
  );
  const stream = new Readable({
    read() {
      if (body !== undefined) this.push(body);
      this.push(null);
    },
  });
  return Object.assign(stream, {
    method,
    url: path,
    headers: joined(headers),
    rawHeaders,
    // As with HTTP/2, nothing depends on how an answer ends: no connection has to be kept in order.
    httpVersionMajor: 2,
    complete: true,
    socket: {},
  }) as unknown as IncomingMessage;
}

/** What the handler writes; the client reads it from `body`. */
class InsideResponse extends Writable {
  readonly body: InsideBody;
  readonly head: Promise<HttpResponse>;
  statusCode = 200;
  headersSent = false;
  #giveHead: (head: HttpResponse) => void = () => undefined;
  #refuseHead: (error: Error) => void = () => undefined;
  #isEnded = false;

  constructor() {
    super({ highWaterMark });
    this.body = new InsideBody((error) => this.#leave(error));
    this.head = new Promise((resolve, reject) => {
      this.#giveHead = resolve;
      this.#refuseHead = reject;
    });
    // What is written too late is the handler's affair, as it is on a socket that has closed.
    this.on('error', () => undefined);
  }

  writeHead(statusCode: number, headers: HttpHeaders = {}): this {
    this.statusCode = statusCode;
    this.headersSent = true;
    const statusMessage = STATUS_CODES[statusCode] ?? '';
    this.#giveHead({ statusCode, statusMessage, headers: joined(headers), body: this.body });
    return this;
  }

  /** The client has the head as soon as it is written. */
  flushHeaders(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.body.receive(chunk, done);
  }

  override _final(done: Done): void {
    this.#isEnded = true;
    this.body.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    const cut = connectionError('ECONNRESET', 'the API server cut the answer off');
    if (!this.headersSent) this.#refuseHead(cut);
    if (!this.#isEnded) this.body.destroy(cut);
    done(error);
  }

  #leave(error: Error | null): void {
    if (error !== null && !this.headersSent) this.#refuseHead(error);
    this.destroy();
  }
}

/** The body of an answer, which is written no faster than it is read. */
class InsideBody extends Readable {
  readonly #onClosed: (error: Error | null) => void;
  #waiting: Done | undefined;

  constructor(onClosed: (error: Error | null) => void) {
    super({ highWaterMark });
    this.#onClosed = onClosed;
  }

  receive(chunk: Buffer, done: Done): void {
    if (this.push(chunk)) done();
    else this.#waiting = done;
  }

  override _read(): void {
    const done = this.#waiting;
    this.#waiting = undefined;
    done?.();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#onClosed(error);
    // As with Node's own bodies, who does not listen yet finds it ended too early when they do.
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

/** Headers as a server of Node.js gives them: names in lower case, several values as one text. */
function joined(headers: HttpHeaders): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    all[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return all;
}

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
