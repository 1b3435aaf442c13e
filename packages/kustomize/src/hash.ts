import { createHash } from 'node:crypto';
import type { Resource } from './resource.ts';
import type { ResourceList } from './resource-list.ts';
import { jsonText } from './yaml/json-text.ts';
import { type JsonObject, type JsonValue, toJson } from './yaml/json-value.ts';

/** Appends to names the hash of what the resource holds, where that was asked for. */
export function addHashes(resources: ResourceList): void {
  let isChanged = false;
  for (const resource of resources) {
    if (!resource.needsHash) continue;
    const hash = hashOf(resource);
    resource.storePreviousId();
    resource.setName(`${resource.name}-${hash}`);
    isChanged = true;
  }
  if (isChanged) resources.reindex();
}

/** The ten characters that name the content; letters are chosen so that no words appear. */
function hashOf(resource: Resource): string {
  const digest = createHash('sha256').update(hashedText(resource)).digest('hex');
  return digest.slice(0, 10).replace(/[013ae]/g, (character) => replaced[character]!);
}

const replaced: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

function hashedText(resource: Resource): string {
  switch (resource.kind) {
    case 'ConfigMap':
      return jsonText(hashedFields(resource, 'ConfigMap', [], ['binaryData']));
    case 'Secret':
      return jsonText(hashedFields(resource, 'Secret', ['type'], ['stringData']));
    default:
      return jsonText(toJson(resource.node));
  }
}

/** The name never counts, so that equal content gives equal hashes. */
function hashedFields(
  resource: Resource,
  kind: string,
  always: readonly string[],
  whenThere: readonly string[],
): JsonObject {
  const fields: JsonObject = new Map<string, JsonValue>([
    ['kind', kind],
    ['name', ''],
    ['data', fieldOf(resource, 'data')],
  ]);
  for (const field of always) fields.set(field, fieldOf(resource, field));
  for (const field of whenThere) {
    const value = fieldOf(resource, field);
    if (value instanceof Map) fields.set(field, value);
  }
  return fields;
}

function fieldOf(resource: Resource, field: string): JsonValue {
  const node = resource.node.get(field);
  if (node === undefined) return '';
  return node.kind === 'scalar' ? node.value : toJson(node);
}
