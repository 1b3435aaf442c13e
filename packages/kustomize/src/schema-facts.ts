import { clusterScoped, definitions, kinds, type MergeStep } from './generated/merge-facts.ts';
import { KustomizeError } from './kustomize-error.ts';
import { parseJson } from './yaml/json-parse.ts';
import type { JsonObject, JsonValue } from './yaml/json-value.ts';

/** What is known of a value: how its fields and items merge. */
export interface Schema {
  field(name: string): Schema | undefined;
  items(): Schema | undefined;
  /** The keys that items of a merging list are matched by; undefined when the list is replaced. */
  readonly mergeKeys: readonly string[] | undefined;
}

/** What a build knows of kinds: the built-in ones, or those of an `openapi` file. */
export interface SchemaSet {
  schemaOf(apiVersion: string, kind: string): Schema | undefined;
  isClusterScoped(apiVersion: string, kind: string): boolean;
}

class BuiltinSchema implements Schema {
  readonly #definition: string;
  readonly #step: MergeStep | undefined;

  constructor(definition: string, step?: MergeStep) {
    this.#definition = definition;
    this.#step = step;
  }

  get mergeKeys(): readonly string[] | undefined {
    return this.#step?.[0] === 'list' ? this.#step[2] : undefined;
  }

  field(name: string): Schema | undefined {
    if (this.#step?.[0] === 'values') return new BuiltinSchema(this.#step[1]);
    const fields = definitions[this.#definition];
    const step = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (step === undefined) return unknownField;
    return new BuiltinSchema(step[0] === 'map' ? step[1] : '', step);
  }

  items(): Schema | undefined {
    const kind = this.#step?.[0];
    if (kind !== 'list' && kind !== 'items') return undefined;
    return new BuiltinSchema(this.#step![1]);
  }
}

/** A field of a known kind that has nothing to merge below it. */
const unknownField: Schema = {
  mergeKeys: undefined,
  field: () => unknownField,
  items: () => unknownField,
};

/** The kinds that kustomize knows without being told. */
export const builtinSchemas: SchemaSet = {
  schemaOf(apiVersion, kind) {
    const key = `${apiVersion}/${kind}`;
    const definition = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    return definition === undefined ? undefined : new BuiltinSchema(definition);
  },
  isClusterScoped(apiVersion, kind) {
    return clusterScoped.has(`${apiVersion}/${kind}`);
  },
};

class JsonSchema implements Schema {
  readonly #schema: JsonObject;
  readonly #all: JsonObject;
  /** Whether a reference to what the document lacks means a built-in definition. */
  readonly #usesBuiltin: boolean;

  constructor(schema: JsonObject, all: JsonObject, usesBuiltin: boolean) {
    this.#schema = schema;
    this.#all = all;
    this.#usesBuiltin = usesBuiltin;
  }

  get mergeKeys(): readonly string[] | undefined {
    const strategy = this.#schema.get('x-kubernetes-patch-strategy');
    if (typeof strategy !== 'string' || !strategy.split(',').includes('merge')) return undefined;
    const keys = this.#schema.get('x-kubernetes-list-map-keys');
    if (Array.isArray(keys)) return keys.map(String);
    const key = this.#schema.get('x-kubernetes-patch-merge-key');
    return typeof key === 'string' ? [key] : [];
  }

  field(name: string): Schema | undefined {
    const properties = this.#schema.get('properties');
    const own = properties instanceof Map ? properties.get(name) : undefined;
    return this.#resolved(own ?? this.#schema.get('additionalProperties'));
  }

  items(): Schema | undefined {
    return this.#resolved(this.#schema.get('items'));
  }

  #resolved(value: JsonValue | undefined): Schema | undefined {
    let schema = value;
    // A chain of references that goes in a circle ends here, too.
    for (let steps = 0; steps < 32; steps += 1) {
      if (!(schema instanceof Map)) return undefined;
      const reference = schema.get('$ref');
      if (typeof reference !== 'string') {
        return new JsonSchema(schema, this.#all, this.#usesBuiltin);
      }
      const name = reference.replace(/^#\/definitions\//, '');
      schema = this.#all.get(name);
      if (schema === undefined && this.#usesBuiltin) return builtinDefinition(name);
    }
    return undefined;
  }
}

/** The schema that a comment beside a field holds; undefined when it holds none. */
export function schemaFromComment(comment: string): Schema | undefined {
  let json: JsonValue;
  try {
    json = parseJson(comment);
  } catch {
    return undefined;
  }
  const holder = new JsonSchema(new Map([['items', json]]), new Map(), true);
  return holder.items();
}

function builtinDefinition(name: string): Schema | undefined {
  const short = name.slice(name.lastIndexOf('.') + 1);
  return Object.hasOwn(definitions, short) ? new BuiltinSchema(short) : undefined;
}

/**
 * The schemas of an OpenAPI document that a kustomization names. They take the place of the
 * built-in ones, or are added to them; the scope of kinds that the document does not speak of is
 * known either way.
 */
function schemasFromOpenApi(document: JsonValue, usesBuiltin: boolean): SchemaSet {
  const root = document instanceof Map ? document.get('definitions') : undefined;
  if (!(root instanceof Map)) {
    return usesBuiltin ? builtinSchemas : { ...builtinSchemas, schemaOf: () => undefined };
  }
  const byKind = new Map<string, JsonObject>();
  for (const schema of root.values()) {
    if (!(schema instanceof Map)) continue;
    const list = schema.get('x-kubernetes-group-version-kind');
    if (!Array.isArray(list)) continue;
    for (const kind of list) {
      const key = kindKey(kind);
      if (key !== undefined) byKind.set(key, schema);
    }
  }
  const isNamespaced = scopesOf(document as JsonObject);
  return {
    schemaOf(apiVersion, kind) {
      const schema = byKind.get(`${apiVersion}/${kind}`);
      if (schema !== undefined) return new JsonSchema(schema, root, usesBuiltin);
      return usesBuiltin ? builtinSchemas.schemaOf(apiVersion, kind) : undefined;
    },
    isClusterScoped(apiVersion, kind) {
      if (builtinSchemas.isClusterScoped(apiVersion, kind)) return true;
      return isNamespaced.get(`${apiVersion}/${kind}`) === false;
    },
  };
}

function kindKey(value: JsonValue): string | undefined {
  if (!(value instanceof Map)) return undefined;
  const [group, version, kind] = [value.get('group'), value.get('version'), value.get('kind')];
  if (typeof version !== 'string' || typeof kind !== 'string') return undefined;
  return group === undefined || group === ''
    ? `${version}/${kind}`
    : `${String(group)}/${version}/${kind}`;
}

/** A kind with a path below a namespace is namespaced; one that has only others is not. */
function scopesOf(document: JsonObject): Map<string, boolean> {
  const scopes = new Map<string, boolean>();
  const paths = document.get('paths');
  if (!(paths instanceof Map)) return scopes;
  for (const [path, item] of paths) {
    const get = item instanceof Map ? item.get('get') : undefined;
    const kind = get instanceof Map ? get.get('x-kubernetes-group-version-kind') : undefined;
    const key = kind === undefined ? undefined : kindKey(kind);
    if (key === undefined) continue;
    if (path.includes('namespaces/{namespace}')) scopes.set(key, true);
    else if (!scopes.has(key)) scopes.set(key, false);
  }
  return scopes;
}

const builtinVersions: ReadonlySet<string> = new Set(['v1.21.2', 'v1212']);

/** The version that `openapi.version` names must be one that is built in. */
function checkOpenApiVersion(version: string): void {
  if (builtinVersions.has(version) || builtinVersions.has(`v${version}`)) return;
  throw new KustomizeError('the specified OpenAPI version is not built in');
}

/**
 * The schemas that are in force. One `openapi` field may set them for the whole build: the top
 * kustomization's, else the first that is met.
 */
export class CurrentSchemas implements SchemaSet {
  #current: SchemaSet = builtinSchemas;
  #isSet = false;

  /**
   * Takes an `openapi` field into account; `document` is the file that it names. One that a base
   * or component brings comes when the built-in schemas are in use, and adds to them.
   */
  use(version: string | undefined, document: JsonValue | undefined, isTop: boolean): void {
    if (this.#isSet) return;
    if (version !== undefined && document !== undefined) {
      throw new KustomizeError('builtin version and custom schema provided, cannot use both');
    }
    if (document !== undefined) {
      this.#current = schemasFromOpenApi(document, !isTop);
      this.#isSet = true;
    } else if (version !== undefined && version !== '') {
      checkOpenApiVersion(version);
      this.#isSet = true;
    }
  }

  schemaOf(apiVersion: string, kind: string): Schema | undefined {
    return this.#current.schemaOf(apiVersion, kind);
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    return this.#current.isClusterScoped(apiVersion, kind);
  }
}
