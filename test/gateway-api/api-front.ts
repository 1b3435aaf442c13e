import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LocalNode } from './local-node.ts';

interface ApiFrontOptions {
  /** The API server behind. */
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly node: LocalNode;
}

const logPath = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/log$/u;

/**
 * The API server as the suite sees it: what pods said comes from the stand-in for the nodes, as a real one
 * asks its kubelets, and everything else from the server behind.
 */
export class ApiFront {
  readonly #options: ApiFrontOptions;
  readonly #server: Server;
  readonly #agent: Agent;

  constructor(options: ApiFrontOptions) {
    this.#options = options;
    this.#agent = new Agent({ ca: options.ca, keepAlive: true });
    this.#server = createServer((incoming, reply) => this.#answer(incoming, reply));
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.destroy();
  }

  #answer(incoming: IncomingMessage, reply: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', 'http://api');
    const [, namespace = '', name = ''] = logPath.exec(url.pathname) ?? [];
    const since = Date.parse(url.searchParams.get('sinceTime') ?? '') || 0;
    const log = this.#options.node.logOf(namespace, name, since);
    if (log === undefined) this.#forward(incoming, reply);
    else reply.setHeader('content-type', 'text/plain').end(log);
  }

  #forward(incoming: IncomingMessage, reply: ServerResponse): void {
    const headers = { ...incoming.headers, authorization: `Bearer ${this.#options.token}` };
    const outgoing = request(
      new URL(incoming.url ?? '/', this.#options.url),
      { agent: this.#agent, method: incoming.method, headers },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        reply.flushHeaders();
        answer.pipe(reply);
      },
    );
    outgoing.on('error', () => reply.destroy());
    reply.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
