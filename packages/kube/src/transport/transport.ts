import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  discardBody,
  type Environment,
  type HttpResponse,
  headerOf,
  sleep as realSleep,
  retrying,
  type Send,
  type Sleep,
  withDeadline,
} from '@waygate/text';
import { type ConnectionConfig, impersonationHeaders } from '../config/connection-config.ts';
import {
  anonymous,
  authorizationHeader,
  type CredentialSource,
  type Credentials,
} from '../config/credentials.ts';
import { KubeError } from '../error.ts';
import type { ApiRequest } from './api-request.ts';
import { Connections } from './connections.ts';
import { Reachability } from './reachability.ts';
import { errorOfResponse } from './response-error.ts';
import { waitAfter } from './retry.ts';
import { TokenBucket } from './token-bucket.ts';
import { type ApiWarning, parseWarnings } from './warning-header.ts';

/** One request on the wire, as it ended: each try of a retried call is one. */
export interface RequestEnd {
  readonly method: ApiRequest['method'];
  readonly host: string;
  /** Undefined when there was no answer. */
  readonly statusCode: number | undefined;
  /** Until the headers of the answer; a watch goes on for longer. */
  readonly durationMs: number;
}

/** How requests get to the server. */
export interface TransportOptions {
  /**
   * Requests a second, and how many may go at once after a rest. Off by default, as in
   * controller-runtime: servers since 1.20 protect themselves. client-go's are 5 and 10.
   */
  readonly qps?: number | undefined;
  readonly burst?: number | undefined;
  /** Tries after the first for 429, 5xx with Retry-After, and resets. Default 10. */
  readonly maxRetries?: number | undefined;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long an answer's headers, or silence in its body, may take. Default 60 s; 0 is for ever. */
  readonly idleTimeoutMs?: number | undefined;
  /** Connections for ordinary requests. Default 32. */
  readonly maxConnections?: number | undefined;
  readonly userAgent?: string | undefined;
  readonly onWarning?: ((warning: ApiWarning, request: ApiRequest) => void) | undefined;
  /** For metrics. */
  readonly onRequestEnd?: ((end: RequestEnd) => void) | undefined;
  readonly onRetry?: ((request: ApiRequest, attempt: number, waitMs: number) => void) | undefined;
  /**
   * Asked before each try of a request that may change something, as late as can be: for processes of
   * which only one may act. False refuses it with `WG_KUBE_FENCED`.
   */
  readonly mayWrite?: (() => boolean) | undefined;
  readonly sleep?: Sleep | undefined;
  /** Wall clock, milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly environment?: Environment | undefined;
}

/** A server that takes longer to say that it is ready is not. */
const probeTimeoutMs = 5_000;

/**
 * Requests to one API as one user: authentication, limits, retries, errors.
 *
 * ```ts
 * const { body } = await client.transport.send({ method: 'GET', path: '/readyz?verbose' });
 * body.pipe(process.stdout);
 * ```
 */
export class Transport {
  readonly #config: ConnectionConfig;
  readonly #options: TransportOptions;
  readonly #credentials: CredentialSource;
  readonly #connections: Connections;
  readonly #bucket: TokenBucket | undefined;
  readonly #sleep: Sleep;
  readonly #now: () => number;
  readonly #reachability: Reachability;
  /** Whose connections these are, where they are another's. */
  readonly #base: Transport | undefined;

