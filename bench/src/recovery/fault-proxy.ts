import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What the way to the API does to requests. */
export type Fault =
  | 'none'
  /** Nobody listens. */
  | 'refused'
  /** Connections are taken, and nothing is ever answered. */
  | 'silent'
  /** A load balancer answers in the API's stead. */
  | 'unavailable'
  /** Every answer comes late. */
  | 'slow';

const slowMs = 250;

/** Stands between the controllers and the API, and breaks the way as it is told. */
export class FaultProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ServerResponse>();
  #server: Server | undefined;
  #port = 0;
  #fault: Fault = 'none';

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    this.#server = createServer((request, reply) => this.#answer(request, reply));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async break(fault: Exclude<Fault, 'none'>): Promise<void> {
    this.#fault = fault;
    if (fault !== 'slow') this.cut();
    if (fault === 'refused') await this.close();
  }

  async mend(): Promise<void> {
    const before = this.#fault;
    this.#fault = 'none';
    if (before === 'refused') await this.listen();
    // What was never answered is not answered now either.
    if (before === 'silent') this.cut();
  }

  /** Ends everything that is open, as a router that restarts. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Tells all watches that their version is too old, as a server does whose history was compacted. */
  expire(): void {
    const object = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 };
    for (const reply of this.#watches) reply.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }

  async close(): Promise<void> {
    this.cut();
    this.#server?.close();
    if (this.#server?.listening === true) await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, reply: ServerResponse): void {
    if (this.#fault === 'silent') return;
    if (this.#fault === 'unavailable') return void reply.writeHead(503).end('no upstream');
    if (this.#fault === 'slow') setTimeout(() => this.#pass(request, reply), slowMs);
    else this.#pass(request, reply);
  }

  #pass(request: IncomingMessage, reply: ServerResponse): void {
    const { method, url = '', headers } = request;
    const { hostname, port } = this.#target;
    const onward = send({ hostname, port, method, path: url, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      reply.flushHeaders();
      answer.pipe(reply);
      if (!/[?&]watch=/u.test(url)) return;
      this.#watches.add(reply);
      reply.once('close', () => this.#watches.delete(reply));
    });
    onward.once('error', () => reply.destroy());
    reply.once('close', () => onward.destroy());
    request.pipe(onward);
  }
}
