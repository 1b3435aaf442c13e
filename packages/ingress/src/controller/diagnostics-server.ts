import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpListener } from '@waygate/runtime';

export interface DiagnosticsServerOptions {
  readonly host?: string;
  readonly port?: number;
  /** What each path shows, made when it is asked for; undefined when there is nothing yet. */
  readonly pages: Readonly<Record<string, (query: URLSearchParams) => unknown>>;
}

/** Shows what the controller has in its mind, under the paths of Kong Ingress Controller. */
export class DiagnosticsServer {
  readonly #options: DiagnosticsServerOptions;
  readonly #listener: HttpListener;

  constructor(options: DiagnosticsServerOptions) {
    this.#options = options;
    this.#listener = new HttpListener({
      host: options.host,
      port: options.port,
      onRequest: (request, reply) => this.#answer(request.url ?? '/', reply),
    });
  }

  get address(): AddressInfo | undefined {
    return this.#listener.address;
  }

  async listen(): Promise<AddressInfo> {
    return this.#listener.listen();
  }

  async close(): Promise<void> {
    await this.#listener.close();
  }

  #answer(url: string, reply: ServerResponse): void {
    const [path = '/', query = ''] = url.split('?', 2);
    const { pages } = this.#options;
    const isKnown = path === '/' || Object.hasOwn(pages, path);
    const body =
      path === '/'
        ? { pages: Object.keys(pages).sort() }
        : pages[path]?.(new URLSearchParams(query));
    if (!isKnown) send(reply, 404, { message: 'there is no such page' });
    else if (body === undefined) send(reply, 404, { message: 'there is nothing to show yet' });
    else send(reply, 200, body);
  }
}

function send(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { 'Content-Type': 'application/json' });
  reply.end(`${JSON.stringify(body, null, 1)}\n`);
}
