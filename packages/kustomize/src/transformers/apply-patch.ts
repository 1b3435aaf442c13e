import { newMap, parseLegacyYamlNode, YamlError, type YamlNode } from '@waygate/text';
import { mayTakeNotes, withNotes } from '../build-notes.ts';
import { applySteps, asJsonPatch, type JsonPatchStep } from '../json-patch.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import type { Resource } from '../resource.ts';
import type { SchemaSet } from '../schema-facts.ts';
import { strategicMerge } from '../strategic-merge.ts';
import { parseJson } from '../yaml/json-parse.ts';
import { fromJson, type JsonValue, toJson, toLegacyJson } from '../yaml/json-value.ts';

/** Merges a patch into a resource; kind, name and namespace stay unless the patch may change them. */
export function applyStrategicMerge(resource: Resource, patch: Resource): void {
  const { name, namespace, kind } = resource;
  if (patch.allowsNameChange || patch.allowsKindChange) resource.storePreviousId();
  let merged: YamlNode | undefined;
  const merge = (): void => {
    merged = strategicMerge(resource.node, patch.node.copy(), {
      schemas: resource.schemas,
      newItems: 'prepend',
      infersLists: false,
    });
  };
  if (mayTakeNotes(patch.node)) withNotes(resource, false, merge);
  else merge();
  if (merged === undefined) {
    resource.node = newMap();
    return;
  }
  // The merge works in place; a patch that asks to replace all of a resource changes nothing.
  if (resource.isEmpty) return;
  if (!patch.allowsKindChange) resource.setKind(kind);
  if (!patch.allowsNameChange) resource.setName(name);
  resource.setNamespace(namespace);
}

/**
 * Applies RFC 6902 operations to a resource. Of what the build has noted only where the resource
 * came from is lost to an operation on all annotations.
 */
export function applyJson6902(resource: Resource, operations: readonly JsonPatchStep[]): void {
  if (!operations.some(isOnAnnotations)) applyOperations(resource, operations);
  else withNotes(resource, true, () => applyOperations(resource, operations));
}

/** Whether an operation is on all annotations of a resource at once. */
function isOnAnnotations(operation: JsonPatchStep): boolean {
  return ['path', 'from'].some((field) => {
    const pointer = operation.get(field);
    return pointer === '' || pointer === '/metadata' || pointer === '/metadata/annotations';
  });
}

function applyOperations(resource: Resource, operations: readonly JsonPatchStep[]): void {
  // What the build notes stands in annotations in the original, so a patch may count on them.
  if (resource.hasBuildNotes) {
    const metadata = resource.metadata();
    if (metadata.get('annotations')?.kind !== 'map') metadata.set('annotations', newMap());
  }
  const result = applySteps(toJson(resource.node), operations);
  if (!(result instanceof Map)) {
    throw new KustomizeError(
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
  }
  if (result.size > 0) {
    const { file, line } = resource.node;
    const patched = fromJson(withFloats(result));
    patched.file = file;
    patched.line = line;
    resource.node = patched;
  }
  resource.setAnnotations(resource.annotations());
}

/**
 * The original's JSON has no other numbers than floats, which write themselves as `1e+06` from a
 * million on: seen where their text is copied, and large integers lose digits.
 */
function withFloats(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Math.abs(number) < 1e6 ? value : number;
  }
  if (Array.isArray(value)) return value.map(withFloats);
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [key, withFloats(item)]));
  }
  return value;
}

/** Reads a patch of either sort; fails when the text is neither, or could be both. */
export function readPatch(
  text: string,
  source: string,
  schemas: SchemaSet,
  file?: string,
): { merges: Resource[] } | { operations: readonly JsonPatchStep[] } {
  const merges = attempt(() => readResources(text, schemas, file));
  const operations = attempt(() => readJsonPatch(text));
  if (merges !== undefined && operations !== undefined) {
    throw new KustomizeError(`illegally qualifies as both an SM and JSON patch: ${source}`);
  }
  if (merges !== undefined) return { merges };
  if (operations !== undefined) return { operations };
  throw new KustomizeError(`unable to parse SM or JSON patch from ${source}`);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What the original reads operations from: JSON, which it makes of YAML. */
export function jsonPatchText(text: string): string {
  if (text === '' || text.startsWith('[')) return text;
  const node = attempt(() => parseLegacyYamlNode(text));
  return node?.kind === 'scalar' ? JSON.stringify(node.value) : text;
}

/** Reads operations from JSON, or from YAML of the older kind. */
export function readJsonPatch(text: string): readonly JsonPatchStep[] {
  if (text === '') throw new KustomizeError('empty json patch operations');
  if (text.startsWith('[')) return asJsonPatch(parseJson(text));
  try {
    const node = parseLegacyYamlNode(text);
    const json = node === undefined ? null : toLegacyJson(node);
    demandFinite(json);
    return asJsonPatch(json);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KustomizeError(error.legacyMessage, { cause: error });
  }
}

function demandFinite(value: JsonValue): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new KustomizeError('json: unsupported value: a number that is not finite');
  }
  if (Array.isArray(value)) value.forEach(demandFinite);
  else if (value instanceof Map) for (const item of value.values()) demandFinite(item);
}
