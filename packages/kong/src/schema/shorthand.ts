import { isDeepStrictEqual } from 'node:util';
import { isObject, oncePer } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { FieldSchema, FieldTable } from './field-schema.ts';
import { type FieldErrors, hasErrors } from './schema-errors.ts';
import { validateField } from './validate-field.ts';

/**
 * Fields that stand for others: a service's `url`, and old names of plugin fields that Kong still
 * takes and answers.
 */
interface ExpandedRecord {
  readonly record: JsonObject;
  readonly errors?: FieldErrors;
}

type MutableObject = { [key: string]: JsonValue | undefined };

function valueAtPath(record: JsonObject, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = record;
  for (const part of path) {
    if (!isObject(current)) return undefined;
    current = Object.hasOwn(current, part) ? current[part] : undefined;
  }
  return current;
}

/** The record with a value at a path; a new record on the way, the given one untouched. */
function withValueAt(record: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return { ...record, [first]: value };
  const inner = record[first];
  return { ...record, [first]: withValueAt(isObject(inner) ? inner : {}, rest, value) };
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shorthandError(
  name: string,
  field: FieldSchema,
  value: JsonValue,
  record: JsonObject,
): FieldErrors[string] | undefined {
  const error = validateField(field, value);
  if (error !== undefined || value === null) return error;
  for (const { path } of field.deprecation?.replaced_with ?? []) {
    const current = valueAtPath(record, path);
    if (current === undefined || current === null || isDeepStrictEqual(current, value)) continue;
    return `both deprecated and new field are used but their values mismatch: ${name} = ${shown(value)} vs ${path.join('.')} = ${shown(current)}`;
  }
  return undefined;
}

/** Old names that are no plain renames, and what each becomes. */
const computed: Readonly<Record<string, (value: JsonValue) => JsonObject>> = {
  cookie_lifetime: (value) => ({ rolling_timeout: value }),
  cookie_idletime: (value) => (value === null || value === 0 ? {} : { idling_timeout: value }),
  cookie_renew: () => ({}),
  cookie_discard: (value) => ({ stale_ttl: value }),
  cookie_samesite: (value) => ({
    cookie_same_site: value === 'off' ? 'Lax' : value,
  }),
  cookie_httponly: (value) => ({ cookie_http_only: value }),
  cookie_persistent: (value) => ({ remember: value }),
  endpoint: (value) => ({ traces_endpoint: value }),
};

function expandRecord(fields: FieldSchema, record: JsonObject): ExpandedRecord {
  const errors: FieldErrors = {};
  let expanded: JsonObject = record;
  for (const [name, field] of fields.shorthand_fields ?? []) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (value === undefined) continue;
    const error = shorthandError(name, field, value, record);
    if (error !== undefined) {
      errors[name] = error;
      continue;
    }
    const { [name]: _dropped, ...rest } = expanded as MutableObject;
    expanded = rest as JsonObject;
    const replacements = field.deprecation?.replaced_with;
    if (replacements !== undefined) {
      for (const { path } of replacements) {
        const current = valueAtPath(expanded, path);
        if (current === undefined || (current === null && value !== null)) {
          expanded = withValueAt(expanded, path, value);
        }
      }
      continue;
    }
    for (const [target, newValue] of Object.entries(computed[name]?.(value) ?? {})) {
      const current = expanded[target];
      if (current === undefined || current === null) expanded = { ...expanded, [target]: newValue };
    }
  }
  return hasErrors(errors) ? { record: expanded, errors } : { record: expanded };
}

/** The fields that are records: only in these are shorthands. */
const recordsOf = oncePer((fields: FieldTable) =>
  [...fields].filter(([, field]) => field.type === 'record' && field.fields !== undefined),
);

/** Replaces shorthand fields, at any depth, by what they stand for. */
export function expandShorthands(fields: FieldTable, record: JsonObject): ExpandedRecord {
  const errors: FieldErrors = {};
  let expanded = record;
  for (const [name, field] of recordsOf(fields)) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (field.fields === undefined || !isObject(value)) continue;
    const own = expandRecord(field, value);
    const nested = expandShorthands(field.fields, own.record);
    const wrong = { ...own.errors, ...nested.errors };
    if (hasErrors(wrong)) errors[name] = wrong;
    if (nested.record !== value) expanded = { ...expanded, [name]: nested.record };
  }
  return hasErrors(errors) ? { record: expanded, errors } : { record: expanded };
}

/** Adds the old names of renamed fields, as Kong does in its answers. */
export function echoShorthands(fields: FieldTable, record: JsonObject): JsonObject {
  let echoed = record;
  for (const [name, field] of recordsOf(fields)) {
    const value = record[name];
    if (field.fields === undefined || !isObject(value)) continue;
    let inner = echoShorthands(field.fields, value);
    for (const [shorthand, definition] of field.shorthand_fields ?? []) {
      const path = definition.deprecation?.replaced_with?.[0]?.path;
      if (path === undefined) continue;
      inner = { ...inner, [shorthand]: valueAtPath(inner, path) ?? null };
    }
    if (inner !== value) echoed = { ...echoed, [name]: inner };
  }
  return echoed;
}

/** Removes the old names of renamed fields again. */
export function dropShorthands(fields: FieldTable, record: JsonObject): JsonObject {
  let dropped = record;
  for (const [name, field] of recordsOf(fields)) {
    const value = record[name];
    if (field.fields === undefined || !isObject(value)) continue;
    const shorthands = field.shorthand_fields;
    const own =
      shorthands === undefined
        ? value
        : Object.fromEntries(Object.entries(value).filter(([key]) => !shorthands.has(key)));
    const inner = dropShorthands(field.fields, own);
    if (inner !== value) dropped = { ...dropped, [name]: inner };
  }
  return dropped;
}

/**
 * What the `url` of a service stands for, or an error. Beside other fields of the address, it counts to Kong; to decK they do.
 */
export function expandServiceUrl(service: JsonObject, counts: 'url' | 'fields'): ExpandedRecord {
  if (service.url === undefined) return { record: service };
  const { url, ...rest } = service as MutableObject;
  const record = rest as JsonObject;
  // Kong reads a null as the text of its placeholder value, and then refuses what comes of it.
  const text = url === null ? 'userdata: NULL' : url;
  if (typeof text !== 'string') return { record, errors: { url: 'expected a string' } };
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(
    text,
  );
  const authority = (parts?.[2] ?? '').replace(/^.*@/, '');
  const [, bracketed, plain = '', port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(authority) ?? [];
  const host = bracketed ?? plain;
  const protocol = parts?.[1];
  const path = parts?.[3];
  const implied = { http: 80, https: 443, grpc: 80, grpcs: 443 }[protocol ?? ''];
  const portNumber = port === undefined ? implied : Number(port);
  const values: MutableObject = {
    ...(protocol === undefined ? {} : { protocol }),
    ...(host === '' ? {} : { host }),
    ...(portNumber === undefined ? {} : { port: portNumber }),
    ...(path === undefined || path === '' ? {} : { path }),
  };
  if (counts === 'url') return { record: { ...record, ...values } as JsonObject };
  const given = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
  return { record: { ...record, ...values, ...Object.fromEntries(given) } as JsonObject };
}
