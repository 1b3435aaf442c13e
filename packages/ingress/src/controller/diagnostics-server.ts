import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DiagnosticsServerOptions {
  readonly host?: string;
  readonly port?: number;
  /** What each path shows, made when it is asked for; undefined when there is nothing yet. */
  readonly pages: Readonly<Record<string, () => unknown>>;
}

/** Shows what the controller has in its mind, under the paths of Kong Ingress Controller. */
export class DiagnosticsServer {
  readonly #options: DiagnosticsServerOptions;
  #server: Server | undefined;

  constructor(options: DiagnosticsServerOptions) {
    this.#options = options;
  }

  get address(): AddressInfo | undefined {
    return this.#server?.address() as AddressInfo | undefined;
  }

  async listen(): Promise<AddressInfo> {
    const server = createServer((request, reply) => this.#answer(request.url ?? '/', reply));
    server.requestTimeout = 10_000;
    server.headersTimeout = 10_000;
    this.#server = server;
    const { host = '127.0.0.1', port = 0 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return this.address!;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #answer(url: string, reply: ServerResponse): void {
    const path = url.split('?', 1)[0] ?? '/';
    const { pages } = this.#options;
    const isKnown = path === '/' || Object.hasOwn(pages, path);
    const body = path === '/' ? { pages: Object.keys(pages).sort() } : pages[path]?.();
    if (!isKnown) send(reply, 404, { message: 'there is no such page' });
    else if (body === undefined) send(reply, 404, { message: 'there is nothing to show yet' });
    else send(reply, 200, body);
  }
}

function send(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { 'Content-Type': 'application/json' });
  reply.end(`${JSON.stringify(body, null, 1)}\n`);
}
