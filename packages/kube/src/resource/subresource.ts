import type { KubeObject } from '@waygate/schema';
import { KubeError } from '../error.ts';
import type { CallOptions } from '../list-options.ts';
import { callJson } from '../transport/json-call.ts';
import { queryString, type ResourceAddress } from '../transport/resource-path.ts';
import type { Transport } from '../transport/transport.ts';
import type { ApplyObject, PatchBody } from './typed-write.ts';
import {
  type ApplyOptions,
  type PatchOptions,
  type PatchType,
  patchContentTypes,
  type WriteOptions,
  writeQuery,
} from './write-options.ts';

/**
 * One subresource of the objects of a kind.
 *
 * ```ts
 * const deployments = client.resource(kinds.Deployment).in('shop');
 * await deployments.scale.patch('web', { spec: { replicas: 3 } });
 * await deployments.status.get('web');
 * await client.resource(kinds.Pod).subresource('eviction').create('web-0', {
 *   metadata: { name: 'web-0', namespace: 'shop' },
 * });
 * ```
 */
export class Subresource<T extends KubeObject> {
  readonly #transport: Transport;
  readonly #pathOf: (address: ResourceAddress) => string;
  readonly #name: string;

  constructor(transport: Transport, pathOf: (address: ResourceAddress) => string, name: string) {
    this.#transport = transport;
    this.#pathOf = pathOf;
    this.#name = name;
  }

  async get(
    name: string,
    options: { readonly namespace?: string | undefined } = {},
    call: CallOptions = {},
  ): Promise<T> {
    return callJson<T>(this.#transport, { method: 'GET', path: this.#path(name, options) }, call);
  }

  /** For those that take a request, such as `eviction` and `token`. */
  async create(
    name: string,
    body: object,
    options: WriteOptions = {},
    call: CallOptions = {},
  ): Promise<T> {
    const path = `${this.#path(name, options)}${queryString(writeQuery(options))}`;
    return callJson<T>(this.#transport, { method: 'POST', path, body }, call);
  }

  async update(object: T, options: WriteOptions = {}, call: CallOptions = {}): Promise<T> {
    const path = `${this.#pathOfObject(object, options)}${queryString(writeQuery(options))}`;
    return callJson<T>(this.#transport, { method: 'PUT', path, body: object }, call);
  }

  async patch<P extends PatchType = 'merge'>(
    name: string,
    patch: PatchBody<T, P>,
    options: PatchOptions<P> = {},
    call: CallOptions = {},
  ): Promise<T> {
    const path = `${this.#path(name, options)}${queryString(writeQuery(options))}`;
    const contentType = patchContentTypes[options.type ?? 'merge'];
    const body = patch as object;
    return callJson<T>(this.#transport, { method: 'PATCH', path, body, contentType }, call);
  }

  async apply(
    object: T | ApplyObject<T>,
    options: ApplyOptions,
    call: CallOptions = {},
  ): Promise<T> {
    const query = queryString({ ...writeQuery(options), force: options.force });
    const path = `${this.#pathOfObject(object, options)}${query}`;
    const contentType = patchContentTypes.apply;
    return callJson<T>(this.#transport, { method: 'PATCH', path, body: object, contentType }, call);
  }

  #pathOfObject(object: Pick<KubeObject, 'metadata'>, options: WriteOptions): string {
    const { name, namespace } = object.metadata;
    if (name === undefined || name === '') {
      throw new KubeError('WG_KUBE_CONFIG', 'the object has no metadata.name');
    }
    return this.#path(name, { namespace: options.namespace ?? namespace });
  }

  #path(name: string, options: { readonly namespace?: string | undefined }): string {
    return this.#pathOf({ namespace: options.namespace, name, subresource: this.#name });
  }
}
