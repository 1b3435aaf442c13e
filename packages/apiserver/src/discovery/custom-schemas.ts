import { openApiV2, openApiV3 } from '@waygate/schema';
import type { Resource } from '../resources/resource.ts';

type Json = Record<string, unknown>;

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The name of a custom kind's definition: the group's labels turned round. */
export function definitionName(resource: Resource): string {
  return `${resource.group.split('.').reverse().join('.')}.${resource.version}.${resource.kind}`;
}

/** How a document of either version points to a definition: v3 wraps it, to leave room for a default. */
type Reference = (name: string) => Json;

const referenceV3: Reference = (name) => ({
  allOf: [{ $ref: `#/components/schemas/${name}` }],
});
const referenceV2: Reference = (name) => ({ $ref: `#/definitions/${name}` });

/** The definitions of a custom kind and of its list. */
function schemasOf(resource: Resource, reference: Reference, itemReference: Json): Json {
  const { group, kind, version } = resource;
  const own = withImplied((resource.openApiSchema ?? { type: 'object' }) as Json, reference);
  const name = definitionName(resource);
  return {
    [name]: {
      ...own,
      type: 'object',
      properties: {
        ...((own.properties ?? {}) as Json),
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: reference(`${metaPackage}.ObjectMeta`),
      },
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [`${name}List`]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: itemReference },
        kind: { type: 'string' },
        metadata: reference(`${metaPackage}.ListMeta`),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: resource.listKind, version }],
    },
  };
}

/** A schema with what embedded resources always have, and with the types of those that have two. */
function withImplied(schema: Json, reference: Reference): Json {
  const result: Json = { ...schema };
  const visit = (value: unknown) => withImplied(value as Json, reference);
  if (typeof schema.properties === 'object') {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties as Json).map(([name, value]) => [name, visit(value)]),
    );
  }
  if (typeof schema.items === 'object') result.items = visit(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    result.additionalProperties = visit(schema.additionalProperties);
  }
  if (schema['x-kubernetes-int-or-string'] === true && reference === referenceV3) {
    result.anyOf ??= [{ type: 'integer' }, { type: 'string' }];
  }
  if (schema['x-kubernetes-embedded-resource'] !== true) return result;
  result.properties = {
    ...(result.properties as Json | undefined),
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: reference(`${metaPackage}.ObjectMeta`),
  };
  result.required = [...new Set([...((schema.required ?? []) as string[]), 'kind', 'apiVersion'])];
  return result;
}

export function schemasV2(resource: Resource): Json {
  return schemasOf(resource, referenceV2, referenceV2(definitionName(resource)));
}

/** With all that they and the paths refer to. */
export function schemasV3(resources: readonly Resource[]): Json {
  const schemas: Json = {};
  for (const resource of resources) {
    const item = { $ref: `#/components/schemas/${definitionName(resource)}` };
    Object.assign(schemas, schemasOf(resource, referenceV3, item));
  }
  const shared = sharedSchemas();
  const add = (name: string) => {
    if (schemas[name] !== undefined || shared[name] === undefined) return;
    schemas[name] = withAllKinds(name, shared[name] as Json);
    for (const reference of referencesIn(shared[name])) add(reference);
  };
  for (const name of ['DeleteOptions', 'ListMeta', 'ObjectMeta', 'Patch', 'Status'])
    add(`${metaPackage}.${name}`);
  if (resources.some((resource) => resource.subresources.has('scale')))
    add('io.k8s.api.autoscaling.v1.Scale');
  return schemas;
}

/** A version with few kinds, and all that custom ones share. */
function sharedSchemas(): Json {
  const document = openApiV3('apis/autoscaling/v1') as Json | undefined;
  const components = (document?.components ?? {}) as Json;
  const apps = ((openApiV3('apis/apps/v1') as Json | undefined)?.components ?? {}) as Json;
  return { ...(apps.schemas as Json), ...(components.schemas as Json) };
}

/** Documents of built-in groups name their own group only; those of custom ones nearly all. */
function withAllKinds(name: string, schema: Json): Json {
  const field = 'x-kubernetes-group-version-kind';
  if (schema[field] === undefined) return schema;
  const definition = (openApiV2().definitions as Record<string, Json>)[name];
  const kinds = (definition?.[field] ?? []) as { group: string }[];
  return { ...schema, [field]: kinds.filter(({ group }) => !ofOtherServers.has(group)) };
}

/** Groups that are put together with the rest only in the document of everything. */
const ofOtherServers = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);

function referencesIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [...text.matchAll(/"#\/components\/schemas\/([^"]{1,200})"/g)].map(
    (found) => found[1] as string,
  );
}
