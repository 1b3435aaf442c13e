import { isObject, oncePer } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type {
  ConditionalAtLeastOneOfCheck,
  ConditionalCheck,
  EntityCheck,
  FieldConstraints,
  FieldSchema,
  FieldTable,
} from './field-schema.ts';
import {
  addEntityError,
  errorAt,
  type FieldError,
  type FieldErrors,
  setErrorAt,
} from './schema-errors.ts';

/** What is checked, and how one of its fields is. */
interface CheckSubject {
  readonly input: JsonObject;
  readonly fields: FieldTable;
  readonly isUpdate: boolean;
  validate(field: FieldSchema, value: JsonValue): FieldError | undefined;
}

/** The value at a dotted path of a record. */
function valueAt(record: JsonObject, path: string): JsonValue | undefined {
  if (!path.includes('.')) return ownValue(record, path);
  let current: JsonValue | undefined = record;
  for (const part of path.split('.')) {
    if (!isObject(current)) return undefined;
    current = ownValue(current as JsonObject, part);
  }
  return current;
}

function ownValue(record: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function isSet(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** The schema of the field at a dotted path, or undefined. */
function fieldAt(fields: FieldTable, path: string): FieldSchema | undefined {
  if (!path.includes('.')) return fields.get(path);
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  const field = fields.get(first);
  if (rest.length === 0 || field === undefined) return field;
  return field.fields === undefined ? undefined : fieldAt(field.fields, rest.join('.'));
}

/** The schema of a field together with the constraints of a condition. */
const constrained = oncePer((field: FieldSchema) =>
  oncePer((constraints: FieldConstraints): FieldSchema => ({ ...field, ...constraints })),
);

/** Checks the value of a field against its schema together with the constraints of a condition. */
function conditionError(
  subject: CheckSubject,
  path: string,
  constraints: FieldConstraints,
): FieldError | undefined {
  const field = fieldAt(subject.fields, path);
  if (field === undefined) return undefined;
  const value = valueAt(subject.input, path) ?? null;
  return subject.validate(constrained(field)(constraints), value);
}

function isMet(subject: CheckSubject, path: string, constraints: FieldConstraints): boolean {
  const value = valueAt(subject.input, path) ?? null;
  if (value === null) return constraints.eq === null;
  return conditionError(subject, path, constraints) === undefined;
}

function runConditional(check: ConditionalCheck, subject: CheckSubject, errors: FieldErrors): void {
  if (!isMet(subject, check.if_field, check.if_match)) return;
  const broken = conditionError(subject, check.then_field, check.then_match);
  if (broken === undefined) return;
  setErrorAt(errors, check.then_field, broken);
  addEntityError(
    errors,
    check.then_err ?? `failed conditional validation given value of field '${check.if_field}'`,
  );
}

function runConditionalAtLeastOneOf(
  check: ConditionalAtLeastOneOfCheck,
  subject: CheckSubject,
  errors: FieldErrors,
): void {
  const branches: readonly (readonly [FieldConstraints, readonly string[], string | undefined])[] =
    [
      [check.if_match, check.then_at_least_one_of, check.then_err],
      ...(check.else_match === undefined || check.else_then_at_least_one_of === undefined
        ? []
        : [[check.else_match, check.else_then_at_least_one_of, check.else_then_err] as const]),
    ];
  for (const [match, names, message] of branches) {
    if (!isMet(subject, check.if_field, match)) continue;
    if (names.some((name) => isSet(valueAt(subject.input, name)))) return;
    const text = message ?? 'at least one of these fields must be non-empty: %s';
    addEntityError(errors, text.replace('%s', quoted(names)));
    return;
  }
}

/** The fields that a check reads. */
function sourcesOf(check: EntityCheck): readonly string[] {
  return (
    check.at_least_one_of ??
    check.only_one_of ??
    check.distinct ??
    check.mutually_required ??
    check.mutually_exclusive ??
    []
  );
}

/** Runs one check over several fields. Most are left out if one of these is wrong on its own already. */
export function runEntityCheck(
  check: EntityCheck,
  subject: CheckSubject,
  errors: FieldErrors,
): void {
  if (check.conditional !== undefined) runConditional(check.conditional, subject, errors);
  if (check.conditional_at_least_one_of !== undefined) {
    runConditionalAtLeastOneOf(check.conditional_at_least_one_of, subject, errors);
  }
  const sources = sourcesOf(check);
  if (sources.length === 0) return;
  const isAnyWrong = sources.some((source) => errorAt(errors, source) !== undefined);
  // An empty text is both wrong and nothing at all: Kong says both.
  if (isAnyWrong && check.at_least_one_of === undefined) return;
  const values = sources.map((source) => valueAt(subject.input, source)).filter(isSet);
  if (check.at_least_one_of !== undefined && values.length === 0) {
    const when = subject.isUpdate ? 'when updating, ' : '';
    addEntityError(
      errors,
      `${when}at least one of these fields must be non-empty: ${quoted(sources)}`,
    );
  } else if (check.only_one_of !== undefined && values.length !== 1) {
    addEntityError(errors, `exactly one of these fields must be non-empty: ${quoted(sources)}`);
  } else if (check.mutually_required !== undefined) {
    if (values.length > 0 && values.length < sources.length) {
      addEntityError(errors, `all or none of these fields must be set: ${quoted(sources)}`);
    }
  } else if (check.mutually_exclusive !== undefined && values.length > 1) {
    addEntityError(errors, `only one or none of these fields must be set: ${quoted(sources)}`);
  } else if (check.distinct !== undefined && new Set(values).size < values.length) {
    addEntityError(errors, `values of these fields must be distinct: ${quoted(sources)}`);
  }
}
