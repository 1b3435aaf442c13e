import type { DynamicObject } from '@waygate/schema';
import { cloneJson } from '@waygate/text';
import { differsAt, type IgnoreRule, ignoredPaths, setAt, valueAt } from './ignore-rule.ts';

/** Where a rule lets others write a field, what is live is what we ask for. */
export function withLiveValues(
  object: DynamicObject,
  existing: DynamicObject,
  rules: readonly IgnoreRule[],
): DynamicObject {
  if (rules.length === 0) return object;
  const paths = ignoredPaths(object, rules).filter(
    (path) => valueAt(existing, path) !== undefined && differsAt(object, existing, path),
  );
  if (paths.length === 0) return object;
  const copy = cloneJson(object);
  for (const path of paths) setAt(copy, path, cloneJson(valueAt(existing, path)));
  return copy;
}
