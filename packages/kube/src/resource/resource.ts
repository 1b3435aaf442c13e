import type { Kind, KubeObject, Scale, Status } from '@waygate/schema';
import { sleep } from '@waygate/text';
import { KubeError } from '../error.ts';
import { isExpiredOrGone } from '../error-predicate.ts';
import { type ListSink, listCall, listQuery } from '../list/list-call.ts';
import { ListParser } from '../list/list-parser.ts';
import { ListScanner } from '../list/list-scanner.ts';
import type {
  CallOptions,
  ListOptions,
  ListPage,
  ListResult,
  WatchOptions,
} from '../list-options.ts';
import { callJson } from '../transport/json-call.ts';
import { queryString, type ResourceAddress, resourcePath } from '../transport/resource-path.ts';
import type { Transport } from '../transport/transport.ts';
import type { WatchStream } from '../watch/event-stream.ts';
import { type ObjectEvent, type OpenWatch, resumeWatch } from '../watch/resuming-watch.ts';
import { type WatchCallOptions, watchBytesCall, watchCall } from '../watch/watch-call.ts';
import type { RawWatchEvent } from '../watch/watch-decoder.ts';
import type { WatchEvent } from '../watch-event.ts';
import {
  onlyMetadata,
  type PartialObjectMetadata,
  type Representation,
  type Table,
  tableAccept,
  wholeObjects,
} from './representation.ts';
import { Subresource } from './subresource.ts';
import type { ApplyObject, PatchBody } from './typed-write.ts';
import {
  type ApplyOptions,
  type DeleteOptions,
  deleteBody,
  type PatchOptions,
  type PatchType,
  patchContentTypes,
  type WriteOptions,
  writeQuery,
} from './write-options.ts';

/** Where the object is, and at which version it is wanted. */
export interface GetOptions {
  readonly namespace?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** How the items of a list are read. */
export interface ItemOptions extends CallOptions {
  /** Cuts `metadata.managedFields` out before parsing: half the memory of a typical Pod. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Pages are asked for in this size unless told otherwise. */
const pageSize = 500;

/**
 * The objects of one kind, in one namespace or all. Objects come as plain JSON and always say their
 * apiVersion and kind.
 *
 * ```ts
 * const pods = client.resource(kinds.Pod);
 * await pods.get('web-0', { namespace: 'shop' });
 * for await (const page of pods.listPages({ labelSelector: 'app=web' })) console.log(page.items.length);
 * const watch = await pods.in('shop').watch({ allowWatchBookmarks: true });
 * for await (const event of watch) console.log(event.type);
 * ```
 */
export class Resource<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly #transport: Transport;
  readonly #namespace: string | undefined;
  readonly #representation: Representation;

  constructor(
    transport: Transport,
    kind: Kind<T>,
    namespace?: string | undefined,
    representation?: Representation,
  ) {
    this.#transport = transport;
    this.kind = kind;
    this.#namespace = namespace;
    this.#representation = representation ?? wholeObjects(kind);
  }

