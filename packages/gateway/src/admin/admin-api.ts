import type { JsonObject, RouterFlavor, ValidateOptions } from '@waygate/kong';
import { StorageError } from '@waygate/text';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { EntityDifference } from '../configuration/entity-difference.ts';
import type { StoreSource } from '../configuration/store-source.ts';
import type { MetricsReport } from '../metrics/metrics-report.ts';
import type { PluginDefinition } from '../plugin/plugin.ts';
import type { AskPlugin } from '../plugin/plugin-runtime.ts';
import { serverHeader } from '../version.ts';
import {
  type AdminRequest,
  type AdminResponse,
  message,
  notFound,
  notKept,
} from './admin-message.ts';
import { answerBatch, batchLimits, isBatch } from './batch.ts';
import { parseBody } from './body-parser.ts';
import { certificateEndpoints } from './certificate-endpoints.ts';
import { ConfigEndpoint } from './config-endpoint.ts';
import { type Endpoint, EndpointTable, type Methods } from './endpoint-table.ts';
import { databaseAccess, readOnlyAccess } from './entity-access.ts';
import { entityEndpoints } from './entity-endpoints.ts';
import type { NodeFacts } from './node-configuration.ts';
import { nodeEndpoints } from './node-endpoints.ts';
import { pluginCollectionEndpoints } from './plugin-collections.ts';
import { pluginEndpoints } from './plugin-endpoints.ts';
import { schemaEndpoints } from './schema-endpoints.ts';
import { tagEndpoints } from './tag-endpoints.ts';
import { tokenEndpoints } from './token-endpoints.ts';
import { upstreamEndpoints } from './upstream-endpoints.ts';

export interface AdminApiOptions {
  readonly mode: 'dbless' | 'database';
  readonly flavor: RouterFlavor;
  /** How entities are checked: the same for all ways in which they come. */
  readonly validation: EntityValidation;
  readonly source: StoreSource;
  readonly balancers: BalancerRegistry;
  /** What each process of the node counted. */
  readonly reports: () => Promise<readonly MetricsReport[]>;
  readonly processIds: () => readonly number[];
  /** How the node was started, and where it listens by now. */
  readonly node: () => Pick<NodeFacts, 'listeners' | 'trustedIps' | 'areDebugHeadersAllowed'>;
  readonly plugins: ReadonlyMap<string, PluginDefinition<unknown>>;
  readonly now: () => number;
  /** Asks what plugins keep for the whole node. */
  readonly ask: AskPlugin;
  /** A whole new configuration is in place; what of it is not as before. */
  readonly onReplaced: (differences: readonly EntityDifference[]) => void;
  /** Why nothing can be kept on disk at the moment, if so. */
  readonly storageProblem: () => StorageError | undefined;
  /** Puts in force at once what was written and waits for the end of the turn. */
  readonly publish: () => void;
  /** Resolves when what was written so far is on disk, and in force in all processes. */
  readonly flush: () => Promise<void>;
}

export type EntityValidation = Omit<ValidateOptions, 'mode' | 'existing'>;

/** Something that answers Admin API calls. */
export interface AdminHandlerLike {
  handle(request: AdminRequest): Promise<AdminResponse>;
}

const writing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Kong's Admin API as a function from a request to an answer; it knows no socket. */
export class AdminApi implements AdminHandlerLike {
  readonly #options: AdminApiOptions;
  readonly #endpoints: EndpointTable;
  readonly #status: EndpointTable;
  readonly #config: ConfigEndpoint;

