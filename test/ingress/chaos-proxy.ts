import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** Stands between a client and a server, and does on demand what networks and busy servers do. */
export class ChaosProxy {
  /** Where requests go on to. */
  readonly #target: URL;
  readonly #ca: string | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #refusals = 0;

  constructor(target: string, ca?: string) {
    this.#target = new URL(target);
    this.#ca = ca;
    this.#server = createServer((request, reply) => this.#pass(request, reply));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Cuts everything that is open, watches too; new connections are let in. */
  cut(): number {
    const count = this.#sockets.size;
    for (const socket of this.#sockets) socket.destroy();
    return count;
  }

  /** Answers the next requests with 429, as a server that protects itself. */
  refuse(count: number): void {
    this.#refusals = count;
  }

  get refusalsLeft(): number {
    return this.#refusals;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(request: IncomingMessage, reply: ServerResponse): void {
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      request.resume();
      reply.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      reply.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 429 }));
      return;
    }
    const { hostname, port, protocol } = this.#target;
    const send = protocol === 'https:' ? requestTls : requestPlain;
    const onward = send(
      {
        hostname,
        port,
        path: request.url,
        method: request.method,
        headers: request.headers,
        ...(this.#ca === undefined ? {} : { ca: this.#ca }),
      },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        reply.flushHeaders();
        answer.pipe(reply);
        answer.once('error', () => reply.destroy());
        answer.once('close', () => {
          if (!answer.complete) reply.destroy();
        });
      },
    );
    onward.once('error', () => {
      if (reply.headersSent) reply.destroy();
      else reply.writeHead(502).end();
    });
    reply.once('close', () => onward.destroy());
    request.pipe(onward);
  }
}
