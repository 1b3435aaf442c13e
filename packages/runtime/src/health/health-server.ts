import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readPercentEscapes } from '@waygate/text';
import { RuntimeError } from '../runtime-error.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { callWithin } from '../time/within-deadline.ts';
import type { AccessReview } from './access-review.ts';
import { checkHealth, type HealthCheck, type HealthReport } from './health-check.ts';
import { HttpListener } from './http-listener.ts';

/** Something that can be scraped; a prom-client `Registry` is one. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Where health is served, and what is checked. */
export interface HealthServerOptions {
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port?: number;
  readonly metrics?: MetricsSource | undefined;
  /** Who may read the metrics; everybody who can connect, without one. */
  readonly access?: AccessReview | undefined;
  /** How long one request's checks may take. 5 s. */
  readonly checkTimeoutMs?: number;
  readonly clock?: Clock;
  /** Told why a check failed; the answer over HTTP does not say. */
  readonly onFailure?: (name: string, error: unknown) => void;
}

type Endpoint = 'healthz' | 'readyz';

/**
 * Answers `/healthz`, `/readyz` (each with `?verbose`, `?exclude=NAME` and `/NAME`, as Kubernetes'
 * components do) and `/metrics`.
 *
 * ```ts
 * const server = new HealthServer({ port: 8080, metrics: prometheusMetrics().registry });
 * server.addReadyCheck('caches', () => {
 *   throw new Error('not yet');
 * });
 * const { port } = await server.listen();
 * await server.close();
 * ```
 */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #checks = {
    healthz: new Map<string, HealthCheck>(),
    readyz: new Map<string, HealthCheck>(),
  };
  readonly #listener: HttpListener;

  constructor(options: HealthServerOptions = {}) {
    this.#options = options;
    this.#listener = new HttpListener({
      host: options.host,
      port: options.port,
      onRequest: (request, response) => void this.#answer(request, response),
    });
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#checks.healthz.set(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#checks.readyz.set(name, check);
  }

  /** Where it listens, once it does. */
  get address(): AddressInfo | undefined {
    return this.#listener.address;
  }

  /** Listens; the promise is for the moment from which on it answers. */
  async listen(): Promise<AddressInfo> {
    return this.#listener.listen();
  }

  /** Stops listening and cuts what is open. */
  async close(): Promise<void> {
    await this.#listener.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      this.#options.onFailure?.('http', error);
      send(response, 500, 'internal error\n');
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, 405, 'method not allowed\n');
    }
    const target = request.url ?? '/';
    if (!URL.canParse(target, 'http://localhost')) return send(response, 400, 'bad request\n');
    const url = new URL(target, 'http://localhost');
    const [, endpoint = '', name, ...rest] = url.pathname.split('/');
    const isOfOurs = endpoint === 'healthz' || endpoint === 'readyz';
    if (endpoint === 'metrics' && name === undefined) return this.#sendMetrics(request, response);
    if (!isOfOurs || rest.length > 0) return send(response, 404, 'not found\n');
    if (name) return this.#sendOne(response, endpoint, readPercentEscapes(name));
    const report = await this.#report(endpoint, this.#checks[endpoint], {
      excluded: url.searchParams.getAll('exclude'),
    });
    const isBrief = report.isHealthy && !url.searchParams.has('verbose');
    return send(response, report.isHealthy ? 200 : 500, isBrief ? 'ok' : report.text);
  }

  async #sendOne(response: ServerResponse, endpoint: Endpoint, name: string): Promise<void> {
    const checks = this.#checks[endpoint];
    const check = checks.get(name);
    if (check === undefined && !(name === 'ping' && checks.size === 0))
      return send(response, 404, 'not found\n');
    const one = new Map(check === undefined ? [] : [[name, check]]);
    const { isHealthy } = await this.#report(endpoint, one, {});
    return send(
      response,
      isHealthy ? 200 : 500,
      isHealthy ? 'ok' : 'internal server error: reason withheld\n',
    );
  }

  /** A check that hangs is a check that fails: the prober would give up as well. */
  async #report(
    endpoint: Endpoint,
    checks: ReadonlyMap<string, HealthCheck>,
    options: { readonly excluded?: readonly string[] },
  ): Promise<HealthReport> {
    const { clock = systemClock, checkTimeoutMs = 5_000, onFailure } = this.#options;
    const bounded = new Map<string, HealthCheck>();
    for (const [name, check] of checks)
      bounded.set(name, async (signal) => {
        const outcome = await callWithin(clock, checkTimeoutMs, signal, async (within) =>
          check(within),
        );
        if (outcome.kind === 'error') throw outcome.error;
        if (outcome.kind !== 'value')
          throw new RuntimeError('WG_RUNTIME_UNHEALTHY', `no answer in ${checkTimeoutMs} ms`);
      });
    return checkHealth(endpoint, bounded, {
      ...options,
      signal: new AbortController().signal,
      ...(onFailure === undefined ? {} : { onFailure }),
    });
  }

  async #sendMetrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, access } = this.#options;
    if (metrics === undefined) return send(response, 404, 'not found\n');
    const verdict = (await access?.verdictOn(request.headers, '/metrics')) ?? 200;
    if (verdict === 401) {
      response.setHeader('www-authenticate', 'Bearer');
      return send(response, 401, 'a bearer token is needed\n');
    }
    if (verdict === 403) return send(response, 403, 'not allowed to get /metrics\n');
    const text = await metrics.metrics();
    return send(response, 200, text, metrics.contentType);
  }
}

function send(
  response: ServerResponse,
  statusCode: number,
  text: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  if (response.headersSent) return;
  response.writeHead(statusCode, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(text);
}
