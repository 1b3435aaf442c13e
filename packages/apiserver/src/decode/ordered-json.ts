import { encodeJson, isObject } from '@waygate/text';

/**
 * JSON as the API quotes a patched document: the keys of the outermost object, and of every
 * object that a merge patch went into, are sorted; the rest keeps its order.
 */
export function stringifyOrdered(value: Record<string, unknown>, patch?: unknown): string {
  return encodeJson(ordered(value, patch));
}

function ordered(value: Record<string, unknown>, patch: unknown): Record<string, unknown> {
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    const below = isObject(patch) ? patch[key] : undefined;
    sorted[key] = isObject(item) && isObject(below) ? ordered(item, below) : item;
  }
  return sorted;
}
