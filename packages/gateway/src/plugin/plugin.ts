import type { JsonObject, KongPlugin } from '@waygate/kong';
import type { ErrorBody } from '../http/error-body.ts';
import type { PluginStorage } from '../storage/plugin-storage.ts';
import type { ClientAuthority } from '../tls/client-authority.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';
import type { HandshakeSettings } from '../tls/handshake-settings.ts';
import type { ConfigProblems } from './config-schema.ts';
import type { PluginRuntime } from './plugin-runtime.ts';
import type { RequestContext } from './request-context.ts';

/**
 * A plugin: one file with a name, a priority and phase functions. Of two plugins the one with the
 * higher priority runs first. A phase that calls `context.exit()` or `context.fail()` ends the request.
 *
 * @example
 * const hello = definePlugin<{ greeting: string }>({
 *   name: 'hello',
 *   priority: 500,
 *   headerFilter(context, config) {
 *     context.response?.headers.set('X-Hello', config.greeting);
 *   },
 * });
 */
export interface PluginDefinition<Config = JsonObject> {
  readonly name: string;
  readonly priority: number;
  readonly version?: string;
  /** One of Kong's that is not run here: it refuses the requests that it would decide on. */
  readonly isRefusing?: boolean;
  /** One of the gateway's own that Kong does not have: it is left out of Kong's lists of plugins. */
  readonly isUnlisted?: boolean;
  /** Routes that have it are matched on the path without any escapes, as nginx does. */
  readonly isByDecodedPath?: boolean;
  /** Kong's schema of `config`, for a plugin that Kong does not have. */
  readonly schema?: JsonObject;
  /** What is wrong with a configuration that its schema accepts; it is refused when it is written. */
  check?(config: Config): ConfigProblems | undefined;
  /**
   * While a TLS client shakes hands; only for plugins that apply to everything. Returns the certificate
   * and key to serve for a name, or undefined to leave that to the configuration.
   */
  certificate?(
    serverName: string,
    config: Config,
    runtime: PluginRuntime,
  ): CertificatePair | undefined | Promise<CertificatePair | undefined>;
  /** The names whose clients are asked for a certificate, and who may have signed it. */
  authority?(config: Config): ClientAuthority | undefined;
  /** How clients are met before anything is known of a request; only for plugins that apply to everything. */
  welcome?(config: Config): Welcome | undefined;
  /** How a stream is carried, once it has a route. */
  stream?(config: Config): StreamManner;
  /** Before routing; only for plugins that apply to everything. */
  rewrite?(context: RequestContext, config: Config, entity: KongPlugin): void | Promise<void>;
  /** After routing, before the upstream is asked. */
  access?(
    context: RequestContext,
    config: Config,
    entity: KongPlugin,
  ): void | undefined | Promise<void>;
  /** Once the status and headers of the answer are known. */
  headerFilter?(context: RequestContext, config: Config): void;
  /** Whether `bodyFilter` has to see this answer: if so it is held back until it is complete. */
  needsBody?(context: RequestContext, config: Config): boolean;
  bodyFilter?(context: RequestContext, config: Config, body: Buffer): Buffer;
  /** Changes the body while it streams through, after all body filters; undefined leaves it alone. */
  bodyStream?(context: RequestContext, config: Config): BodyStream | undefined;
  /** When the answer is sent. It may take its time, and what it throws is logged. */
  log?(context: RequestContext, config: Config, entity: KongPlugin): void | Promise<void>;
  /**
   * Answers what `context.runtime.ask` sends. It runs in one process for the whole node, however many
   * workers there are: counters and caches that all of them share live here. Requests and answers are
   * plain data; buffers are kept.
   */
  serve?(request: unknown): unknown;
  /**
   * When a gateway that keeps a database on disk starts, in the process that {@link serve} runs in: what
   * the plugin kept there before, and where it keeps what must outlast a restart.
   */
  open?(storage: PluginStorage, now: number): void;
  /** An entity was deleted; in the process that {@link serve} runs in. */
  forget?(collection: string, id: string): void;
  /** When the gateway stops: what the plugin still holds is to be let go. */
  close?(): void | Promise<void>;
}

/** How the two ends of a stream are told of each other. */
export interface StreamManner {
  /** The client's first bytes are a PROXY protocol header; without one it is refused. */
  readonly takesProxyHeader: boolean;
  readonly sendsProxyHeader: 'none' | 'v1' | 'v2';
}

/** How clients are met, where that differs from Kong's manner. */
export interface Welcome {
  /** The page for what cannot be read as a request; it carries no header of ours. */
  readonly refusalPage: (status: number) => ErrorBody;
  readonly handshake: HandshakeSettings | undefined;
}

/** A body that is changed on its way to the client. */
export interface BodyStream {
  /** What is sent for a piece of the body. */
  data(chunk: Buffer): Buffer;
  /** What is sent after the last piece, instead of trailers (name, value, name, value…). */
  end(trailers: readonly string[]): Buffer;
}

/** Any plugin, once its configuration has been checked against its schema. */
export type AnyPlugin = PluginDefinition<never>;

/**
 * Gives a plugin its type.
 *
 * ```ts
 * const stamp = definePlugin<{ text: string }>({
 *   name: 'stamp',
 *   priority: 10,
 *   schema: { fields: [{ config: { type: 'record', fields: [{ text: { type: 'string', required: true } }] } }] },
 *   headerFilter: (context, config) => context.response?.headers.set('X-Stamp', config.text),
 * });
 * ```
 */
export function definePlugin<Config>(plugin: PluginDefinition<Config>): AnyPlugin {
  return plugin as unknown as AnyPlugin;
}
