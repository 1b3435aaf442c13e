import { openApiV2, openApiV3 } from '@waygate/schema';
import { encodeJson } from '@waygate/text';
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
    result.properties = mapped(schema.properties as Json, visit);
  }
  if (typeof schema.items === 'object') result.items = visit(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    result.additionalProperties = visit(schema.additionalProperties);
  }
  if (schema['x-kubernetes-int-or-string'] === true && reference === referenceV3) {
    result.anyOf ??= [{ type: 'integer' }, { type: 'string' }];
  }
  const hasNothingToSay = reference === referenceV2 && isOpenInV2(schema);
  if (schema['x-kubernetes-embedded-resource'] !== true || hasNothingToSay) return result;
  result.properties = {
    ...(result.properties as Json | undefined),
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: reference(`${metaPackage}.ObjectMeta`),
  };
  result.required = [...new Set([...((schema.required ?? []) as string[]), 'kind', 'apiVersion'])];
  return result;
}

/** Where any field is kept, v2 says nothing of what is below: programs that check by it would refuse the rest. */
export function schemasV2(resource: Resource): Json {
  const name = definitionName(resource);
  const { [name]: own, ...list } = schemasOf(resource, referenceV2, referenceV2(name)) as {
    [name: string]: Json;
  };
  const { [preserved]: keepsAll, 'x-kubernetes-group-version-kind': kinds } = own ?? {};
  const isOpen = keepsAll === true;
  const definition = isOpen
    ? { type: 'object', 'x-kubernetes-group-version-kind': kinds }
    : inWordsOfV2(own ?? {});
  return { ...list, [name]: definition };
}

const preserved = 'x-kubernetes-preserve-unknown-fields';
/** What v2 has no word for, or what kubectl would take for more than it is. */
const wordsOfV3 = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);
/** What v2 would hold against a null, or against a field that is kept without being named. */
const closingWords = new Set(['type', 'items', 'properties']);

function isOpenInV2(schema: Json): boolean {
  return schema.nullable === true || schema[preserved] === true;
}

/** A schema as far as v2 can say it, as a real server does. */
function inWordsOfV2(schema: Json): Json {
  const isOpen = isOpenInV2(schema);
  const result: Json = {};
  for (const [word, value] of Object.entries(schema)) {
    if (wordsOfV3.has(word) || (isOpen && closingWords.has(word))) continue;
    result[word] = word === 'properties' ? mapped(value as Json, inWordsOfV2) : value;
    if ((word === 'items' || word === 'additionalProperties') && typeof value === 'object')
      result[word] = inWordsOfV2(value as Json);
  }
  return result;
}

function mapped(properties: Json, change: (schema: Json) => Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, change(value as Json)]),
  );
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
  const text = encodeJson(value);
  return [...text.matchAll(/"#\/components\/schemas\/([^"]{1,200})"/g)].map(
    (found) => found[1] as string,
  );
}
