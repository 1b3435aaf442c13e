import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { FieldSchema, FieldTable } from './field-schema.ts';

type MutableObject = { [key: string]: JsonValue };

/** Values are compared as JSON scalars: a list of records keeps equal ones, as Kong does. */
function withoutDuplicates(list: readonly JsonValue[]): readonly JsonValue[] {
  return list.length < 2 ? list : [...new Set(list)];
}

function fillList(list: readonly JsonValue[], field: FieldSchema): readonly JsonValue[] {
  const elements = field.elements;
  const isNested =
    elements !== undefined && ['record', 'array', 'set', 'map'].includes(elements.type);
  const filled = isNested ? list.map((element) => fillValue(elements, element) ?? null) : list;
  return field.type === 'set' ? withoutDuplicates(filled) : filled;
}

function fillValue(field: FieldSchema, value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) {
    if (typeof field.default === 'object' && field.default !== null) {
      return fillValue(field, structuredClone(field.default) as JsonValue);
    }
    return field.type === 'record' && field.required === true && field.fields !== undefined
      ? fillFields(field.fields, {})
      : field.default;
  }
  if (field.type === 'record' && field.fields !== undefined) {
    if (isObject(value)) return fillFields(field.fields, value);
    return Array.isArray(value) && value.length === 0 ? fillFields(field.fields, {}) : value;
  }
  if ((field.type === 'array' || field.type === 'set') && isObject(value)) {
    return Object.keys(value).length === 0 ? [] : value;
  }
  if ((field.type === 'array' || field.type === 'set') && Array.isArray(value)) {
    return fillList(value, field);
  }
  if (field.type === 'map' && Array.isArray(value) && value.length === 0) return {};
  if (field.type === 'map' && isObject(value) && field.values?.type === 'record') {
    const values = field.values;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, fillValue(values, entry) ?? null]),
    );
  }
  return value;
}

/**
 * A record with the defaults of its schema where it says nothing, and with `null` for what has no
 * default: the form in which Kong stores and answers it. What the schema does not know is kept, for
 * the validation to name. A `null` that is given stays `null`.
 *
 * ```ts
 * const { fields } = findSchema('consumers')!;
 * fillFields(fields, { username: 'ann' }); // { id: null, created_at: null, updated_at: null, username: 'ann', custom_id: null, tags: null }
 * ```
 */
export function fillFields(fields: FieldTable, record: JsonObject): JsonObject {
  const filled: MutableObject = {};
  for (const [name, field] of fields) {
    const given = Object.hasOwn(record, name) ? record[name] : undefined;
    filled[name] = field.abstract === true ? (given ?? null) : (fillValue(field, given) ?? null);
  }
  for (const name of Object.keys(record)) {
    const value = record[name];
    if (value === undefined || fields.has(name)) continue;
    Object.defineProperty(filled, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return filled;
}

/**
 * A stored record with the changes of a `PATCH`: nested records are merged, everything else that is
 * given replaces what was there.
 */
export function mergeRecord(
  fields: FieldTable,
  stored: JsonObject,
  changes: JsonObject,
): JsonObject {
  const merged: MutableObject = {};
  for (const [name, field] of fields) {
    const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
    const old = stored[name];
    const isNested = field.type === 'record' && field.fields !== undefined;
    if (change === undefined) {
      if (old !== undefined) merged[name] = old;
    } else if (isNested && isObject(change) && isObject(old)) {
      merged[name] = mergeRecord(field.fields as FieldTable, old, change);
    } else merged[name] = change;
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || fields.has(name)) continue;
    Object.defineProperty(merged, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}
