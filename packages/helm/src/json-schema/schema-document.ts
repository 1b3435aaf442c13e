import { type Dialect, type Draft, idOf } from './draft.ts';
import { isJsonList, isJsonMap, type JsonNode } from './json-node.ts';
import { escapePointer } from './schema-problem.ts';

/** A schema inside a document that has an address of its own: references inside start there. */
export interface Resource {
  readonly pointer: string;
  readonly id: string;
  readonly dialect: Dialect;
  readonly anchors: Map<string, string>;
  readonly dynamicAnchors: Set<string>;
}

/** What a document needs to know of others: which draft and vocabularies a `$schema` stands for. */
interface DialectSource {
  draftOf(schema: JsonNode, fallback: Draft, place: string): Draft;
  dialectOf(schema: JsonNode, draft: Draft): Dialect;
}

/** A document of schemas: its resources and anchors, found where the draft has schemas. */
export class SchemaDocument {
  readonly url: string;
  readonly root: JsonNode;
  readonly resources = new Map<string, Resource>();
  readonly #seen = new Set<string>();
  readonly #dialects: DialectSource;

  constructor(url: string, root: JsonNode, fallback: Dialect, dialects: DialectSource) {
    this.url = url;
    this.root = root;
    this.#dialects = dialects;
    this.#collect(root, url, '', fallback);
  }

  /** The resource that a place belongs to. */
  resourceAt(pointer: string): Resource {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = this.resources.get(at);
      if (found !== undefined) return found;
      if (!at.includes('/')) return this.resources.get('')!;
    }
  }

  /** Looks at a place that the draft does not name for schemas, because a reference leads there. */
  ensure(pointer: string): { isNew: boolean; node: JsonNode } {
    const node = this.lookup(pointer);
    if (this.#seen.has(pointer)) return { isNew: false, node };
    const base = this.resourceAt(pointer);
    this.#collect(node, base.id, pointer, base.dialect);
    return { isNew: true, node };
  }

  /** @throws Error `json-pointer in "…" not found` */
  lookup(pointer: string): JsonNode {
    let node = this.root;
    for (const part of pointer.split('/').slice(1)) {
      if (/~(?![01])/.test(part)) {
        throw new Error(`invalid json-pointer ${JSON.stringify(`${this.url}#${pointer}`)}`);
      }
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = isJsonMap(node)
        ? node.get(key)
        : isJsonList(node) && /^\d+$/.test(key)
          ? node[Number(key)]
          : undefined;
      if (next === undefined) {
        throw new Error(
          `json-pointer in ${JSON.stringify(locationOf(this.url, pointer))} not found`,
        );
      }
      node = next;
    }
    return node;
  }

  /** The pointer that an address means, or undefined when it is in another document. */
  resolve(url: string, fragment: string): string | undefined {
    const resource =
      url === this.url
        ? this.resources.get('')
        : [...this.resources.values()].find(({ id }) => id === url);
    return resource === undefined ? undefined : this.resolveIn(resource, fragment);
  }

  /** @throws Error `anchor in "…" not found in schema "…"` */
  resolveIn(resource: Resource, fragment: string): string {
    if (fragment === '' || fragment.startsWith('/')) return resource.pointer + fragment;
    const found = resource.anchors.get(fragment);
    if (found !== undefined) return found;
    const reference = JSON.stringify(locationOf(resource.id, fragment));
    throw new Error(`anchor in ${reference} not found in schema ${JSON.stringify(this.url)}`);
  }

  #collect(node: JsonNode, base: string, pointer: string, fallback: Dialect): void {
    if (this.#seen.has(pointer)) return;
    this.#seen.add(pointer);
    if (!isJsonMap(node)) {
      if (pointer === '') this.#add(pointer, base, fallback);
      return;
    }
    let hasSchema = typeof node.get('$schema') === 'string';
    let draft = this.#dialects.draftOf(node, fallback.draft, locationOf(this.url, pointer));
    let id = idOf(draft, node);
    if (id === '' && pointer !== '') {
      draft = fallback.draft;
      hasSchema = false;
      id = idOf(draft, node);
    }
    const address = id === '' ? base : joinUrl(base, id);
    if (id !== '' || pointer === '') {
      const twin = [...this.resources.values()].find((each) => each.id === address);
      if (twin !== undefined) throw this.#duplicate('id', address, pointer, twin.pointer);
      this.#add(pointer, address, hasSchema ? this.#dialects.dialectOf(node, draft) : fallback);
    }
    const resource = [...this.resources.values()].find((each) => each.id === address)!;
    this.#collectAnchors(node, pointer, resource);
    for (const path of draft.subschemas) {
      for (const [at, child] of subschemasAt(node, path)) {
        this.#collect(child, address, pointer + at, resource.dialect);
      }
    }
  }

  #add(pointer: string, id: string, dialect: Dialect): void {
    const anchors = new Map<string, string>();
    this.resources.set(pointer, { pointer, id, dialect, anchors, dynamicAnchors: new Set() });
  }

  #collectAnchors(node: ReadonlyMap<string, JsonNode>, pointer: string, resource: Resource): void {
    const { draft } = resource.dialect;
    const add = (anchor: JsonNode | undefined): anchor is string => {
      if (typeof anchor !== 'string') return false;
      const before = resource.anchors.get(anchor);
      if (before !== undefined && before !== pointer) {
        throw this.#duplicate('anchor', anchor, before, pointer);
      }
      resource.anchors.set(anchor, pointer);
      return true;
    };
    if (draft.version < 2019) {
      const id = node.has('$ref') ? undefined : node.get(draft.idKeyword);
      const fragment = typeof id === 'string' ? (id.split('#')[1] ?? '') : '';
      if (fragment !== '' && !fragment.startsWith('/')) add(fragment);
      return;
    }
    add(node.get('$anchor'));
    const dynamic = node.get('$dynamicAnchor');
    if (draft.version >= 2020 && add(dynamic)) resource.dynamicAnchors.add(dynamic);
  }

  #duplicate(what: string, name: string, first: string, second: string): Error {
    const quoted = [name, this.url, first, second].map((each) => JSON.stringify(each));
    return new Error(
      `duplicate ${what} ${quoted[0]} in ${quoted[1]} at ${quoted[2]} and ${quoted[3]}`,
    );
  }
}

