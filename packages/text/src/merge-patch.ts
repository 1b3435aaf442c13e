import { cloneJson, equalJson, getOwn, isObject, setOwn } from './json.ts';
import { checkPatchDepth } from './patch-depth.ts';

/**
 * Applies a JSON merge patch (RFC 7386). Neither argument is changed.
 *
 * ```ts
 * applyMergePatch({ a: 1, b: 2 }, { a: null, c: 3 }); // { b: 2, c: 3 }
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH` when the patch nests deeper than {@link maxPatchDepth}
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  checkPatchDepth(patch);
  return merge(target, patch);
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return cloneJson(patch);
  const result: Record<string, unknown> = {};
  if (isObject(target)) {
    for (const key of Object.keys(target)) setOwn(result, key, target[key]);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else if (value !== undefined) {
      setOwn(result, key, merge(getOwn(result, key), value));
    }
  }
  return result;
}

/**
 * The smallest merge patch that turns `original` into `modified`; undefined when they are equal.
 * A value that is null in `modified` cannot be told in a merge patch: it becomes absent.
 *
 * ```ts
 * createMergePatch({ a: 1, b: 2 }, { b: 2, c: 3 }); // { a: null, c: 3 }
 * ```
 */
export function createMergePatch(original: unknown, modified: unknown): unknown {
  if (!isObject(original) || !isObject(modified)) {
    return equalJson(original, modified) ? undefined : cloneJson(modified);
  }
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(original)) {
    if (original[key] !== undefined && getOwn(modified, key) === undefined)
      setOwn(patch, key, null);
  }
  for (const key of Object.keys(modified)) {
    const value = modified[key];
    if (value === undefined) continue;
    const before = getOwn(original, key);
    if (before === undefined) setOwn(patch, key, cloneJson(value));
    else {
      const difference = createMergePatch(before, value);
      if (difference !== undefined) setOwn(patch, key, difference);
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
