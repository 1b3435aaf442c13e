import type { JsonObject } from '@waygate/kong';

/** What of a recorded request tells of the file that was read. */
export interface RecordedWrite {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

interface Recording {
  readonly cmd: string;
  readonly rc: number;
  readonly requests: readonly RecordedWrite[];
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where entities stand in a file, by the last word of the path that they are written to. */
const listsOfConsumer: Readonly<Record<string, string>> = {
  'basic-auth': 'basicauth_credentials',
  jwt: 'jwt_secrets',
  'hmac-auth': 'hmacauth_credentials',
  'key-auth': 'keyauth_credentials',
  oauth2: 'oauth2_credentials',
  acls: 'acls',
  'mtls-auth': 'mtls_auth_credentials',
};

/** Entities that stand in the one that they refer to. */
const ownerField: Readonly<Record<string, string>> = { routes: 'service', snis: 'certificate' };

/** The name of the file that a command reads; undefined when it reads none. */
export function fileOf({ cmd }: { readonly cmd: string }): string | undefined {
  return / -s (\S+)/.exec(cmd)?.[1];
}

/**
 * The files that recordings read, of which only the names are in the data: what was written by a sync that went well is
 * what its file says. Ids that two recordings share stood in the file; the others were made up.
 */
export function recordedFiles(recordings: readonly Recording[]): ReadonlyMap<string, JsonObject> {
  const files = new Map<string, JsonObject>();
  const given = sharedIds(recordings);
  for (const recording of recordings) {
    const { cmd, rc, requests } = recording;
    const name = fileOf(recording);
    const isPlain = cmd.startsWith('deck sync') && rc === 0 && !/--(?!parallelism)/.test(cmd);
    if (name === undefined || !isPlain || files.has(name)) continue;
    files.set(name, fileFrom(requests, given));
  }
  return files;
}

function sharedIds(recordings: readonly Recording[]): ReadonlySet<string> {
  const seen = new Map<string, number>();
  for (const { requests } of recordings) {
    const ids = new Set(
      requests.map(({ body }) => body?.id).filter((id) => typeof id === 'string'),
    );
    for (const id of ids) seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  return new Set([...seen].filter(([, count]) => count > 1).map(([id]) => id));
}

function fileFrom(requests: readonly RecordedWrite[], given: ReadonlySet<string>): JsonObject {
  const { workspace, entities } = writtenEntities(requests);
  const names = new Map(
    entities.map(({ body }) => [String(body.id), String(body.name ?? body.username)]),
  );
  const made = new Map(
    entities.map(
      ({ words, body }) =>
        [String(body.id), inFile(body, given, names, words[0] === 'plugins')] as const,
    ),
  );
  const top: Record<string, JsonObject[]> = {};
  for (const { words, body } of entities) {
    const entity = made.get(String(body.id)) ?? {};
    const [collection = '', parentId = '', list = ''] = words;
    const own = ownerField[collection];
    const owner = (own === undefined ? undefined : body[own]) as { id?: string } | undefined;
    if (words.length > 2) addTo(made.get(parentId), listsOfConsumer[list] ?? list, entity);
    else if (owner?.id !== undefined) addTo(made.get(owner.id), collection, entity);
    else addTo(top as JsonObject, collection, entity);
  }
  const tags = requests.find(({ query }) => query.tags !== undefined)?.query.tags;
  return {
    _format_version: '1.1',
    ...(workspace === '' ? {} : { _workspace: workspace }),
    ...(tags === undefined ? {} : { _info: { select_tags: tags.split(',') } }),
    ...top,
  };
}

/** Each entity once, whatever it took to write it, and the workspace that the paths begin with. */
function writtenEntities(requests: readonly RecordedWrite[]) {
  const entities = new Map<string, { words: string[]; body: JsonObject }>();
  let workspace = '';
  for (const { method, path, body } of requests) {
    if (!['PUT', 'POST'].includes(method) || body === undefined) continue;
    const words = path.split('/').slice(1);
    if (words[0] === 'workspaces') continue;
    if (words[1] !== undefined && !uuid.test(words[1])) workspace = words.shift() ?? '';
    entities.set(String(body.id ?? path), { words, body });
  }
  return { workspace, entities: [...entities.values()] };
}

function addTo(parent: JsonObject | undefined, list: string, entity: JsonObject): void {
  const lists = parent as Record<string, JsonObject[]> | undefined;
  if (lists === undefined) return;
  lists[list] = [...(lists[list] ?? []), entity];
}

/** An entity as a file has it: without what it stands in, and without an id that was made up. */
function inFile(
  body: JsonObject,
  given: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
  isPlugin: boolean,
): JsonObject {
  const entity: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    const id = (value as { id?: string } | null)?.id;
    if (key === 'id') {
      if (given.has(String(value))) entity.id = value;
    } else if (id === undefined) entity[key] = value;
    else if (key === 'client_certificate') entity[key] = id;
    else if (isPlugin) entity[key] = names.get(id);
  }
  return entity as JsonObject;
}
