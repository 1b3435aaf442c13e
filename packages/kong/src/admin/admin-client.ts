import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@waygate/text';
import type { JsonObject } from '../entity/entities.ts';
import { KongError } from '../kong-error.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import { type AdminTls, ConnectionPool, type RawRequest } from './connection-pool.ts';
import { batchPath, mostBatched, RequestBatches } from './request-batches.ts';
import type { RawAnswer } from './response-reader.ts';

export interface AdminClientOptions {
  /** Where the Admin API is, e.g. `http://127.0.0.1:8001`. */
  readonly url: string;
  /** Prefixed to every path that belongs to a workspace. */
  readonly workspace?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: AdminTls;
  /** For one answer, from request to last byte. */
  readonly timeoutMs?: number;
  /** How often a request is tried again that may be repeated. */
  readonly retries?: number;
  /** Connections that are kept open at most. */
  readonly connections?: number;
  /**
   * Asked before each try of a write: false refuses it with `WG_KONG_FENCED`. For processes of which
   * only one may act.
   */
  readonly mayWrite?: () => boolean;
  /** Waits between tries. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Told of every answer: `GET /services?size=1000 200 12 ms`. Neither bodies nor headers are shown. */
  readonly onAnswer?: (line: string) => void;
  /** A number in [0, 1), so that clients that failed together do not come back together. */
  readonly random?: () => number;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes are taken for JSON already. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Whether only success counts: the answer is then not parsed. */
  readonly ignoresAnswer?: boolean;
  /** The answer is text and not JSON, as of `/metrics`: it is given back as it is. */
  readonly isText?: boolean;
  /** Whether the path is outside of workspaces, such as `/` and `/workspaces`. */
  readonly isGlobal?: boolean;
}

export type AdminMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What `GET /` says. */
export interface KongInfo {
  readonly version: string;
  /** `off` without a database. */
  readonly database?: string;
  readonly routerFlavor?: string;
}

/** The largest answer that is read: a page of 1,000 entities is far below it. */
const largestAnswer = 256 * 1024 * 1024;
const pageSize = '1000';
const retriedStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const firstDelayMs = 500;
const longestDelayMs = 30_000;

function defaultSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return delay(ms, undefined, signal === undefined ? {} : { signal });
}

