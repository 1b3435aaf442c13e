import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';
import { deriveFields } from '../schema/derived-field.ts';
import type { EntitySchema, FieldSchema, FieldTable } from '../schema/field-schema.ts';
import { fillFields } from '../schema/fill-defaults.ts';
import { normalizeTarget } from '../schema/host-name.ts';
import { expandServiceUrl, expandShorthands } from '../schema/shorthand.ts';
import { comparableSchema } from '../schema/validate-entity.ts';
import { referenceId } from '../store/entity-collection.ts';
import { hashedField, isSameSecret } from './hashed-secret.ts';

/** What decides whether two entities are the same beside their fields. */
export interface EqualityOptions {
  /** The schemas of the server's version, when they are not those that are built in. */
  readonly pluginSchema?: (name: string) => EntitySchema | undefined;
  readonly entitySchema?: (name: string) => EntitySchema | undefined;
  /**
   * `compare`: a password of a file is hashed as Kong does, and compared with the server's hash.
   * `ignore`: passwords are never seen to differ, as in decK.
   */
  readonly passwords?: 'compare' | 'ignore';
}

/** One field that differs, by its path. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Fields that the server owns. */
const ownFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'cert_digest']);

function isSameList(one: readonly JsonValue[], two: readonly JsonValue[], isSet: boolean): boolean {
  if (one.length !== two.length) return false;
  if (one.every((value, index) => isSame(value, two[index]))) return true;
  if (!isSet) return false;
  const texts = (list: readonly JsonValue[]) => list.map((value) => JSON.stringify(value)).sort();
  return isDeepStrictEqual(texts(one), texts(two));
}

/** Equality of JSON, where a field that is not set is the same as null. */
function isSame(one: JsonValue | undefined, two: JsonValue | undefined): boolean {
  if (one === two) return true;
  if (one === undefined || one === null) return two === undefined || two === null;
  if (two === undefined || two === null) return false;
  if (Array.isArray(one)) return Array.isArray(two) && isSameList(one, two, false);
  if (!isObject(one) || !isObject(two)) return false;
  for (const key in one) if (!isSame(one[key], two[key])) return false;
  for (const key in two) if (!Object.hasOwn(one, key) && !isSame(undefined, two[key])) return false;
  return true;
}

function withDefault(field: FieldSchema, value: JsonValue | undefined): JsonValue | undefined {
  const isNeeded = field.type === 'record' && field.required === true;
  // A record that has to be there has its fields, or their defaults.
  if (value !== undefined && !(isNeeded && value === null)) return value;
  if (field.default !== undefined) return field.default;
  return isNeeded ? {} : undefined;
}

function isSameField(
  field: FieldSchema,
  one: JsonValue | undefined,
  two: JsonValue | undefined,
  isInConfig: boolean,
): boolean {
  if (one === two) return true;
  const left = withDefault(field, one);
  const right = withDefault(field, two);
  if (field.type === 'foreign') return referenceId(left) === referenceId(right);
  if (field.type === 'record' && field.fields !== undefined && isObject(left) && isObject(right)) {
    return isSameRecord(field.fields, left, right, isInConfig);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    const isSet = field.type === 'set' && isInConfig;
    return isSameList(left, right, isSet);
  }
  return isSame(left, right);
}

/** Whether two records are the same once the defaults of their schema are in. */
function isSameRecord(
  fields: FieldTable,
  one: JsonObject,
  two: JsonObject,
  isInConfig: boolean,
): boolean {
  for (const [name, field] of fields) {
    if (!isInConfig && (ownFields.has(name) || name === 'tags')) continue;
    const isConfig = isInConfig || name === 'config';
    if (!isSameField(field, one[name], two[name], isConfig)) return false;
  }
  for (const name in one) if (!fields.has(name) && !isSame(one[name], two[name])) return false;
  for (const name in two) {
    if (!fields.has(name) && !Object.hasOwn(one, name) && !isSame(undefined, two[name]))
      return false;
  }
  return true;
}

function sortedTags(entity: JsonObject): readonly string[] {
  return Array.isArray(entity.tags) ? [...(entity.tags as readonly string[])].sort() : [];
}

/** Empty tags and no tags are the same, and their order does not count. */
function hasSameTags(one: JsonObject, two: JsonObject): boolean {
  if (one.tags === two.tags) return true;
  return isSameList(sortedTags(one), sortedTags(two), false);
}