  /** The same objects, with this namespace where none is given. */
  in(namespace: string): Resource<T> {
    return new Resource<T>(this.#transport, this.kind, namespace, this.#representation);
  }

  /** The same objects, of which the server sends only the metadata. */
  metadata(): Resource<PartialObjectMetadata> {
    const kind = this.kind as Kind<KubeObject> as Kind<PartialObjectMetadata>;
    return new Resource(this.#transport, kind, this.#namespace, onlyMetadata);
  }

  /** A part of an object with its own address: `status`, `scale`, `eviction`, `token`, … */
  subresource<S extends KubeObject = T>(name: string): Subresource<S> {
    return new Subresource<S>(this.#transport, (address) => this.#path(address), name);
  }

  get status(): Subresource<T> {
    return this.subresource<T>('status');
  }

  get scale(): Subresource<Scale> {
    return this.subresource<Scale>('scale');
  }

  async get(name: string, options: GetOptions = {}, call: CallOptions = {}): Promise<T> {
    const path = this.#path({ ...options, name }, true);
    const query = queryString({ resourceVersion: options.resourceVersion });
    return this.#one({ method: 'GET', path: `${path}${query}` }, call);
  }

  /** One page: all objects without `limit`, unless the server prefers pages. */
  async list(options: ListOptions = {}, call: ItemOptions = {}): Promise<ListPage<T>> {
    const items: T[] = [];
    const result = await this.listEach(options, (item) => items.push(item), call);
    return { ...result, items };
  }

  /**
   * One page, each item handed over as it comes in. The event loop gets its turns, however large
   * the page is.
   */
  async listEach(
    options: ListOptions,
    onItem: (item: T) => void,
    call: ItemOptions = {},
  ): Promise<ListResult> {
    const { apiVersion, kind } = this.#representation;
    const parser = new ListParser<T>({
      omitManagedFields: call.omitManagedFields,
      onItem: (item) => {
        item.apiVersion ??= apiVersion;
        item.kind ??= kind;
        onItem(item);
      },
    });
    return this.#list(options, parser, call);
  }

  /**
   * One page, the items as JSON bytes, for a store that parses on first read. The bytes are valid
   * only during the call: copy to keep. Items of built-in kinds do not say their apiVersion and
   * kind in them. `scanItemMetadata` finds names, labels and versions in such bytes.
   */
  async listBytes(
    options: ListOptions,
    onItem: (bytes: Buffer) => void,
    call: CallOptions = {},
  ): Promise<ListResult> {
    return this.#list(options, new ListScanner({ onItem }), call);
  }

  /** All pages, `limit` items each (500 if not given). A list that expires midway throws. */
  async *listPages(
    options: ListOptions = {},
    call: ItemOptions = {},
  ): AsyncGenerator<ListPage<T>, void, void> {
    let next: ListOptions = { ...options, limit: options.limit ?? pageSize };
    for (;;) {
      const page = await this.list(next, call);
      yield page;
      if (page.continue === '') return;
      // The token stands for the version; servers refuse both.
      next = {
        ...next,
        continue: page.continue,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      };
    }
  }

  /** All objects. Pages that expire midway are given up for one whole list, as client-go does. */
  async listAll(options: ListOptions = {}, call: ItemOptions = {}): Promise<ListPage<T>> {
    const items: T[] = [];
    try {
      let last: ListPage<T> | undefined;
      for await (const page of this.listPages(options, call)) {
        for (const item of page.items) items.push(item);
        last = page;
      }
      return { ...(last as ListPage<T>), items };
    } catch (error) {
      if (!isExpiredOrGone(error) || items.length === 0) throw error;
      return this.list({ ...options, limit: undefined, continue: undefined }, call);
    }
  }

  /** The objects as rows, with the columns that `kubectl get` shows. */
  async table(options: ListOptions = {}, call: CallOptions = {}): Promise<Table> {
    const path = `${this.#path(options)}${listQuery(options)}`;
    const request = { method: 'GET' as const, path, headers: { accept: tableAccept } };
    return callJson<Table>(this.#transport, request, call);
  }

  /**
   * Opens a watch; resolves when the server has accepted it, so an error of opening is thrown here.
   * A slow reader pushes back on the socket. Aborting the signal, or leaving the loop, ends it.
   */
  async watch(
    options: WatchOptions = {},
    call: WatchCallOptions = {},
  ): Promise<WatchStream<WatchEvent<T>>> {
    const path = this.#path(options);
    return watchCall<T>(this.#transport, path, this.#representation.acceptObject, options, call);
  }

  /**
   * A watch that goes on from where it was when the server ends it or the connection breaks off. It
   * throws when the version is no longer there: list again. A cache wants an informer instead.
   */
  watchFrom(
    resourceVersion: string,
    options: WatchOptions = {},
    call: WatchCallOptions = {},
  ): AsyncIterable<ObjectEvent<T>> {
    const open: OpenWatch<T> = (asked, callOptions) => this.watch(asked, callOptions);
    return resumeWatch(open, { ...options, resourceVersion }, call, sleep);
  }

  /** As `watch`, with the objects as JSON bytes. */
  async watchBytes(
    options: WatchOptions = {},
    call: WatchCallOptions = {},
  ): Promise<WatchStream<RawWatchEvent>> {
    const path = this.#path(options);
    return watchBytesCall(this.#transport, path, this.#representation.acceptObject, options, call);
  }

  async create(object: T, options: WriteOptions = {}, call: CallOptions = {}): Promise<T> {
    const path = this.#path({ namespace: namespaceOf(object, options) }, true);
    return this.#write('POST', path, object, options, call);
  }

  /** Replaces an object. With a resourceVersion in it, a change in between is a conflict. */
  async update(object: T, options: WriteOptions = {}, call: CallOptions = {}): Promise<T> {
    const path = this.#path(addressOf(object, options), true);
    return this.#write('PUT', path, object, options, call);
  }

  /** Replaces the status of an object, and nothing else. */
  async updateStatus(object: T, options: WriteOptions = {}, call: CallOptions = {}): Promise<T> {
    const path = this.#path({ ...addressOf(object, options), subresource: 'status' }, true);
    return this.#write('PUT', path, object, options, call);
  }

  /**
   * Changes some fields. What a patch may say is typed by its type: fields that the kind does not have do not
   * compile.
   *
   * ```ts
   * const deployments = client.resource(kinds.Deployment).in('shop');
   * await deployments.patch('web', { spec: { replicas: 3 }, metadata: { labels: { old: null } } });
   * await deployments.patch('web', [{ op: 'remove', path: '/spec/paused' }], { type: 'json' });
   * ```
   */
  async patch<P extends PatchType = 'merge'>(
    name: string,
    patch: PatchBody<T, P>,
    options: PatchOptions<P> = {},
    call: CallOptions = {},
  ): Promise<T> {
    const path = this.#path({ namespace: options.namespace, name }, true);
    const contentType = patchContentTypes[options.type ?? 'merge'];
    return this.#one(
      {
        method: 'PATCH',
        path: `${path}${queryString(writeQuery(options))}`,
        body: patch as object,
        contentType,
      },
      call,
    );
  }

  /** Server-side apply. The object holds only the fields that the manager cares for. */
  async apply(
    object: T | ApplyObject<T>,
    options: ApplyOptions,
    call: CallOptions = {},
  ): Promise<T> {
    const path = this.#path(addressOf(object, options), true);
    const query = queryString({ ...writeQuery(options), force: options.force });
    const { apiVersion, kind } = wholeObjects(this.kind);
    const body = {
      ...object,
      apiVersion: object.apiVersion ?? apiVersion,
      kind: object.kind ?? kind,
    };
    return this.#one(
      { method: 'PATCH', path: `${path}${query}`, body, contentType: patchContentTypes.apply },
      call,
    );
  }

  /** The object as it was, or, when it is gone already, the server's word on that. */
  async delete(
    name: string,
    options: DeleteOptions = {},
    call: CallOptions = {},
  ): Promise<T | Status> {
    const path = this.#path({ namespace: options.namespace, name }, true);
    return callJson<T | Status>(
      this.#transport,
      { method: 'DELETE', path, body: deleteBody(options) },
      call,
    );
  }

  async deleteCollection(
    options: ListOptions & DeleteOptions = {},
    call: CallOptions = {},
  ): Promise<void> {
    const path = `${this.#path(options, true)}${listQuery(options)}`;
    await callJson(this.#transport, { method: 'DELETE', path, body: deleteBody(options) }, call);
  }

  #list(options: ListOptions, sink: ListSink, call: CallOptions): Promise<ListResult> {
    const accept = this.#representation.acceptList;
    return listCall(this.#transport, this.#path(options), accept, options, sink, call);
  }

  #write(
    method: 'POST' | 'PUT',
    path: string,
    object: T,
    options: WriteOptions,
    call: CallOptions,
  ): Promise<T> {
    const { apiVersion, kind } = wholeObjects(this.kind);
    const body = {
      ...object,
      apiVersion: object.apiVersion ?? apiVersion,
      kind: object.kind ?? kind,
    };
    return this.#one({ method, path: `${path}${queryString(writeQuery(options))}`, body }, call);
  }

  async #one(request: Parameters<typeof callJson>[1], call: CallOptions): Promise<T> {
    const headers = { accept: this.#representation.acceptObject };
    return callJson<T>(this.#transport, { ...request, headers }, call);
  }

  #path(address: ResourceAddress, isOne = false): string {
    const namespace = address.namespace ?? this.#namespace;
    if (
      isOne &&
      this.kind.scope === 'Namespaced' &&
      (namespace === undefined || namespace === '')
    ) {
      throw new KubeError(
        'WG_KUBE_CONFIG',
        `a ${this.kind.kind} is in a namespace: give one in the options or the object`,
      );
    }
    return resourcePath(this.kind, { ...address, namespace });
  }
}

type Named = Pick<KubeObject, 'metadata'>;

function namespaceOf(object: Named, options: WriteOptions): string | undefined {
  return options.namespace ?? (object.metadata.namespace || undefined);
}

function addressOf(object: Named, options: WriteOptions): ResourceAddress {
  const { name } = object.metadata;
  if (name === undefined || name === '') {
    throw new KubeError('WG_KUBE_CONFIG', 'the object has no metadata.name');
  }
  return { name, namespace: namespaceOf(object, options) };
}