function* subschemasAt(
  node: ReadonlyMap<string, JsonNode>,
  path: string,
): Iterable<[string, JsonNode]> {
  const [keyword = '', each] = path.split('/');
  const value = node.get(keyword);
  if (value === undefined) return;
  if (each === undefined) yield [`/${escapePointer(keyword)}`, value];
  else if (each === '*' && isJsonMap(value)) {
    for (const [key, item] of value)
      yield [`/${escapePointer(keyword)}/${escapePointer(key)}`, item];
  } else if (each === '[]' && isJsonList(value)) {
    for (const [index, item] of value.entries())
      yield [`/${escapePointer(keyword)}/${index}`, item];
  }
}

/** An address with a place inside of it, as messages print it. */
export function locationOf(url: string, pointer: string): string {
  return `${url}#${pointer.split('/').map(escapePath).join('/')}`;
}

function escapePath(part: string): string {
  return encodeURIComponent(part)
    .replaceAll('%24', '$')
    .replaceAll('%26', '&')
    .replaceAll('%2B', '+')
    .replaceAll('%3A', ':')
    .replaceAll('%3D', '=')
    .replaceAll('%40', '@');
}

/** The address that a reference without its fragment means. */
export function joinUrl(base: string, reference: string): string {
  if (reference === '') return base;
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference)) return reference;
  try {
    return new URL(reference, base).href;
  } catch {
    // An address without a path, such as a urn, stays what it is.
    return base;
  }
}
