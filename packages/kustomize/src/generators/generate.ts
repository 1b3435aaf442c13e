import { isUtf8 } from 'node:buffer';
import { compareUtf8, newMap, newString, noContent, YamlNode } from '@waygate/text';
import type { GeneratorArgs, GeneratorOptions } from '../config/kustomization.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { Loader } from '../loader.ts';
import { type Behavior, Resource } from '../resource.ts';
import type { SchemaSet } from '../schema-facts.ts';
import { loadKeyValues } from './key-values.ts';

/** Makes the ConfigMap that an entry of `configMapGenerator` describes. */
export function generateConfigMap(
  loader: Loader,
  args: GeneratorArgs,
  schemas: SchemaSet,
): Resource {
  const node = baseNode('ConfigMap', args);
  const values = loadKeyValues(loader, args);
  const data = newMap();
  const binaryData = newMap();
  for (const key of keysOf(values)) {
    const bytes = values.get(key)!;
    if (isUtf8(bytes)) data.set(key, newString(Buffer.from(bytes).toString('utf8')));
    else binaryData.set(key, newString(base64(bytes)));
  }
  if (data.content.length > 0) node.set('data', data);
  if (binaryData.content.length > 0) node.set('binaryData', binaryData);
  return finish(node, args, schemas);
}

/** Makes the Secret that an entry of `secretGenerator` describes. */
export function generateSecret(loader: Loader, args: GeneratorArgs, schemas: SchemaSet): Resource {
  const node = baseNode('Secret', args);
  node.set('type', newString(args.type || 'Opaque'));
  const values = loadKeyValues(loader, args);
  const data = newMap();
  for (const key of keysOf(values)) data.set(key, newString(base64(values.get(key)!)));
  node.set('data', data);
  return finish(node, args, schemas);
}

/** In order. A line of a file that names nothing sets nothing. */
function keysOf(values: ReadonlyMap<string, Uint8Array>): string[] {
  return [...values.keys()].filter((key) => key !== '').sort(compareUtf8);
}

function baseNode(kind: string, args: GeneratorArgs): YamlNode {
  if (args.name === undefined || args.name === '') {
    throw new KustomizeError('a configmap must have a name');
  }
  const metadata = newMap();
  metadata.set('name', newString(args.name));
  if (args.namespace !== undefined && args.namespace !== '') {
    metadata.set('namespace', newString(args.namespace));
  }
  const node = newMap();
  node.set('apiVersion', newString('v1'));
  node.set('kind', newString(kind));
  node.set('metadata', metadata);
  return node;
}

function finish(node: YamlNode, args: GeneratorArgs, schemas: SchemaSet): Resource {
  const { options } = args;
  const resource = new Resource(node, schemas);
  if (options?.labels !== undefined) resource.setLabels(options.labels);
  if (options?.annotations !== undefined) resource.setAnnotations(options.annotations);
  if (options?.immutable === true) {
    node.set('immutable', new YamlNode('scalar', '!!bool', 'true', noContent));
  }
  resource.needsHash = options?.disableNameSuffixHash !== true;
  resource.behavior = behaviorOf(args.behavior);
  return resource;
}

function behaviorOf(text: string | undefined): Behavior {
  return text === 'replace' || text === 'merge' || text === 'create' ? text : 'unspecified';
}

const line = 70;

/** Base64 in lines of 70 characters, once it is that long. */
function base64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64');
  if (text.length < line) return text;
  return text.replace(/.{1,70}/g, '$&\n');
}

/** What `generatorOptions` says holds where an entry says nothing itself. */
export function mergeGeneratorOptions(
  local: GeneratorOptions | undefined,
  global: GeneratorOptions | undefined,
): GeneratorOptions | undefined {
  if (global === undefined) return local;
  return {
    labels: new Map([...(global.labels ?? []), ...(local?.labels ?? [])]),
    annotations: new Map([...(global.annotations ?? []), ...(local?.annotations ?? [])]),
    disableNameSuffixHash:
      local?.disableNameSuffixHash === true || global.disableNameSuffixHash === true,
    immutable: local?.immutable === true || global.immutable === true,
  };
}
