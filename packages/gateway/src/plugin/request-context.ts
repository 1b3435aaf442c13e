import type { KongConsumer, KongService, RouterFlavor } from '@waygate/kong';
import type { ConsumerIndex } from '../configuration/consumer-index.ts';
import type { ClientFacts } from '../exchange/client-facts.ts';
import type { Reply } from '../exchange/reply.ts';
import type { ServerRequest } from '../exchange/server-request.ts';
import type { HeaderList } from '../http/header-list.ts';
import { QueryArguments } from '../http/query-arguments.ts';
import { newRequestId } from '../http/request-id.ts';
import type { Routers } from '../router/create-router.ts';
import type { RouteMatch } from '../router/route-match.ts';
import type { CertificateIndex } from '../tls/certificate-index.ts';
import type { ActivePlugin, PluginPlan } from './plugin-plan.ts';
import type { PluginRuntime } from './plugin-runtime.ts';
import type { ProxyManner } from './proxy-manner.ts';

/** What a request is judged by: a snapshot, as far as plugins and the proxy look at it. */
export interface RequestSnapshot {
  readonly flavor: RouterFlavor;
  readonly routers: Routers;
  readonly plan: PluginPlan;
  readonly consumers: ConsumerIndex;
  readonly certificates: CertificateIndex;
}

/** A credential that a request was accepted with; `identifier` is what upstreams are told. */
export interface Credential {
  readonly id: string;
  readonly identifier: string;
}

/** The request as it will go to the upstream. Plugins change it before it leaves. */
export interface UpstreamDraft {
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  /** Without the `?`; undefined if the request had none. */
  query: string | undefined;
  scheme: string;
  /** Added to, or put instead of, what the client sent. */
  readonly headers: HeaderList;
  /** Set when a plugin read or replaced the body; otherwise it streams through. */
  body: Buffer | undefined;
}

/** An answer that the gateway gives itself. */
export interface Exit {
  readonly status: number;
  readonly body: string | Buffer;
  readonly contentType: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** More headers, of which one name may come several times: name, value, name, value… */
  readonly rawHeaders?: readonly string[];
  /** A stored upstream response counts as proxied: it carries both latencies and `Via`. */
  readonly isStored?: boolean;
}

/** The answer on its way to the client, from the header filter on. */
interface ResponseDraft {
  status: number;
  readonly headers: HeaderList;
  /** Set by a header filter that refuses the answer: its body does not reach the client. */
  isBodyDropped?: boolean;
  /** Whether it came from the upstream, or from the gateway itself. */
  readonly source: 'upstream' | 'exit' | 'error';
}

/** Milliseconds, on the clock of `performance.now()`. */
interface Timings {
  readonly startedAt: number;
  proxiedAt: number;
  upstreamConnectedAt: number;
  upstreamAnsweredAt: number;
}

/** One try to reach a target. */
interface Try {
  readonly address: string;
  readonly port: number;
  readonly startedAt: number;
  state?: 'failed' | undefined;
}

/**
 * Everything on one request, from its first byte to its last log line. Plugins work on this.
 *
 * ```ts
 * const quota = definePlugin<object>({
 *   name: 'quota',
 *   priority: 900,
 *   schema: { fields: [{ config: { type: 'record', fields: [] } }] },
 *   access: (context) => {
 *     if (context.contentLength === undefined) context.fail(411, 'say how long the body is');
 *   },
 * });
 * ```
 */
