import {
  type CollectionName,
  type EntityKind,
  EntityStore,
  entityKinds,
  type JsonObject,
  type StoreError,
} from '@waygate/kong';
import { AdminStub, type StubAnswer, type StubRequest } from './admin-stub.ts';

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

const notFound: StubAnswer = { status: 404, body: { message: 'Not found' } };

function refused({ status, body }: StoreError): StubAnswer {
  return { status, body };
}

/**
 * An Admin API without validation, as the cases use certificates and plugins that are none: of Kong 2.3,
 * against which the cases of decK 1.4 were measured, or of another version, with what that has.
 */
export class DeckServer {
  readonly writes: { readonly method: string; readonly path: string }[] = [];
  readonly #version: string;
  readonly #stores = new Map<string, EntityStore>();
  /** Who is in a consumer group, by its id. */
  readonly #members = new Map<string, Set<string>>();
  readonly #stub = new AdminStub((request) => this.#answer(request));
  #failures: (InjectedFailure & { left: number })[] = [];

  constructor(version = '2.3.3') {
    this.#version = version;
    this.#stores.set('', new EntityStore({ validation: 'off' }));
  }

  listen(): Promise<string> {
    return this.#stub.listen();
  }

  close(): Promise<void> {
    return this.#stub.close();
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

  #answer({ method, url, text }: StubRequest): StubAnswer {
    if (method !== 'GET') this.writes.push({ method, path: url.pathname });
    return this.#failure(method, url.pathname, text) ?? this.#handle(method, url, text);
  }

  #failure(method: string, path: string, text: string): StubAnswer | undefined {
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

  #handle(method: string, url: URL, text: string): StubAnswer {
    const parts = url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
    if (parts.length === 0) return { status: 200, body: { version: this.#version } };
    if (parts[0] === 'workspaces' && method === 'GET') {
      const isThere = this.#stores.has(parts[1] ?? '') || parts[1] === 'default';
      return isThere ? { status: 200, body: { name: parts[1] } } : notFound;
    }
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
  ): StubAnswer {
    const [path, id, segment, childId] = parts;
    const kind = entityKinds.find((candidate) => candidate.path === path);
    if (kind === undefined || !this.#has(kind)) return notFound;
    if (segment === 'consumers' && kind.collection === 'consumer_groups')
      return this.#memberships(store, method, String(id), childId, body);
    if (segment === undefined) return this.#own(store, kind, method, id, url, body);
    const parent = store.get(kind.collection, id as string);
    const child = entityKinds.find(
      (candidate) =>
        candidate.segment === segment &&
        candidate.references.some(({ collection }) => collection === kind.collection),
    );
    const field = child?.references.find(({ collection }) => collection === kind.collection)?.field;
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

  #has({ collection }: EntityKind): boolean {
    const since = { consumer_groups: 2.7, vaults: 3, keys: 3.1, key_sets: 3.1 };
    const [major, minor] = this.#version.split('.').map(Number);
    const version = Number(major) + Math.min(Number(minor), 9) / 10;
    return version >= (since[collection as keyof typeof since] ?? 0);
  }

  #memberships(
    store: EntityStore,
    method: string,
    group: string,
    member: string | undefined,
    body: JsonObject,
  ): StubAnswer {
    const found = store.get('consumer_groups', group);
    if (found === undefined) return notFound;
    const members = this.#members.get(found.id) ?? new Set<string>();
    this.#members.set(found.id, members);
    if (method === 'GET') {
      const data = [...members].flatMap((id) => store.get('consumers', id) ?? []);
      return { status: 200, body: { data, next: null } };
    }
    if (method === 'DELETE') return { status: members.delete(String(member)) ? 204 : 404 };
    members.add(String(body.consumer));
    return { status: 201, body: { consumer_group: found } };
  }

  #own(
    store: EntityStore,
    kind: EntityKind,
    method: string,
    id: string | undefined,
    url: URL,
    body: JsonObject,
    parent?: { readonly field: string; readonly id: string },
  ): StubAnswer {
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