  constructor(options: AdminApiOptions) {
    this.#options = options;
    const access =
      options.mode === 'dbless'
        ? readOnlyAccess(options.source, options.validation)
        : databaseAccess(options.source, options.now);
    this.#config = new ConfigEndpoint(options);
    const node = nodeEndpoints(
      options,
      () => this.#config.hash,
      () => this.#endpoints.patterns,
    );
    this.#endpoints = new EndpointTable([
      ...entityEndpoints(access),
      ...certificateEndpoints(access),
      ...pluginCollectionEndpoints(),
      ...upstreamEndpoints(access, options.balancers, options.publish),
      ...schemaEndpoints(options),
      ...tagEndpoints(access),
      ...node.all,
      ...pluginEndpoints(options.ask),
      ...tokenEndpoints({
        access,
        ask: options.ask,
        now: options.now,
        isWritable: options.mode === 'database',
      }),
      { pattern: '/config', methods: this.#config.methods },
    ]);
    this.#status = new EndpointTable(node.status as Endpoint[]);
  }

  /** The few endpoints of the status port. */
  get statusOnly(): AdminHandlerLike {
    return { handle: (request) => this.#dispatch(this.#status, request) };
  }

  handle(request: AdminRequest): Promise<AdminResponse> {
    return isBatch(request) ? this.#batch(request) : this.#dispatch(this.#endpoints, request);
  }

  /** What a batch writes is kept as one: nothing of it is answered before. */
  async #batch(request: AdminRequest): Promise<AdminResponse> {
    if (request.method === 'GET') return withHeaders(batchLimits());
    const parsed = parseBody(request);
    if (parsed.kind === 'error') return withHeaders(parsed.response);
    const response = await answerBatch(parsed.body, request.headers, (one) =>
      this.#perform(this.#endpoints, one.request, one.body as JsonObject | undefined),
    );
    return this.#kept(response);
  }

  /** Puts a declarative configuration in place; returns what is wrong with it, if anything. */
  configure(config: object): string | undefined {
    return this.#config.configure(config as JsonObject);
  }

  async #dispatch(table: EndpointTable, request: AdminRequest): Promise<AdminResponse> {
    const response = await this.#perform(table, request);
    return writing.has(request.method) ? this.#kept(response) : withHeaders(response);
  }

  /** The answer to a call, before what it wrote is kept; at once where nothing has to be waited for. */
  #perform(
    table: EndpointTable,
    request: AdminRequest,
    body?: JsonObject,
  ): AdminResponse | Promise<AdminResponse> {
    const found = table.find(request.segments);
    if (found === undefined) return notFound;
    if (request.method === 'OPTIONS') return optionsResponse(found.methods);
    const isHead = request.method === 'HEAD';
    const handler = found.methods[(isHead ? 'GET' : request.method) as keyof Methods];
    if (handler === undefined) return isHead ? { status: 200 } : message(405, 'Method not allowed');
    const parsed = isConfig(request)
      ? { kind: 'object' as const, body: {} }
      : body === undefined
        ? parseBody(request)
        : { kind: 'object' as const, body };
    if (parsed.kind === 'error') return parsed.response;
    return handler(request, found.parameters, parsed.body);
  }

  /** An answer that waits for what was written to be on disk, and in force. */
  async #kept(response: AdminResponse): Promise<AdminResponse> {
    try {
      await this.#options.flush();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return withHeaders(notKept(error));
    }
    return withHeaders(response);
  }
}

/** The configuration endpoint reads its body itself: it also takes YAML. */
function isConfig(request: AdminRequest): boolean {
  return request.segments[0] === 'config';
}

function optionsResponse(methods: Methods): AdminResponse {
  const names = [...Object.keys(methods), 'OPTIONS', ...('GET' in methods ? ['HEAD'] : [])]
    .sort()
    .join(', ');
  return {
    status: 204,
    headers: {
      Allow: names,
      'Access-Control-Allow-Methods': names,
      'Access-Control-Allow-Headers': 'Content-Type',
    },
  };
}

function withHeaders(response: AdminResponse): AdminResponse {
  return {
    ...response,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Credentials': 'true',
      Server: serverHeader,
      ...(typeof response.body === 'string' || response.body === undefined
        ? {}
        : { 'Content-Type': 'application/json; charset=utf-8' }),
      ...response.headers,
    },
  };
}
