import {
  AdminClient,
  entityKinds,
  KongError,
  type RequestOptions,
  type StoredEntity,
} from '@waygate/kong';

/** A write that reached the Admin API. */
export interface RecordedWrite {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

type Rows = Map<string, StoredEntity>;

/**
 * A Kong with a database, as far as a sync sees it: rows by collection, unique names, and a record of
 * all writes. Ids that the sync made up appear in the record as `$collection/key`, as in the cases.
 */
export class RecordingDatabase extends AdminClient {
  readonly #rows = new Map<string, Rows>();
  readonly #aliases = new Map<string, string>();
  #writes: RecordedWrite[] = [];
  /** Paths of entities that were not there when the writes began. */
  readonly #made = new Set<string>();

  constructor(initial: Readonly<Record<string, readonly StoredEntity[]>>) {
    super({ url: 'http://database.invalid' });
    for (const [path, entities] of Object.entries(initial))
      for (const entity of entities) this.#table(path).set(entity.id, entity);
  }

  /**
   * What was written since this was last asked, as far as it lasts: of several writes to one entity
   * the last, and nothing of an entity that came and went on the way.
   */
  takeWrites(): RecordedWrite[] {
    const last = new Map<string, number>();
    for (const [index, { path, method }] of this.#writes.entries())
      if (method !== 'POST') last.set(path, index);
    const writes = this.#writes.filter(({ method, path }, index) => {
      if (method === 'POST') return true;
      return last.get(path) === index && !(method === 'DELETE' && this.#made.has(path));
    });
    const aliased = writes.map((write) => this.#aliased(write));
    this.#writes = [];
    this.#made.clear();
    return aliased;
  }

  override async *pages(
    path: string,
    options: { readonly tags?: readonly string[] } = {},
  ): AsyncGenerator<readonly StoredEntity[]> {
    const table = this.#table(tableOf(path));
    const parent = /^upstreams\/([^/]+)\/targets$/u.exec(path)?.[1];
    yield [...table.values()].filter((row) => {
      const tags = (row.tags ?? []) as readonly string[];
      if (!(options.tags ?? []).every((tag) => tags.includes(tag))) return false;
      return parent === undefined || (row.upstream as { id?: string })?.id === parent;
    });
  }

  override async send(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<unknown> {
    const clean = path.replace(/^\//u, '');
    if (method === 'GET') throw new KongError('WG_KONG_HTTP', 'not found', { status: 404 });
    // A question, not a write; older versions do not answer it.
    if (clean.startsWith('schemas/'))
      throw new KongError('WG_KONG_HTTP', 'not found', { status: 404 });
    const table = this.#table(tableOf(clean));
    const isNew = !table.has(clean.slice(clean.lastIndexOf('/') + 1));
    if (method === 'PUT' && isNew) this.#made.add(`/${clean}`);
    const body = options.body as StoredEntity | undefined;
    this.#writes.push({
      method,
      path: `/${clean}`,
      ...(body === undefined ? {} : { body: body as unknown as Record<string, unknown> }),
    });
    if (method === 'DELETE') {
      table.delete(clean.slice(clean.lastIndexOf('/') + 1));
      return undefined;
    }
    if (body === undefined) return undefined;
    const clash = [...table.values()].some(
      (row) => row.id !== body.id && row.name !== undefined && row.name === body.name,
    );
    if (clash && tableOf(clean) !== 'plugins') {
      const message = `HTTP status 409 (message: "UNIQUE violation detected")`;
      throw new KongError('WG_KONG_HTTP', message, { status: 409 });
    }
    table.set(body.id, body);
    this.#name(tableOf(clean), body);
    return body;
  }

  #table(path: string): Rows {
    let rows = this.#rows.get(path);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(path, rows);
    }
    return rows;
  }

  #name(table: string, entity: StoredEntity): void {
    if (this.#aliases.has(entity.id) || table === 'certificates') return;
    const nameOf = (reference: unknown) => {
      const alias = this.#aliases.get((reference as { id?: string } | undefined)?.id ?? '') ?? '';
      return alias.slice(alias.indexOf('/') + 1);
    };
    let key = String(entity.name ?? entity.username ?? entity.key ?? '');
    if (table === 'targets') key = `${nameOf(entity.upstream)}|${entity.target}`;
    if (table === 'acls') key = `${nameOf(entity.consumer)}|${entity.group}`;
    if (table === 'plugins') {
      for (const scope of ['service', 'route', 'consumer'])
        if (entity[scope]) key += `|${scope}=${nameOf(entity[scope])}`;
    }
    this.#aliases.set(entity.id, `$${table}/${key}`);
  }

  #aliased(write: RecordedWrite): RecordedWrite {
    let text = JSON.stringify(write);
    for (const [id, alias] of this.#aliases) {
      const isGiven = /^(\d)\1{7}-/u.test(id);
      if (!isGiven) text = text.replaceAll(id, JSON.stringify(alias).slice(1, -1));
    }
    return JSON.parse(text) as RecordedWrite;
  }
}

/** The table that a path is about: of its last segment that names one. */
function tableOf(path: string): string {
  const segments = path.split('/');
  for (const segment of segments.reverse()) {
    const kind = entityKinds.find((one) => one.segment === segment || one.path === segment);
    if (kind !== undefined) return kind.path || kind.segment;
  }
  return path;
}
