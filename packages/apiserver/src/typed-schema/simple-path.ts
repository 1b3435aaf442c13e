import { isObject } from '@waygate/text';

/** Reads a field by its names; undefined when any of the way is missing. */
export function getPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** Sets a field by its names, making the objects on the way. */
export function setPath(target: object, path: readonly string[], value: unknown): void {
  let current = target as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    if (!isObject(current[name])) current[name] = {};
    current = current[name] as Record<string, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined && last !== '__proto__') current[last] = value;
}