/** Lists of entities whose order means nothing, though no schema says so. */
const unordered: Readonly<Record<string, readonly string[]>> = { services: ['ca_certificates'] };

function withSortedLists(collection: CollectionName, entity: JsonObject): JsonObject {
  const sorted = (unordered[collection] ?? []).flatMap((name) => {
    const value = entity[name];
    return Array.isArray(value) ? [[name, value.toSorted()] as const] : [];
  });
  return sorted.length === 0 ? entity : { ...entity, ...Object.fromEntries(sorted) };
}

/**
 * An entity with shorthands expanded, defaults filled and what the server owns left out.
 *
 * ```ts
 * const { host, port, path } = normalizeEntity('services', { name: 'shop', url: 'http://shop:81/v1' });
 * [host, port, path]; // ['shop', 81, '/v1']
 * ```
 */
export function normalizeEntity(
  collection: CollectionName,
  entity: JsonObject,
  options: EqualityOptions = {},
): JsonObject {
  const plain = collection === 'services' ? expandServiceUrl(entity, 'fields').record : entity;
  const { fields } = comparableSchema(collection, plain, options);
  const filled = fillFields(fields, expandShorthands(fields, plain).record);
  const tags = sortedTags(filled);
  const derived: JsonObject =
    collection === 'ca_certificates' ? filled : deriveFields(collection, filled);
  const kept = Object.entries(derived).filter(([name]) => !ownFields.has(name) && name !== 'snis');
  const isTarget = collection === 'targets' && typeof derived.target === 'string';
  return {
    ...Object.fromEntries(collection === 'certificates' ? kept : [...kept, ...snisOf(derived)]),
    ...(isTarget ? { target: normalizeTarget(derived.target as string) ?? derived.target } : {}),
    tags: tags.length === 0 ? null : tags,
  };
}

function snisOf(entity: JsonObject): readonly (readonly [string, JsonValue])[] {
  return entity.snis === undefined ? [] : [['snis', entity.snis]];
}

/** Lists what differs, going into records but not into lists. */
function collectChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly string[],
  into: FieldChange[],
): void {
  if (isSame(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collectChanges(before[key], after[key], [...path, key], into);
    }
    return;
  }
  into.push({ path, before: before ?? null, after: after ?? null });
}

/**
 * Whether an entity's time to live is the one that it was given, and is running: a Kong says how much of it
 * is left, which is less each time. More than it shall have is a change, and so is none at all.
 */
function hasRunningTime(current: JsonObject, target: JsonObject): boolean {
  const { ttl: left } = current;
  const { ttl: given } = target;
  return typeof left === 'number' && typeof given === 'number' && left > 0 && left <= given;
}

/**
 * The fields in which what the server has differs from what it should have, once both are filled
 * with defaults: an empty list when a write would change nothing.
 */
export function findChanges(
  collection: CollectionName,
  current: JsonObject,
  target: JsonObject,
  options: EqualityOptions = {},
): readonly FieldChange[] {
  const hashed = hashedField(collection, target);
  const isRunning = hasRunningTime(current, target);
  const hidden = {
    ...(hashed === undefined ? {} : { [hashed]: null }),
    ...(isRunning ? { ttl: null } : {}),
  };
  const isWhole = hashed === undefined && !isRunning;
  const one = withSortedLists(collection, isWhole ? current : { ...current, ...hidden });
  const two = withSortedLists(collection, isWhole ? target : { ...target, ...hidden });
  const isIgnored = options.passwords === 'ignore' && collection === 'basicauth_credentials';
  const passwordChanges =
    hashed !== undefined && !isIgnored && !isSameSecret(collection, current, target, hashed)
      ? [{ path: [hashed], before: current[hashed] ?? null, after: target[hashed] ?? null }]
      : [];
  const { fields } = comparableSchema(collection, target, options);
  const isPlain = collection !== 'certificates' && target.url === undefined;
  if (isPlain && hasSameTags(one, two) && isSameRecord(fields, one, two, false)) {
    return passwordChanges;
  }
  const before = normalizeEntity(collection, one, options);
  const after = normalizeEntity(collection, two, options);
  const changes: FieldChange[] = [];
  if (!isSameRecord(fields, before, after, false)) {
    collectChanges(before, after, [], changes);
  } else if (!hasSameTags(before, after))
    collectChanges(before.tags, after.tags, ['tags'], changes);
  return [...changes, ...passwordChanges];
}
