import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that wants to change something. */
export interface Write {
  /** Which replica sent it. */
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * Where a replica is to come to its end: before one of its writes is passed on, or after it was done
 * and before it sees the answer. `answered` lets it have the answer, which a process that stands still
 * finds when it goes on.
 */
export type Moment = 'before' | 'after' | 'answered';

/** Who is told of writes, in the one order that all replicas see. */
export interface Witness {
  /** A write has arrived whole and goes on now. */
  onSent(write: Write): void;
  /** The server has answered it. */
  onDone(write: Write, status: number, answer: string): void;
}

/**
 * Stands between one replica and a server, sees every write, and can end the replica at one of them:
 * before the write is passed on, or when it was done and its answer is still here.
 */
export class RecordingProxy implements AsyncDisposable {
  readonly #by: string;
  readonly #target: URL;
  readonly #witness: Witness;
  readonly #server: Server;
  /** It has read a Lease: it stands as a candidate. */
  hasReadLease = false;
  #armed: { left: number; moment: Moment; end: (write: Write) => void } | undefined;

  static async start(by: string, target: string, witness: Witness): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(by, target, witness);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(by: string, target: string, witness: Witness) {
    this.#by = by;
    this.#target = new URL(target);
    this.#witness = witness;
    this.#server = createServer((request, reply) => {
      const isWrite = !['GET', 'HEAD'].includes(request.method ?? '');
      this.hasReadLease ||= !isWrite && /\/leases\/./u.test(request.url ?? '');
      if (isWrite) this.#write(request, reply).catch(() => reply.destroy());
      else this.#pass(request, reply);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Calls `end` at the n-th write from now on that is neither about a Lease nor an Event. */
  arm(n: number, moment: Moment, end: (write: Write) => void): void {
    this.#armed = { left: n, moment, end };
  }

  disarm(): void {
    this.#armed = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(request: IncomingMessage, reply: ServerResponse): void {
    const onward = this.#send(request, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      reply.flushHeaders();
      answer.pipe(reply);
      answer.once('close', () => {
        if (!answer.complete) reply.destroy();
      });
    });
    onward.once('error', () => reply.destroy());
    reply.once('close', () => onward.destroy());
    onward.end();
  }

  async #write(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { method = '', url = '' } = request;
    const write: Write = { by: this.#by, method, path: url.split('?')[0] ?? '', body };
    const armed = isWork(write) ? this.#armed : undefined;
    const isEnd = armed !== undefined && --armed.left === 0;
    if (isEnd) this.#armed = undefined;
    if (isEnd && armed.moment === 'before') {
      armed.end(write);
      return void reply.destroy();
    }
    this.#witness.onSent(write);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = this.#send(request, resolve);
      onward.once('error', reject);
      onward.end(body);
    });
    const text = await textOf(answer);
    this.#witness.onDone(write, answer.statusCode ?? 502, text);
    if (isEnd) armed.end(write);
    if (isEnd && armed.moment === 'after') return void reply.destroy();
    const { 'transfer-encoding': _, ...headers } = answer.headers;
    reply.writeHead(answer.statusCode ?? 502, {
      ...headers,
      'content-length': Buffer.byteLength(text),
    });
    reply.end(text);
  }

  #send({ method, url, headers }: IncomingMessage, onAnswer: (answer: IncomingMessage) => void) {
    const { hostname, port } = this.#target;
    const { 'accept-encoding': _, ...kept } = headers;
    return send({ hostname, port, method, path: url, headers: kept }, onAnswer);
  }
}

/** Whether a write is one of those that only a leader may do. */
export function isWork({ method, path }: Write): boolean {
  const isAside = /\/(leases|events|schemas|[a-z]+accessreviews)(\/|$)/u.test(path);
  return !isAside && !['GET', 'HEAD'].includes(method);
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
