import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpListener, type MetricsSource } from '@waygate/runtime';
import type { AccessReview } from './access-review.ts';

export interface MetricsServerOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly metrics: MetricsSource;
  /** Who may read them; everybody who can connect, without one. */
  readonly access?: AccessReview | undefined;
  readonly onError: (error: unknown) => void;
}

/** Serves `/metrics`, and nothing else. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #listener: HttpListener;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#listener = new HttpListener({
      host: options.host,
      port: options.port,
      onRequest: (request, reply) => void this.#answer(request, reply),
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

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { metrics, access, onError } = this.#options;
    const path = (request.url ?? '/').split('?', 1)[0];
    if (path !== '/metrics') return send(reply, 404, 'there is only /metrics here\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(reply, 405, 'method not allowed\n');
    try {
      const verdict = (await access?.verdictOn(request, path)) ?? 200;
      if (verdict === 401) {
        reply.setHeader('www-authenticate', 'Bearer');
        return send(reply, 401, 'a bearer token is needed\n');
      }
      if (verdict === 403) return send(reply, 403, 'not allowed to get /metrics\n');
      return send(reply, 200, await metrics.metrics(), metrics.contentType);
    } catch (error) {
      onError(error);
      return send(reply, 500, 'the metrics cannot be shown\n');
    }
  }
}

function send(reply: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  reply.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  reply.end(text);
}
