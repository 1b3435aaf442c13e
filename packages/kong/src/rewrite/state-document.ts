import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { parseDeckYaml } from '../file/parse-yaml.ts';
import { KongError } from '../kong-error.ts';

/** A part of a declarative file that is being rewritten. */
export interface StateObject {
  [field: string]: StateValue | undefined;
}

/** Any value of a declarative file that is being rewritten. */
export type StateValue = null | boolean | number | string | StateValue[] | StateObject;

/**
 * Reads a declarative file to rewrite it: any object, in YAML or JSON. Templates of the environment
 * stay as they stand.
 *
 * ```ts
 * readStateDocument('services: [{name: shop}]', 'kong.yaml').services; // [{ name: 'shop' }]
 * ```
 */
export function readStateDocument(text: string, file: string): StateObject {
  const parsed = parseDeckYaml(text);
  if (!parsed.isValid) throw new KongError('WG_KONG_FILE', `${file}: ${parsed.message}`);
  if (!isStateObject(parsed.value)) {
    throw new KongError('WG_KONG_FILE', `${file}: expected the data to be an Object`);
  }
  return parsed.value;
}

/** A copy that may be changed. */
export function copyState<T extends StateValue>(value: T | JsonObject | JsonValue): T {
  return structuredClone(value) as T;
}

export function isStateObject(value: unknown): value is StateObject {
  return isObject(value);
}

/** A list of objects at a field; what is in it of another kind is passed over. */
export function objectsOf(owner: StateObject, field: string, place: string): StateObject[] {
  const value = owner[field] ?? [];
  if (!Array.isArray(value))
    throw new KongError('WG_KONG_FILE', `${place}.${field} is not an array`);
  return value.filter(isStateObject);
}

/** A list of texts at a field; undefined where the field is not there. */
export function textsOf(owner: StateObject, field: string, place: string): string[] | undefined {
  const value = owner[field] ?? undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string')) {
    throw new KongError('WG_KONG_FILE', `${place}.${field} is not a string-array`);
  }
  return value as string[];
}
