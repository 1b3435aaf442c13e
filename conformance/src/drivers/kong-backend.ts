import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service behind the gateway saw of a request. */
export interface BackendRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The service of the recordings: it answers what it saw, with the status that the query asks for. */
export class Backend {
  readonly #server: Server;
  readonly requests: BackendRequest[] = [];
  port = 0;

  constructor() {
    this.#server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
        this.requests.push(seen);
        const status = /[?&]__status=(\d+)/.exec(url)?.[1];
        reply.writeHead(Number(status ?? 200), {
          'Content-Type': 'application/json',
          'X-Backend': 'b1',
        });
        reply.write(JSON.stringify(seen));
        reply.end();
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
