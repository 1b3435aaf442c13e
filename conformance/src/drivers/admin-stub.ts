import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What an Admin API was asked. */
export interface StubRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** A server on loopback in the place of a Kong: it answers as a suite tells it to. */
export class AdminStub {
  readonly #server;

  constructor(answer: (request: StubRequest) => StubAnswer) {
    this.#server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://server');
      const { method = 'GET', headers } = request;
      const { status, body } = answer({ method, url, headers, text: await text(request) });
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(status === 204 || body === undefined ? '' : JSON.stringify(body));
    });
  }

  /** Starts, and says where. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
