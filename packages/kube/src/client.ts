import type { DynamicObject, Kind, KubeObject } from '@waygate/schema';
import type { HttpResponse } from '@waygate/text';
import type { ConnectionConfig } from './config/connection-config.ts';
import { Discovery } from './discovery/discovery.ts';
import { RestMapper } from './discovery/rest-mapper.ts';
import type { CallOptions } from './list-options.ts';
import { Resource } from './resource/resource.ts';
import { PodClient } from './stream/pod-client.ts';
import type { ApiRequest } from './transport/api-request.ts';
import { callJson, callText, type JsonRequest } from './transport/json-call.ts';
import { Transport, type TransportOptions } from './transport/transport.ts';

/** How a client behaves; each has a default. */
export interface KubeClientOptions extends TransportOptions {}

/**
 * A client of one Kubernetes API as one user.
 *
 * ```ts
 * const client = new KubeClient(await loadConfig());
 * const web = await client.resource(kinds.Deployment).get('web', { namespace: 'shop' });
 * await client.close();
 * ```
 */
export class KubeClient {
  readonly config: ConnectionConfig;
  /** Whether writes are sent now; undefined when they always are. */
  readonly mayWrite: (() => boolean) | undefined;
  readonly transport: Transport;
  readonly discovery: Discovery;
  /** From kinds to resources, as the server tells it; what it told is kept. */
  readonly mapper: RestMapper;

  constructor(config: ConnectionConfig, options: KubeClientOptions = {}, base?: KubeClient) {
    this.config = config;
    this.mayWrite = options.mayWrite;
    this.transport =
      base === undefined
        ? new Transport(config, options)
        : base.transport.fenced(options.mayWrite ?? (() => true));
    this.discovery = base?.discovery ?? new Discovery(this.transport);
    this.mapper = base?.mapper ?? new RestMapper(this.discovery);
  }

  /**
   * The same client, connections and all, for one who may write only as long as `mayWrite` says so.
   * That is asked as late as can be, before each try: an answer that was waiting while the process
   * stood still leads to no write of one who has been replaced.
   *
   * ```ts
   * let leads = true;
   * const leader = client.fenced(() => leads);
   * leads = false;
   * ```
   */
  fenced(mayWrite: () => boolean): KubeClient {
    const before = this.mayWrite;
    return new KubeClient(
      this.config,
      { mayWrite: before === undefined ? mayWrite : () => before() && mayWrite() },
      this,
    );
  }

  /** The objects of a kind, built in or one's own (`defineKind`). */
  resource<T extends KubeObject = DynamicObject>(kind: Kind<T>): Resource<T> {
    return new Resource<T>(this.transport, kind);
  }

  /**
   * The objects of a kind that is known only by name, such as one in a manifest. Asks the server
   * for its resource and scope.
   *
   * @throws KubeError `WG_KUBE_NO_MATCH` when the server does not know the kind
   */
  async resourceOf(
    object: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
    call: CallOptions = {},
  ): Promise<Resource<DynamicObject>> {
    return this.resource(await this.mapper.resourceOfObject(object, call));
  }

  /** Logs, exec, attach and port-forward of one Pod. */
  pod(namespace: string, name: string): PodClient {
    return new PodClient(this.transport, namespace, name);
  }

  /** Any request whose answer is JSON. */
  async json<T>(request: JsonRequest, call: CallOptions = {}): Promise<T> {
    return callJson<T>(this.transport, request, call);
  }

  /** Any request whose answer is text, such as `/healthz`. */
  async text(request: JsonRequest, call: CallOptions = {}): Promise<string> {
    return callText(this.transport, request, call);
  }

  /** Any request; its body must be read or destroyed. */
  async send(request: ApiRequest): Promise<HttpResponse> {
    return this.transport.send(request);
  }

  /**
   * Waits until a server that was down answers again; two probes a second stand for all who wait on
   * this client. False when the signal aborted first.
   */
  async whenReachable(signal: AbortSignal): Promise<boolean> {
    return this.transport.whenReachable(signal);
  }

  /** Ends all that is open and gives the connections back. */
  async close(): Promise<void> {
    await this.transport.close();
  }
}
