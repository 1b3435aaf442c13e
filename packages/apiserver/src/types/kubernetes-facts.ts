import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type OpenApiSchema, OpenApiTypes } from './openapi-types.ts';
import type { TypeNode } from './type-node.ts';

export interface OpenApiOperation {
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string };
  readonly parameters?: readonly unknown[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

/** What is known of Kubernetes as data: read once, shared by all servers of the process. */
export interface KubernetesFacts {
  /** OpenAPI v3 documents by API path, as in `apis/apps/v1`. */
  readonly documents: Readonly<Record<string, OpenApiDocument>>;
  readonly types: OpenApiTypes;
  /** The name of the definition of a kind. */
  definitionName(group: string, version: string, kind: string): string | undefined;
  /** The type of the objects of a kind. */
  kindType(group: string, version: string, kind: string): TypeNode | undefined;
}

let shared: KubernetesFacts | undefined;

export function kubernetesFacts(): KubernetesFacts {
  shared ??= loadFacts();
  return shared;
}

export function readFactFile(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../../data/${name}`, import.meta.url)));
}

function loadFacts(): KubernetesFacts {
  const documents = JSON.parse(
    readFactFile('kubernetes-openapi-v3.json.gz').toString('utf8'),
  ) as Record<string, OpenApiDocument>;
  const schemas = new Map<string, OpenApiSchema>();
  const names = new Map<string, string>();
  for (const document of Object.values(documents)) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      schemas.set(name, schema);
      const kinds = schema['x-kubernetes-group-version-kind'];
      // A definition with several kinds is one of the shared ones, such as DeleteOptions.
      if (kinds === undefined) continue;
      for (const { group, version, kind } of kinds) {
        names.set(`${group}/${version}/${kind}`, name);
      }
    }
  }
  const types = new OpenApiTypes(schemas);
  const definitionName = (group: string, version: string, kind: string) =>
    names.get(`${group}/${version}/${kind}`);
  return {
    documents,
    types,
    definitionName,
    kindType(group, version, kind) {
      const name = definitionName(group, version, kind);
      return name === undefined ? undefined : types.definition(name);
    },
  };
}