/** The message in an answer, or what is wrong with the answer, as decK says it. */
function messageOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return 'message' in body ? String(body.message) : '';
    const type = Array.isArray(body) ? 'array' : typeof body;
    return `<failed to parse response body: json: cannot unmarshal ${type} into Go value of type struct { Message string }>`;
  } catch {
    return '<failed to parse response body: it is not JSON>';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Talks to a Kong Admin API: pooled connections, pages, retries of what may be repeated, and errors
 * that keep Kong's own words.
 *
 * @example
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * for await (const page of client.pages('services')) console.log(page.length);
 * await client.close();
 */
export class AdminClient {
  readonly #options: AdminClientOptions;
  readonly #base: URL;
  readonly #pool: ConnectionPool;
  readonly #isOwner: boolean;
  /** Writes go in batches while it is set. */
  #batches: RequestBatches | undefined;

  /** The connections are its own, unless those of another client are given. */
  constructor(options: AdminClientOptions, pool?: ConnectionPool) {
    this.#options = options;
    this.#isOwner = pool === undefined;
    try {
      this.#base = new URL(options.url.replace(/\/+$/, ''));
    } catch (cause) {
      throw new KongError('WG_KONG_UNREACHABLE', `invalid URL: ${options.url}`, { cause });
    }
    if (!/^https?:$/.test(this.#base.protocol)) {
      throw new KongError('WG_KONG_UNREACHABLE', `invalid URL: ${options.url}`);
    }
    this.#pool =
      pool ??
      new ConnectionPool({
        url: this.#base,
        tls: options.tls ?? {},
        connections: options.connections ?? 16,
        timeoutMs: options.timeoutMs ?? 30_000,
        largestAnswer,
        headers: { 'user-agent': 'waygate', accept: 'application/json', ...options.headers },
      });
  }

  /** Where the Admin API is, without a password that the address may hold. */
  get url(): string {
    return this.#base.origin + (this.#base.pathname === '/' ? '' : this.#base.pathname);
  }

  get workspace(): string | undefined {
    return this.#options.workspace;
  }

  /** The same client for a workspace; it shares the connections of this one, which closes them. */
  inWorkspace(workspace: string): AdminClient {
    return new AdminClient({ ...this.#options, workspace }, this.#pool);
  }

  /** The same client for one who may write only as long as `mayWrite` says so. */
  fenced(mayWrite: () => boolean): AdminClient {
    return new AdminClient({ ...this.#options, mayWrite }, this.#pool);
  }

  /**
   * The same client with its writes in batches, for a gateway that takes them so: Waygate's own does,
   * and Kong does not. Undefined for one that does not.
   */
  async batching(signal?: AbortSignal): Promise<AdminClient | undefined> {
    if (this.#base.pathname !== '/' || this.workspace !== undefined) return undefined;
    try {
      const answer = await this.send('GET', batchPath, signal === undefined ? {} : { signal });
      if (!isObject(answer) || !(Number(answer.most) >= mostBatched)) return undefined;
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
    const client = new AdminClient(this.#options, this.#pool);
    client.#batches = new RequestBatches(this.#pool, this.#options.mayWrite);
    return client;
  }

  async info(signal?: AbortSignal): Promise<KongInfo> {
    const options = { isGlobal: true, ...(signal === undefined ? {} : { signal }) };
    const root = (await this.#root(options)) as {
      readonly version?: unknown;
      readonly configuration?: { readonly database?: unknown; readonly router_flavor?: unknown };
    };
    if (typeof root?.version !== 'string') {
      throw new KongError('WG_KONG_ANSWER', 'the Admin API does not say which version it is');
    }
    const { database, router_flavor: routerFlavor } = root.configuration ?? {};
    return {
      version: root.version,
      ...(typeof database === 'string' ? { database } : {}),
      ...(typeof routerFlavor === 'string' ? { routerFlavor } : {}),
    };
  }

  /** Who may see only one workspace is not let in at `/`: there, `/kong` says the same. */
  async #root(options: RequestOptions): Promise<unknown> {
    try {
      return await this.send('GET', '/', options);
    } catch (error) {
      const isRefused = error instanceof KongError && error.code === 'WG_KONG_HTTP';
      if (!isRefused || this.workspace === undefined) throw error;
      return this.send('GET', 'kong', { ...options, isGlobal: false });
    }
  }

  /** All pages of a list, one after another. */
  async *pages(
    path: string,
    options: {
      readonly tags?: readonly string[];
      readonly signal?: AbortSignal;
      readonly isGlobal?: boolean;
    } = {},
  ): AsyncGenerator<readonly StoredEntity[]> {
    const tags = options.tags?.length ? { tags: options.tags.join(',') } : {};
    let offset: string | undefined;
    do {
      const query = { size: pageSize, ...tags, ...(offset === undefined ? {} : { offset }) };
      const answer = (await this.send('GET', path, {
        query,
        isGlobal: options.isGlobal === true,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      })) as { readonly data?: unknown; readonly consumers?: unknown; readonly offset?: unknown };
      // Before 3.5 the members of a consumer group came as `consumers`.
      const data = answer?.data ?? answer?.consumers;
      if (!Array.isArray(data)) {
        throw new KongError('WG_KONG_ANSWER', `the answer to GET ${path} is not a list`);
      }
      yield data as readonly StoredEntity[];
      const next = typeof answer.offset === 'string' ? answer.offset : undefined;
      if (next !== undefined && next === offset) {
        throw new KongError('WG_KONG_ANSWER', `GET ${path} gives the same page again and again`);
      }
      offset = next;
    } while (offset !== undefined);
  }

  /** One request; the parsed answer, or undefined when it has no body. */
  send(method: AdminMethod, path: string, options: RequestOptions = {}): Promise<unknown> {
    const request: RawRequest = {
      method,
      path: this.#pathOf(path, options),
      body: encodedBody(options.body),
      signal: options.signal,
      ignoresAnswer: options.ignoresAnswer === true,
    };
    const isText = options.isText === true;
    return new Promise((resolve, reject) => {
      const attempt = (count: number): void => {
        this.#try(request, isText, (outcome) => {
          if (outcome.isDone) {
            resolve(outcome.value);
            return;
          }
          if (!this.#mayRepeat(method, outcome, count)) {
            reject(outcome.error);
            return;
          }
          const backoff = Math.min(firstDelayMs * 2 ** count, longestDelayMs);
          const random = this.#options.random ?? Math.random;
          const wait = outcome.retryAfterMs ?? backoff * (0.5 + random());
          const sleep = this.#options.sleep ?? defaultSleep;
          sleep(wait, options.signal).then(() => attempt(count + 1), reject);
        });
      };
      attempt(0);
    });
  }

  #mayRepeat(method: AdminMethod, failure: Failure, attempts: number): boolean {
    const isSafe = method !== 'POST' || failure.status === 429 || failure.status === 503;
    return isSafe && failure.isTransient && attempts < (this.#options.retries ?? 4);
  }

  async close(): Promise<void> {
    if (this.#isOwner) this.#pool.close();
  }

  /** Asks once. A callback, as a large sync asks ten thousand times. */
  #try(request: RawRequest, isText: boolean, onOutcome: (outcome: Outcome) => void): void {
    const { onAnswer, mayWrite } = this.#options;
    if (mayWrite !== undefined && request.method !== 'GET' && !mayWrite()) {
      const message = `${request.method} ${request.path} was not sent: this process does not lead any more`;
      onOutcome({
        isDone: false,
        isTransient: false,
        error: new KongError('WG_KONG_FENCED', message),
      });
      return;
    }
    const startedAt = onAnswer === undefined ? 0 : performance.now();
    const carrier = request.method === 'GET' ? this.#pool : (this.#batches ?? this.#pool);
    carrier.dispatch(request, (answer, error) => {
      if (answer === undefined) {
        onOutcome(this.#unanswered(request, error as Error));
        return;
      }
      if (onAnswer !== undefined) {
        const ms = Math.round(performance.now() - startedAt);
        onAnswer(`${request.method} ${request.path} ${answer.status} ${ms} ms`);
      }
      onOutcome(outcomeOf(answer, request.ignoresAnswer === true, isText));
    });
  }

  #unanswered({ method, path, signal }: RawRequest, cause: Error): Failure {
    const final = { isDone: false, isTransient: false } as const;
    if (signal?.aborted === true) {
      const message = `${method} ${path} was cancelled`;
      return { ...final, error: new KongError('WG_KONG_ABORTED', message, { cause }) };
    }
    if (cause instanceof KongError) return { ...final, error: cause };
    const message = `cannot reach the Admin API at ${this.#base.origin}: ${cause.message}`;
    const error = new KongError('WG_KONG_UNREACHABLE', message, { cause });
    return { isDone: false, isTransient: true, error };
  }

  #pathOf(path: string, options: RequestOptions): string {
    const { workspace } = this.#options;
    const prefix =
      workspace === undefined || options.isGlobal ? '' : `/${encodeURIComponent(workspace)}`;
    const base = this.#base.pathname === '/' ? '' : this.#base.pathname;
    const query = options.query === undefined ? '' : `?${new URLSearchParams(options.query)}`;
    return `${base}${prefix}${path.startsWith('/') ? '' : '/'}${path}${query}`;
  }
}

interface Failure {
  readonly isDone: false;
  readonly error: KongError;
  /** Whether it may go better another time. */
  readonly isTransient: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

type Outcome = { readonly isDone: true; readonly value: unknown } | Failure;

const success: Outcome = { isDone: true, value: undefined };

function outcomeOf(
  { status, body, retryAfter }: RawAnswer,
  isIgnored: boolean,
  isText: boolean,
): Outcome {
  if (status < 400 && isIgnored) return success;
  const text = body.toString('utf8');
  if (status < 400 && isText) return { isDone: true, value: text };
  if (status < 400) return text === '' ? success : { isDone: true, value: parsed(text) };
  const message = `HTTP status ${status} (message: ${JSON.stringify(messageOf(text))})`;
  const error = new KongError('WG_KONG_HTTP', message, { status, body: parsed(text) });
  const seconds = Number(retryAfter);
  return {
    isDone: false,
    error,
    isTransient: retriedStatuses.has(status),
    status,
    ...(seconds > 0 ? { retryAfterMs: Math.min(seconds * 1000, longestDelayMs) } : {}),
  };
}

function encodedBody(body: unknown): string | Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

/** The body of a write, without what the server owns. */
export function writableBody(entity: JsonObject): JsonObject {
  if (entity.created_at === undefined && entity.updated_at === undefined) return entity;
  const { created_at: _created, updated_at: _updated, ...rest } = entity as Record<string, never>;
  return rest;
}
