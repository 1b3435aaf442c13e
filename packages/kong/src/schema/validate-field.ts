import { oncePer } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import {
  findConstraintError,
  findSubsetError,
  isUuid,
  isVaultReference,
  requiredMessage,
  unknownMessage,
} from './constraint.ts';
import { runEntityCheck } from './entity-check.ts';
import type { EntityCheck, FieldSchema, FieldTable } from './field-schema.ts';
import { type FieldError, type FieldErrors, hasErrors } from './schema-errors.ts';

/** Errors are keyed by what users send: no prototype, so that no key is special. */
function noErrors(): FieldErrors {
  return Object.create(null) as FieldErrors;
}

/** A JSON object; an empty list passes for an empty one, as both are the same table in Lua. */
function asObject(value: JsonValue): JsonObject | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (!Array.isArray(value)) return value as JsonObject;
  return value.length === 0 ? {} : undefined;
}

/** A JSON list; an empty object passes for an empty one. */
function asList(value: JsonValue): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  const isEmpty = value !== null && typeof value === 'object' && Object.keys(value).length === 0;
  return isEmpty ? [] : undefined;
}

function validateElements(
  list: readonly JsonValue[],
  elements: FieldSchema | undefined,
): FieldError | undefined {
  if (elements === undefined) return undefined;
  const errors: (FieldError | null)[] = [];
  list.forEach((element, index) => {
    const error =
      element === null && elements.required !== true
        ? typeError(elements.type)
        : validateField(elements, element);
    if (error === undefined) return;
    while (errors.length < index) errors.push(null);
    errors.push(error);
  });
  return errors.length === 0 ? undefined : errors;
}

function typeError(type: string): string {
  return `expected ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function validateMap(map: JsonObject, field: FieldSchema): FieldError | undefined {
  const errors = noErrors();
  for (const [key, value] of Object.entries(map)) {
    const keyError = field.keys === undefined ? undefined : validateField(field.keys, key);
    if (keyError !== undefined) return keyError;
    const valueError =
      field.values === undefined ? undefined : validateField(field.values, value ?? null);
    if (valueError !== undefined) return valueError;
  }
  return hasErrors(errors) ? errors : undefined;
}

function validateForeign(value: JsonValue): FieldError | undefined {
  const reference = asObject(value);
  const id = reference?.id;
  if (id === undefined || id === null) return { id: 'missing primary key' };
  if (typeof id !== 'string') return { id: 'expected a string' };
  return isUuid(id) ? undefined : { id: 'expected a valid UUID' };
}

function validateType(field: FieldSchema, value: JsonValue): FieldError | undefined {
  switch (field.type) {
    case 'array':
    case 'set': {
      const list = asList(value);
      return list === undefined ? typeError(field.type) : validateElements(list, field.elements);
    }
    case 'map': {
      const map = asObject(value);
      return map === undefined ? typeError('map') : validateMap(map, field);
    }
    case 'record': {
      const record = asObject(value);
      if (record === undefined) return typeError('record');
      if (field.fields === undefined) return undefined;
      return validateRecord(field.fields, field.entity_checks ?? [], record);
    }
    case 'foreign':
      return validateForeign(value);
    case 'integer':
      return Number.isInteger(value) ? undefined : typeError('integer');
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === field.type ? undefined : typeError(field.type);
    default:
      return undefined;
  }
}

function ruleError(field: FieldSchema, value: JsonValue): string | undefined {
  if (field.format !== undefined && typeof value === 'string') {
    const message = field.format(value);
    return message === undefined ? undefined : (field.err ?? message);
  }
  if (field.listRule !== undefined && Array.isArray(value)) return field.listRule(value);
  if (field.rule !== undefined) {
    const record = asObject(value);
    return record === undefined ? undefined : field.rule(record);
  }
  return undefined;
}

/** What is wrong with the value of one field, or undefined. `null` means that it is not set. */
export function validateField(field: FieldSchema, value: JsonValue): FieldError | undefined {
  if (value === null) {
    if (field.eq !== undefined && field.eq !== null) {
      return field.err ?? `value must be ${String(field.eq)}`;
    }
    return field.required === true ? requiredMessage : undefined;
  }
  if (field.eq === null) return field.err ?? 'value must be null';
  if (field.referenceable === true && isVaultReference(value)) return undefined;
  return (
    validateType(field, value) ??
    findConstraintError(value, field) ??
    ruleError(field, value) ??
    findSubsetError(value, field)
  );
}

const requiredOf = oncePer((fields: FieldTable) =>
  [...fields].filter(([, { required }]) => required === true).map(([name]) => name),
);

/** What is wrong with the fields of a record, each on its own. */
export function validateFields(fields: FieldTable, record: JsonObject): FieldErrors {
  const errors = noErrors();
  for (const name of Object.keys(record)) {
    const value = record[name];
    if (value === undefined) continue;
    const field = fields.get(name);
    const error = field === undefined ? unknownMessage : validateField(field, value);
    if (error !== undefined) errors[name] = error;
  }
  for (const name of requiredOf(fields)) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (value === undefined || value === null) errors[name] = requiredMessage;
  }
  return errors;
}

/** What is wrong with a record, its fields and the checks across them, or undefined. */
function validateRecord(
  fields: FieldTable,
  checks: readonly EntityCheck[],
  record: JsonObject,
): FieldErrors | undefined {
  const errors = validateFields(fields, record);
  const subject = { input: record, fields, isUpdate: false, validate: validateField };
  for (const check of checks) runEntityCheck(check, subject, errors);
  return hasErrors(errors) ? errors : undefined;
}
