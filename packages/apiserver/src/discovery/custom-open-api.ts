import type { OpenApiDocument } from '@waygate/schema';
import type { Registry } from '../resources/registry.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';

type Json = Record<string, unknown>;

/** The name of a custom kind's definition: the group's labels turned round. */
function definitionName(resource: Resource): string {
  return `${resource.group.split('.').reverse().join('.')}.${resource.version}.${resource.kind}`;
}

function schemaOf(resource: Resource, metaRef: string): Json {
  const own = (resource.openApiSchema ?? { type: 'object' }) as Json;
  const properties = (own.properties ?? {}) as Json;
  return {
    ...own,
    type: 'object',
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metaRef.includes('components') ? { allOf: [{ $ref: metaRef }] } : { $ref: metaRef },
    },
    'x-kubernetes-group-version-kind': [
      { group: resource.group, kind: resource.kind, version: resource.version },
    ],
  };
}

const methods: readonly (readonly [method: string, action: string, verb: string])[] = [
  ['get', 'get', 'get'],
  ['put', 'put', 'update'],
  ['patch', 'patch', 'patch'],
  ['delete', 'delete', 'delete'],
];

function pathsOf(resource: Resource): Json {
  const kind = { group: resource.group, kind: resource.kind, version: resource.version };
  const base = `/apis/${apiVersionText(resource)}`;
  const list = `${base}/${resource.isNamespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
  const operation = (action: string) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
    parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
      in: 'query',
      name,
      schema: { type: 'string', uniqueItems: true },
    })),
    responses: { 200: { description: 'OK' } },
  });
  const item = Object.fromEntries(methods.map(([method, action]) => [method, operation(action)]));
  const paths: Json = {
    [list]: {
      get: operation('list'),
      post: operation('post'),
      delete: operation('deletecollection'),
    },
    [`${list}/{name}`]: item,
  };
  if (resource.isNamespaced) paths[`${base}/${resource.plural}`] = { get: operation('list') };
  for (const name of resource.subresources.keys()) {
    paths[`${list}/{name}/${name}`] = {
      get: operation('get'),
      put: operation('put'),
      patch: operation('patch'),
    };
  }
  return paths;
}

/** The v3 document of one version of a custom group. */
export function customDocumentV3(resources: readonly Resource[]): unknown {
  const schemas: Json = {};
  const paths: Json = {};
  for (const resource of resources) {
    schemas[definitionName(resource)] = schemaOf(
      resource,
      '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    );
    Object.assign(paths, pathsOf(resource));
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas },
  };
}

/** The v2 document of everything. */
export function customDocumentV2(base: OpenApiDocument, registry: Registry): unknown {
  const custom = [...registry.all()].filter((resource) => resource.isCustom);
  if (custom.length === 0) return base;
  const definitions: Json = { ...(base.definitions as Json) };
  const paths: Json = { ...(base.paths as Json) };
  for (const resource of custom) {
    definitions[definitionName(resource)] = schemaOf(
      resource,
      '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    );
    Object.assign(paths, pathsOf(resource));
  }
  return { ...base, definitions, paths };
}
