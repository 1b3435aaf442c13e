import type { OpenApiDocument } from '@waygate/schema';
import type { Registry } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { customPaths, customPathsV2 } from './custom-paths.ts';
import { schemasV2, schemasV3 } from './custom-schemas.ts';

type Json = Record<string, unknown>;

/** The v3 document of one version of a custom group. */
export function customDocumentV3(resources: readonly Resource[]): unknown {
  const paths: Json = {};
  for (const resource of resources) Object.assign(paths, customPaths(resource));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas: schemasV3(resources) },
  };
}

/** The v2 document of everything. */
export function customDocumentV2(base: OpenApiDocument, registry: Registry): unknown {
  const custom = [...registry.all()].filter((resource) => resource.isCustom);
  if (custom.length === 0) return base;
  const definitions: Json = { ...(base.definitions as Json) };
  const paths: Json = { ...(base.paths as Json) };
  for (const resource of custom) {
    Object.assign(definitions, schemasV2(resource));
    Object.assign(paths, customPathsV2(resource));
  }
  return { ...base, definitions, paths };
}
