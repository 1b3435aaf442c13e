import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CollectionName,
  type EntityKind,
  EntityStore,
  entityKinds,
  type JsonObject,
  type StoreError,
} from '@waygate/kong';

/** An answer that the server of a case gives instead of its own. */
export interface InjectedFailure {
  readonly method: string;
  /** A regular expression on the path. */
  readonly path: string;
  readonly bodyMatch?: string;
  readonly status: number;
  readonly body?: unknown;
  /** How often; always when absent. */
  readonly times?: number;
}

export interface DeckServerOptions {
  readonly failures?: readonly InjectedFailure[];
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

const notFound: Answer = { status: 404, body: { message: 'Not found' } };

function refused({ status, body }: StoreError): Answer {
  return { status, body };
}

/**
 * The Admin API that the cases were measured against: Kong 2.3 in what it takes, without validation,
 * as the cases use certificates and plugins that are none.
 */
export class DeckServer {
  readonly writes: { readonly method: string; readonly path: string }[] = [];
  readonly #stores = new Map<string, EntityStore>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #failures: (InjectedFailure & { left: number })[] = [];

  constructor() {
    this.#stores.set('', new EntityStore({ validation: 'off' }));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The entities of a workspace, the default one by default. */
  store(workspace = ''): EntityStore {
    const store = this.#stores.get(workspace) ?? new EntityStore({ validation: 'off' });
    this.#stores.set(workspace, store);
    return store;
  }

  inject(failures: readonly InjectedFailure[]): void {
    this.#failures = failures.map((failure) => ({
      ...failure,
      left: failure.times ?? Number.POSITIVE_INFINITY,
    }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const url = new URL(request.url ?? '/', 'http://server');
    const method = request.method ?? 'GET';
    if (method !== 'GET') this.writes.push({ method, path: url.pathname });
    const answer = this.#failure(method, url.pathname, text) ?? this.#handle(method, url, text);
    const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(body);
  }

  #failure(method: string, path: string, text: string): Answer | undefined {
    const failure = this.#failures.find(
      (candidate) =>
        candidate.left > 0 &&
        candidate.method === method &&
        new RegExp(candidate.path).test(path) &&
        (candidate.bodyMatch === undefined || text.includes(candidate.bodyMatch)),
    );
    if (failure === undefined) return undefined;
    failure.left -= 1;
    return {
      status: failure.status,
      body: failure.body ?? { message: 'An unexpected error occurred' },
    };
  }

  #handle(method: string, url: URL, text: string): Answer {
    const parts = url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
    if (parts.length === 0) return { status: 200, body: { version: '2.3.3' } };
    if (parts[0] === 'workspaces') {
      this.store(String(body.name));
      return { status: 201, body };
    }
    const [first = ''] = parts;
    const isCollection = entityKinds.some((kind) => kind.path === first);
    if (!isCollection && !this.#stores.has(first)) return notFound;
    const store = this.#stores.get(isCollection ? '' : first) as EntityStore;
    return this.#entities(store, method, isCollection ? parts : parts.slice(1), url, body);
  }

  #entities(
    store: EntityStore,
    method: string,
    parts: readonly string[],
    url: URL,
    body: JsonObject,
  ): Answer {
    const [path, id, segment, childId] = parts;
    const kind = entityKinds.find((candidate) => candidate.path === path);
    if (kind === undefined || kind.path === 'vaults' || kind.path?.startsWith('key')) {
      if (kind?.collection !== 'keyauth_credentials') return notFound;
    }
    if (segment === undefined) return this.#own(store, kind as EntityKind, method, id, url, body);
    const parent = store.get((kind as EntityKind).collection, id as string);
    const child = entityKinds.find(
      (candidate) =>
        candidate.segment === segment &&
        candidate.references.some(({ collection }) => collection === kind?.collection),
    );
    const field = child?.references.find(
      ({ collection }) => collection === kind?.collection,
    )?.field;
    if (parent === undefined || child === undefined || field === undefined) return notFound;
    return this.#own(
      store,
      child,
      method,
      childId,
      url,
      { ...body, [field]: { id: parent.id } },
      {
        field,
        id: parent.id,
      },
    );
  }

  #own(
    store: EntityStore,
    kind: EntityKind,
    method: string,
    id: string | undefined,
    url: URL,
    body: JsonObject,
    parent?: { readonly field: string; readonly id: string },
  ): Answer {
    const collection: CollectionName = kind.collection;
    if (method === 'GET' && id === undefined) {
      const query = Object.fromEntries(url.searchParams);
      const page = store.list(collection, query, parent);
      if (page.kind === 'error') return refused(page.error);
      const { data, offset } = page.page;
      return {
        status: 200,
        body: { data, next: null, ...(offset === undefined ? {} : { offset }) },
      };
    }
    if (method === 'GET') {
      const entity = store.get(collection, id as string);
      return entity === undefined ? notFound : { status: 200, body: entity };
    }
    if (method === 'DELETE') {
      const result = store.delete(collection, id as string);
      return result.kind === 'error' ? refused(result.error) : { status: 204 };
    }
    const result =
      method === 'POST'
        ? store.insert(collection, body)
        : method === 'PATCH'
          ? store.update(collection, id as string, body)
          : store.upsert(collection, id as string, body);
    if (result.kind === 'error') return refused(result.error);
    return { status: method === 'POST' ? 201 : 200, body: result.entity };
  }
}
