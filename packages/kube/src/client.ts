import type { DynamicObject, Kind, KubeObject } from '@waygate/schema';
import type { ConnectionConfig } from './config/connection-config.ts';
import type { CallOptions } from './list-options.ts';
import { Resource } from './resource/resource.ts';
import type { HttpRequest, HttpResponse } from './transport/http.ts';
import { callJson, callText, type JsonRequest } from './transport/json-call.ts';
import { Transport, type TransportOptions } from './transport/transport.ts';

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
  readonly transport: Transport;

  constructor(config: ConnectionConfig, options: KubeClientOptions = {}) {
    this.config = config;
    this.transport = new Transport(config, options);
  }

  /** The objects of a kind, built in or one's own (`defineKind`). */
  resource<T extends KubeObject = DynamicObject>(kind: Kind<T>): Resource<T> {
    return new Resource<T>(this.transport, kind);
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
  async send(request: HttpRequest): Promise<HttpResponse> {
    return this.transport.send(request);
  }

  /** Ends all that is open and gives the connections back. */
  async close(): Promise<void> {
    await this.transport.close();
  }
}