  constructor(config: ConnectionConfig, options: TransportOptions = {}, base?: Transport) {
    this.#config = config;
    this.#options = options;
    this.#base = base;
    this.#credentials = config.credentials ?? anonymous;
    this.#sleep = options.sleep ?? realSleep;
    this.#now = options.now ?? Date.now;
    if (base !== undefined) {
      this.#connections = base.#connections;
      this.#reachability = base.#reachability;
      return;
    }
    this.#connections = new Connections(config, {
      http: {
        connectTimeoutMs: options.connectTimeoutMs,
        idleTimeoutMs: options.idleTimeoutMs,
        maxConnections: options.maxConnections ?? 32,
      },
      environment: options.environment ?? process.env,
      now: () => performance.now(),
    });
    this.#reachability = new Reachability({
      probe: (signal) => this.#answers(signal),
      sleep: this.#sleep,
    });
    if (options.qps !== undefined && options.qps > 0) {
      this.#bucket = new TokenBucket({
        qps: options.qps,
        burst: options.burst ?? Math.ceil(options.qps * 2),
        now: () => performance.now(),
        sleep: this.#sleep,
      });
    }
  }

  get connections(): Connections {
    return this.#connections;
  }

  /**
   * Sends a request. An answer of 400 and more is thrown, so what comes back is a success. The
   * signal keeps its hold on the body until that has ended.
   *
   * @throws KubeError, or the signal's reason when the caller gave up
   */
  async send(asked: ApiRequest): Promise<HttpResponse> {
    const request = this.#fencedRequest(asked);
    if (this.#base !== undefined) return this.#base.send(request);
    try {
      return await withDeadline<ApiRequest>(async (one) => {
        const response = await this.#sendAll(one);
        if (response.statusCode >= 400) throw await errorOfResponse(request, response, this.#now);
        return response;
      })(request);
    } catch (error) {
      throw this.wrap(error, request);
    }
  }

  /**
   * Sends a request that must not happen twice, and gives whatever answer it gets.
   *
   * @throws KubeError, or the signal's reason when the caller gave up
   */
  async sendOnce(asked: ApiRequest): Promise<HttpResponse> {
    const request = this.#fencedRequest(asked);
    if (this.#base !== undefined) return this.#base.sendOnce(request);
    try {
      return (await this.#sendOnce(request)).response;
    } catch (error) {
      throw this.wrap(error, request);
    }
  }

  /** An error as the callers of this package get it. */
  wrap(error: unknown, request: Pick<ApiRequest, 'method' | 'path' | 'signal'>): unknown {
    if (error instanceof KubeError) return error;
    if (request.signal?.aborted === true) return request.signal.reason;
    const path = request.path.split('?', 1)[0];
    const message = error instanceof Error ? error.message : String(error);
    return new KubeError(
      'WG_KUBE_CONNECTION',
      `${request.method} ${this.#connections.origin}${path}: ${message}`,
      { cause: error },
    );
  }

  /**
   * For those whom the server did not answer, or not as one that can serve: waits until it does.
   * False when the signal aborted first.
   */
  whenReachable(signal: AbortSignal): Promise<boolean> {
    return this.#reachability.whenReachable(signal);
  }

  /** The same transport for one who may write only as long as `mayWrite` says so. */
  fenced(mayWrite: () => boolean): Transport {
    return new Transport(this.#config, { ...this.#options, mayWrite }, this);
  }

  async close(): Promise<void> {
    if (this.#base === undefined) this.#connections.close();
  }

  /** The headers that say who is calling. */
  async authenticate(signal?: AbortSignal): Promise<{
    readonly credentials: Credentials;
    readonly headers: Record<string, string | string[]>;
  }> {
    const credentials = await this.#credentials.get(signal);
    const authorization = authorizationHeader(credentials);
    return {
      credentials,
      headers: {
        'user-agent': this.#options.userAgent ?? 'waygate/0.1.0',
        ...(authorization === undefined ? {} : { authorization }),
        ...impersonationHeaders(this.#config.impersonation),
      },
    };
  }

  /** Whoever is refused for lack of rights has been answered too. */
  async #answers(signal: AbortSignal): Promise<boolean> {
    const probe = { method: 'GET', path: '/readyz', signal, timeoutMs: probeTimeoutMs } as const;
    const send = async (one: ApiRequest) => (await this.#sendOnce(one)).response;
    const response = await withDeadline(send)(probe);
    discardBody(response);
    return response.statusCode < 500;
  }

  #fencedRequest(request: ApiRequest): ApiRequest {
    const { mayWrite } = this.#options;
    if (mayWrite === undefined || request.method === 'GET') return request;
    const { maySend } = request;
    return { ...request, maySend: () => maySend?.() !== false && mayWrite() };
  }

  async #sendAll(request: ApiRequest): Promise<HttpResponse> {
    // As in client-go, the first try of a watch does not wait for its turn.
    let isFirst = true;
    let refreshed = false;
    const send: Send<ApiRequest> = async (one) => {
      if (!(isFirst && one.isWatch === true)) await this.#bucket?.take(one.signal);
      isFirst = false;
      const { response, credentials } = await this.#sendOnce(one);
      if (response.statusCode !== 401 || refreshed) return response;
      refreshed = true;
      if ((await this.#credentials.refresh?.(credentials, one.signal)) !== true) return response;
      discardBody(response);
      return (await this.#sendOnce(one)).response;
    };
    const { maxRetries = 10, onRetry } = this.#options;
    return retrying(send, {
      waitAfter: (outcome, attempt) =>
        attempt > maxRetries ? undefined : waitAfter(outcome, request, this.#now),
      sleep: this.#sleep,
      onRetry: (_one, attempt, waitMs) => onRetry?.(request, attempt, waitMs),
    })(request);
  }

  async #sendOnce(
    request: ApiRequest,
  ): Promise<{ response: HttpResponse; credentials: Credentials }> {
    const { credentials, headers } = await this.authenticate(request.signal);
    const client = await this.#connections.client(credentials);
    if (request.maySend?.() === false)
      throw new KubeError(
        'WG_KUBE_FENCED',
        `${request.method} ${request.path.split('?', 1)[0]} was not sent: this process does not lead any more`,
      );
    const { origin, pathPrefix } = this.#connections;
    const { method, path, body, signal, isStream } = request;
    const answer = await this.#timed(
      request,
      client.send({
        method,
        origin,
        path: `${pathPrefix}${path}`,
        headers: {
          accept: 'application/json',
          // A compressed stream may be held back on its way until there is enough of it.
          ...(this.#config.disableCompression === true || isStream === true
            ? {}
            : { 'accept-encoding': 'gzip' }),
          ...headers,
          ...request.headers,
        },
        body,
        signal,
        isStream,
      }),
    );
    for (const warning of parseWarnings(answer.headers.warning)) {
      this.#options.onWarning?.(warning, request);
    }
    return { response: { ...answer, body: decompressed(answer) }, credentials };
  }

  async #timed({ method }: ApiRequest, answer: Promise<HttpResponse>): Promise<HttpResponse> {
    const { onRequestEnd } = this.#options;
    if (onRequestEnd === undefined) return answer;
    const { host } = new URL(this.#connections.origin);
    const startMs = performance.now();
    let statusCode: number | undefined;
    try {
      const answered = await answer;
      ({ statusCode } = answered);
      return answered;
    } finally {
      onRequestEnd({ method, host, statusCode, durationMs: performance.now() - startMs });
    }
  }
}

/** The body as its content; a cut or an abort of one of the two streams ends the other. */
function decompressed({ body, headers }: HttpResponse): Readable {
  if (headerOf(headers, 'content-encoding') !== 'gzip') return body;
  const content = createGunzip();
  body.on('error', (error) => content.destroy(error));
  content.on('close', () => body.destroy());
  // An error of the body may come when nobody reads the content any more.
  content.on('error', () => {});
  return body.pipe(content);
}
