import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../entity/entities.ts';
import { KongError } from '../kong-error.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import { type AdminTls, ConnectionPool } from './connection-pool.ts';
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
    if (body !== null && typeof body === 'object' && !Array.isArray(body)) {
      return 'message' in body ? String(body.message) : '';
    }
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

  get workspace(): string | undefined {
    return this.#options.workspace;
  }

  /** The same client for a workspace; it shares the connections of this one, which closes them. */
  inWorkspace(workspace: string): AdminClient {
    return new AdminClient({ ...this.#options, workspace }, this.#pool);
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
  async send(method: AdminMethod, path: string, options: RequestOptions = {}): Promise<unknown> {
    const retries = this.#options.retries ?? 4;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#try(method, path, options);
      if (outcome.isDone) return outcome.value;
      const mayRepeat = method !== 'POST' || outcome.status === 429 || outcome.status === 503;
      if (!mayRepeat || !outcome.isTransient || attempt >= retries) throw outcome.error;
      const backoff = Math.min(firstDelayMs * 2 ** attempt, longestDelayMs);
      const random = this.#options.random ?? Math.random;
      const wait = outcome.retryAfterMs ?? backoff * (0.5 + random());
      await (this.#options.sleep ?? defaultSleep)(wait, options.signal);
    }
  }

  async close(): Promise<void> {
    if (this.#isOwner) this.#pool.close();
  }

  async #try(
    method: AdminMethod,
    path: string,
    options: RequestOptions,
  ): Promise<
    | { readonly isDone: true; readonly value: unknown }
    | {
        readonly isDone: false;
        readonly error: KongError;
        readonly isTransient: boolean;
        readonly status?: number;
        readonly retryAfterMs?: number;
      }
  > {
    let answer: RawAnswer;
    const startedAt = performance.now();
    try {
      const body = encodedBody(options.body);
      answer = await this.#pool.send({
        path: this.#pathOf(path, options),
        method,
        ...(body === undefined ? {} : { body }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
    } catch (cause) {
      if (options.signal?.aborted) {
        throw new KongError('WG_KONG_ABORTED', `${method} ${path} was cancelled`, { cause });
      }
      if (cause instanceof KongError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `cannot reach the Admin API at ${this.#base.origin}: ${reason}`;
      const error = new KongError('WG_KONG_UNREACHABLE', message, { cause });
      return { isDone: false, error, isTransient: true };
    }
    const { status } = answer;
    if (this.#options.onAnswer !== undefined) {
      const ms = Math.round(performance.now() - startedAt);
      this.#options.onAnswer(`${method} ${this.#pathOf(path, options)} ${status} ${ms} ms`);
    }
    if (status < 400 && options.ignoresAnswer === true) return { isDone: true, value: undefined };
    const text = answer.body.toString('utf8');
    if (status < 400) return { isDone: true, value: text === '' ? undefined : parsed(text) };
    const message = `HTTP status ${status} (message: ${JSON.stringify(messageOf(text))})`;
    const error = new KongError('WG_KONG_HTTP', message, { status, body: parsed(text) });
    const seconds = Number(answer.retryAfter);
    return {
      isDone: false,
      error,
      isTransient: retriedStatuses.has(status),
      status,
      ...(seconds > 0 ? { retryAfterMs: Math.min(seconds * 1000, longestDelayMs) } : {}),
    };
  }

  #pathOf(path: string, options: RequestOptions): string {
    const { workspace } = this.#options;
    const prefix =
      workspace === undefined || options.isGlobal ? '' : `/${encodeURIComponent(workspace)}`;
    const base = this.#base.pathname === '/' ? '' : this.#base.pathname;
    const query = options.query === undefined ? '' : `?${new URLSearchParams(options.query)}`;
    return `${base}${prefix}/${path.replace(/^\//, '')}${query}`;
  }
}

function encodedBody(body: unknown): string | Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

/** The body of a write, without what the server owns. */
export function writableBody(entity: JsonObject): JsonObject {
  const { created_at: _created, updated_at: _updated, ...rest } = entity as Record<string, never>;
  return rest;
}
