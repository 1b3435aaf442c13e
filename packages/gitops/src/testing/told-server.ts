import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody was told. */
export interface Told {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

/** A server of somebody who is told of events: it keeps what it hears, and answers as it is told to. */
export class ToldServer implements AsyncDisposable {
  readonly told: Told[] = [];
  /** Answers by method and path; 200 and nothing otherwise. */
  answer: (told: Told) => { code: number; json?: unknown; headers?: Record<string, string> } =
    () => ({
      code: 200,
    });
  readonly #server: Server;

  static async start(port = 0): Promise<ToldServer> {
    const server = new ToldServer();
    server.#server.listen(port, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { method = '', url: path = '', headers } = request;
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      const one = { method, path, headers, text, json };
      this.told.push(one);
      const answer = this.answer(one);
      response.writeHead(answer.code, answer.headers);
      response.end(answer.json === undefined ? undefined : JSON.stringify(answer.json));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
