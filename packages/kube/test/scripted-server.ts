import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (
  response: ServerResponse,
  request: SeenRequest,
  raw: IncomingMessage,
) => void | Promise<void>;

/** A real HTTP server on loopback whose answers a test writes, and which can be cut off. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(answer: Answer, tls?: ServerOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(answer, request, response);
    };
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
    });
  }

  static async start(answer: Answer, tls?: ServerOptions): Promise<ScriptedServer> {
    const server = new ScriptedServer(answer, tls);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen: SeenRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.requests.push(seen);
    await answer(response, seen, request);
  }
}

export function sendJson(response: ServerResponse, value: unknown, statusCode = 200): void {
  response.writeHead(statusCode, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