export class RequestContext {
  readonly requestId: string;
  readonly runtime: PluginRuntime;
  readonly request: ServerRequest;
  readonly reply: Reply;
  /** Who asks; a plugin that knows better who stands before the gateway may put another. */
  client: ClientFacts;
  readonly headers: HeaderList;
  readonly method: string;
  /** The request target as it came, or that an upstream pointed to. */
  readonly target: string;
  /** The request whose upstream pointed here. */
  readonly origin: RequestContext | undefined;
  /** Headers of its answer for the one to this: name, value… */
  readonly carried: readonly string[];
  /** The request that this one's upstream pointed to. */
  successor: RequestContext | undefined;
  readonly query: string | undefined;
  readonly timings: Timings;
  readonly tries: Try[] = [];
  /** For plugins: what they found out and need in a later phase. */
  readonly shared = new Map<string, unknown>();
  /** The plugins that apply, filled as the access phase goes; later phases use the same. */
  readonly plugins: ActivePlugin[] = [];

  match: RouteMatch | undefined;
  upstream: UpstreamDraft | undefined;
  response: ResponseDraft | undefined;
  consumer: KongConsumer | undefined;
  credential: Credential | undefined;
  exitWith: Exit | undefined;
  /** What the upstream answered with, whatever became of that. */
  upstreamStatus: number | undefined;
  /** How it is carried, if not in Kong's manner. */
  manner: ProxyManner | undefined;
  responseBytes = 0;
  requestBytes = 0;
  #arguments: QueryArguments | undefined;
  #snapshot: RequestSnapshot | undefined;

  constructor(
    runtime: PluginRuntime,
    snapshot: RequestSnapshot,
    request: ServerRequest,
    reply: Reply,
    client: ClientFacts,
    headers: HeaderList,
    origin?: RequestContext,
    carried: readonly string[] = [],
  ) {
    this.runtime = runtime;
    this.origin = origin;
    this.carried = carried;
    this.requestId = origin?.requestId ?? newRequestId();
    this.#snapshot = snapshot;
    this.request = request;
    this.reply = reply;
    this.client = client;
    this.headers = headers;
    this.method = request.method;
    this.target = request.target;
    const question = this.target.indexOf('?', 1);
    this.query = question === -1 ? undefined : this.target.slice(question + 1);
    const startedAt = origin?.timings.startedAt ?? performance.now();
    this.timings = { startedAt, proxiedAt: 0, upstreamConnectedAt: 0, upstreamAnsweredAt: 0 };
  }

  /** The target as the client sent it, wherever an upstream pointed since. */
  get sentTarget(): string {
    return this.origin?.sentTarget ?? this.target;
  }

  /**
   * The configuration that was current when the request came. It decides until the request is on its
   * way to the upstream.
   *
   * @throws Error after that: see {@link forgetSnapshot}
   */
  get snapshot(): RequestSnapshot {
    if (this.#snapshot === undefined) {
      throw new Error('the configuration of a request is not kept once it went upstream');
    }
    return this.#snapshot;
  }

  /** An old snapshot holds on to all that went since, and a WebSocket may live for weeks. */
  forgetSnapshot(): void {
    this.#snapshot = undefined;
  }

  get arguments(): QueryArguments {
    this.#arguments ??= new QueryArguments(this.query ?? '');
    return this.#arguments;
  }

  get service(): KongService | undefined {
    return this.match?.entry.service;
  }

  get accept(): string | undefined {
    return this.headers.get('accept');
  }

  /** What the client says its body has, if it says so. */
  get contentLength(): number | undefined {
    const { contentLength } = this.request;
    return contentLength ?? (this.headers.has('content-length') ? 0 : undefined);
  }

  get hasBody(): boolean {
    return this.request.body !== undefined;
  }

  /** Ends the request here with an answer of our own; no later plugin runs its access phase. */
  exit(
    status: number,
    body: string | Buffer | object = '',
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
    this.exitWith = {
      status,
      body: isJson ? JSON.stringify(body) : body,
      contentType: isJson ? 'application/json; charset=utf-8' : undefined,
      headers,
    };
  }

  /** Ends the request with Kong's usual error body. */
  fail(status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    const body =
      this.manner?.errorPage?.(status) ??
      this.runtime.errorBody(message, this.requestId, this.accept);
    this.exitWith = { status, body: body.text, contentType: body.contentType, headers };
  }
}
