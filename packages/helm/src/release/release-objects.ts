import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { HelmMajor } from '../engine/values-type.ts';
import { jsonShape } from '../formats/json-shape.ts';
import { readYaml } from '../formats/yaml-read.ts';
import type { GoValue } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { splitManifests } from '../render/split-manifests.ts';
import { ClusterRefusal, type ReleaseCluster } from './release-cluster.ts';

/** The object of a document, or undefined of an empty one. */
function readObject(document: string): DynamicObject | undefined {
  const value = plainJson(readYaml(document));
  if (value === null) return undefined;
  if (!isObject(value)) {
    throw new HelmError('WG_HELM_RELEASE', 'a document of the manifest is no object');
  }
  value.metadata ??= {};
  return value as DynamicObject;
}

/**
 * The objects of a manifest as they are written, Lists taken apart.
 *
 * ```ts
 * readManifest('kind: ConfigMap\nmetadata: {name: a}\n', 4).length; // 1
 * ```
 */
export function readManifest(manifest: string, helm: HelmMajor): DynamicObject[] {
  return splitManifests(manifest, helm).flatMap((document) => {
    const object = readObject(document);
    if (object === undefined) return [];
    return isList(object) ? (object.items as DynamicObject[]) : [object];
  });
}

function isList(object: DynamicObject): object is DynamicObject & { items: unknown[] } {
  return (object.kind ?? '').endsWith('List') && Array.isArray(object.items);
}

/**
 * The objects of a manifest as the API takes them: those that live in a namespace have one.
 *
 * ```ts
 * declare const cluster: ReleaseCluster;
 * await buildObjects('kind: ConfigMap', { cluster, namespace: 'shop', helm: 4 });
 * ```
 *
 * @throws HelmError `WG_HELM_RELEASE` when the API does not know a kind
 */
export async function buildObjects(
  manifest: string,
  context: {
    readonly cluster: ReleaseCluster;
    readonly namespace: string;
    readonly helm: HelmMajor;
  },
): Promise<DynamicObject[]> {
  const objects: DynamicObject[] = [];
  for (const object of readManifest(manifest, context.helm)) {
    try {
      const isNamespaced = await context.cluster.isNamespaced(object);
      const { namespace: own, ...metadata } = object.metadata ?? {};
      const namespace = isNamespaced ? own || context.namespace : undefined;
      objects.push({ ...object, metadata: { ...metadata, ...(namespace && { namespace }) } });
    } catch (cause) {
      if (!(cause instanceof ClusterRefusal) || cause.reason !== 'NoMatch') throw cause;
      throw new HelmError('WG_HELM_RELEASE', noMatch(object, cause), { cause });
    }
  }
  return objects;
}

function noMatch({ metadata, apiVersion, kind }: DynamicObject, cause: Error): string {
  if (!apiVersion || !kind) return `a document of the manifest has no kind: ${cause.message}`;
  const { name = '', namespace = '' } = metadata ?? {};
  const place = `name: ${JSON.stringify(name)} namespace: ${JSON.stringify(namespace)} from ""`;
  const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
  return `resource mapping not found for ${place}: ${why}\nensure CRDs are installed first`;
}

/** By kind, namespace and name: what makes two objects of two manifests the same one. */
export function objectKey({ apiVersion, kind, metadata }: DynamicObject): string {
  const group = apiVersion?.includes('/') === true ? apiVersion.split('/')[0] : '';
  return `${group}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** `ConfigMap "web" in namespace "shop"`. */
export function describeObject({ kind, metadata }: DynamicObject): string {
  return `${kind} ${JSON.stringify(metadata.name)} in namespace ${JSON.stringify(metadata.namespace ?? '')}`;
}

/** Plain JSON of a template's value. */
export function plainJson(value: GoValue): unknown {
  const shape = jsonShape(value);
  switch (shape.kind) {
    case 'leaf':
      return typeof shape.value === 'bigint' ? Number(shape.value) : shape.value;
    case 'items':
      return shape.items.map(plainJson);
    case 'fields':
      return Object.fromEntries(shape.fields.map(([key, each]) => [key, plainJson(each)]));
  }
}
