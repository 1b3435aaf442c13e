import { type JsonPatchValues, patchInPlace, readJsonPatch, TextError } from '@waygate/text';
import { KustomizeError } from './kustomize-error.ts';
import { jsonText } from './yaml/json-text.ts';
import type { JsonObject, JsonValue } from './yaml/json-value.ts';

/** One operation of RFC 6902. */
export type JsonPatchStep = JsonObject;

/** Maps, so that keys stay in order, and integers with all their digits. */
const mapValues: JsonPatchValues = {
  isMap: (value): value is JsonObject => value instanceof Map,
  get: (map, key) => (map as JsonObject).get(key),
  set: (map, key, value) => (map as JsonObject).set(key, value as JsonValue),
  delete: (map, key) => (map as JsonObject).delete(key),
  clone: (value) => copyOf(value as JsonValue),
  text: (value) => jsonText(value as JsonValue),
  isEqual: (left, right) => jsonText(left as JsonValue) === jsonText(right as JsonValue),
};

/** Checks that a document is a list of operations. */
export function asJsonPatch(document: JsonValue): readonly JsonPatchStep[] {
  return inOurError(() =>
    readJsonPatch(document, mapValues).map((step) => (step instanceof Map ? step : new Map())),
  );
}

/** Applies operations in order; the document is changed, and returned as its root may be new. */
export function applySteps(document: JsonValue, steps: readonly JsonPatchStep[]): JsonValue {
  const options = { maxOperations: Number.POSITIVE_INFINITY, maxDepth: 10_000 };
  const taken = steps.filter((step) => !isScalarForAll(step));
  return inOurError(() => patchInPlace(document, taken, mapValues, options) as JsonValue);
}

/** A scalar in place of the whole resource is passed over; the API server's younger library refuses it. */
function isScalarForAll(step: JsonPatchStep): boolean {
  const value = step.get('value');
  const isContainer = Array.isArray(value) || value instanceof Map;
  return step.get('op') === 'replace' && step.get('path') === '' && !isContainer;
}

function inOurError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new KustomizeError(error.message, { cause: error });
  }
}

function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copyOf(item)]));
  return value;
}
