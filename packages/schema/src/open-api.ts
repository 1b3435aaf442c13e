import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SchemaError } from './error.ts';
import { apiVersionOf, type GroupVersionKind } from './group-version.ts';
import { type OpenApiSchema, SchemaNode } from './schema-node.ts';
import type { PatchField, PatchSchema } from './strategic-merge-patch.ts';

/** A document as the API serves it. Shared: readers must not change it. */
export type OpenApiDocument = { readonly [field: string]: unknown };

type Definitions = Readonly<Record<string, OpenApiSchema>>;

const definitions = lazily(() => load<Definitions>('definitions.json.gz'));
const documentV2 = lazily(() => load<OpenApiDocument>('openapi-v2.json.gz'));
const documentsV3 = lazily(() =>
  load<Readonly<Record<string, OpenApiDocument>>>('openapi-v3.json.gz'),
);
const namesByKind = lazily(indexByKind);
const nodes = new Map<string, SchemaNode>();

/**
 * The schema of a built-in kind, with merge keys, list types and defaults at every field.
 *
 * ```ts
 * schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })
 *   ?.at(['spec', 'template', 'spec', 'containers'])?.patchMergeKey; // 'name'
 * ```
 */
export function schemaOf(gvk: GroupVersionKind): SchemaNode | undefined {
  const name = namesByKind().get(`${apiVersionOf(gvk.group, gvk.version)}:${gvk.kind}`);
  return name === undefined ? undefined : schemaNamed(name);
}

/**
 * The schema of a definition by its name, such as `io.k8s.api.core.v1.PodSpec`.
 *
 * ```ts
 * schemaNamed('io.k8s.api.core.v1.PodSpec')?.field('containers')?.patchMergeKey; // 'name'
 * ```
 */
export function schemaNamed(name: string): SchemaNode | undefined {
  const known = nodes.get(name);
  if (known !== undefined) return known;
  if (!Object.hasOwn(definitions(), name)) return undefined;
  const node = new SchemaNode({ $ref: `#/components/schemas/${name}` }, resolve);
  nodes.set(name, node);
  return node;
}

/**
 * The schema of one field of a built-in kind; for a list, any segment stands for its items.
 *
 * ```ts
 * fieldSchema({ group: '', version: 'v1', kind: 'Service' }, ['spec', 'ports', 0, 'port'])?.type; // 'integer'
 * ```
 */
export function fieldSchema(
  gvk: GroupVersionKind,
  path: readonly (string | number)[],
): SchemaNode | undefined {
  return schemaOf(gvk)?.at(path);
}

/**
 * The name of the definition of a built-in kind.
 *
 * ```ts
 * definitionNameOf({ group: 'apps', version: 'v1', kind: 'Deployment' }); // 'io.k8s.api.apps.v1.Deployment'
 * ```
 */
export function definitionNameOf(gvk: GroupVersionKind): string | undefined {
  return namesByKind().get(`${apiVersionOf(gvk.group, gvk.version)}:${gvk.kind}`);
}

/**
 * What a strategic merge patch has to know of a built-in kind.
 *
 * ```ts
 * const schema = patchSchemaOf({ group: '', version: 'v1', kind: 'Pod' });
 * const containers = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } });
 * applyStrategicMergePatch(containers('web:1'), containers('web:2'), schema); // { spec: { containers: [{ name: 'web', image: 'web:2' }] } }
 * ```
 */
export function patchSchemaOf(gvk: GroupVersionKind): PatchSchema | undefined {
  const node = schemaOf(gvk);
  return node === undefined ? undefined : patchSchemaOfNode(node);
}

/**
 * What a strategic merge patch has to know of the objects at a node.
 *
 * ```ts
 * const items = { type: 'object', properties: { name: { type: 'string' } } };
 * const list = { type: 'array', items, 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'name' };
 * const schema = patchSchemaOfNode(new SchemaNode({ type: 'object', properties: { hosts: list } }));
 * applyStrategicMergePatch({ hosts: [{ name: 'a' }] }, { hosts: [{ name: 'b' }] }, schema); // { hosts: [{ name: 'b' }, { name: 'a' }] }
 * ```
 */
export function patchSchemaOfNode(node: SchemaNode): PatchSchema {
  return {
    field(name: string): PatchField | undefined {
      const field = node.field(name);
      if (field === undefined) return undefined;
      const inner = field.type === 'array' ? field.items : field;
      return {
        strategies: field.patchStrategies,
        mergeKey: field.patchMergeKey,
        schema: inner === undefined ? undefined : patchSchemaOfNode(inner),
      };
    },
  };
}

/**
 * The OpenAPI v2 document of Kubernetes 1.36, as `/openapi/v2` serves it, without prose.
 *
 * ```ts
 * openApiV2().swagger; // '2.0'
 * ```
 */
export function openApiV2(): OpenApiDocument {
  return documentV2();
}

/**
 * The paths that have an OpenAPI v3 document: `api/v1`, `apis/apps/v1`, …
 *
 * ```ts
 * openApiV3Paths().includes('api/v1'); // true
 * ```
 */
export function openApiV3Paths(): string[] {
  return Object.keys(documentsV3());
}

/**
 * The OpenAPI v3 document of a path, as `/openapi/v3/<path>` serves it, without prose.
 *
 * ```ts
 * openApiV3('apis/apps/v1') !== undefined; // true
 * ```
 */
export function openApiV3(path: string): OpenApiDocument | undefined {
  return Object.hasOwn(documentsV3(), path) ? documentsV3()[path] : undefined;
}

function resolve(name: string): OpenApiSchema | undefined {
  return Object.hasOwn(definitions(), name) ? definitions()[name] : undefined;
}

function indexByKind(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions())) {
    const kinds = schema['x-kubernetes-group-version-kind'];
    if (!Array.isArray(kinds)) continue;
    for (const { group, version, kind } of kinds as GroupVersionKind[]) {
      names.set(`${apiVersionOf(group, version)}:${kind}`, name);
    }
  }
  return names;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The data stands beside `src` and `dist` alike, so one relative address serves both. */
function load<T>(name: string): T {
  const url = new URL(`../data/${name}`, import.meta.url);
  try {
    return JSON.parse(gunzipSync(readFileSync(url)).toString('utf8')) as T;
  } catch (error) {
    throw new SchemaError('WG_SCHEMA_FACTS', `the facts on Kubernetes cannot be read: ${url}`, {
      cause: error,
    });
  }
}
