import {
  type FieldError,
  type FieldErrors,
  type JsonObject,
  type JsonValue,
  pathOf,
} from '@waygate/kong';
import { isObject } from '@waygate/text';
import { hasOwnId } from './declared-entity.ts';
import { type DeclaredProblem, setAt } from './declared-problem.ts';

/** Kong's answer to a document that it does not take. */
export interface DeclarativeErrorBody {
  readonly code: 14;
  readonly name: 'invalid declarative configuration';
  readonly message: string;
  readonly fields: FieldErrors;
  readonly flattened_errors?: readonly FlattenedError[] | Record<string, never>;
}

interface FlattenedError {
  readonly entity_type: string;
  readonly entity_id?: string;
  readonly entity_name?: string;
  readonly entity_tags?: readonly string[];
  readonly entity: JsonObject;
  readonly errors: readonly object[];
}

/** All errors in the shape of the document. */
export function nestedErrorBody(
  problems: readonly DeclaredProblem[],
  fields: FieldErrors,
): DeclarativeErrorBody {
  const all = structuredClone(fields);
  for (const { entity, error, label } of problems) {
    setAt(all, label === undefined ? pathOf(entity) : [entity.kind.collection, label], error);
  }
  return body(all);
}

/** One entry for each entity; what belongs to none stays in `fields`. */
export function flattenedErrorBody(
  problems: readonly DeclaredProblem[],
  fields: FieldErrors,
): DeclarativeErrorBody {
  const flattened = problems.flatMap(flatten);
  return { ...body(fields), flattened_errors: flattened.length === 0 ? {} : flattened };
}

/** A failure that has nothing to do with entities. */
export function plainErrorBody(error: string): DeclarativeErrorBody {
  return body({ error });
}

function body(fields: FieldErrors): DeclarativeErrorBody {
  return {
    code: 14,
    name: 'invalid declarative configuration',
    message: `declarative config is invalid: ${luaText(fields)}`,
    fields,
  };
}

function flatten(problem: DeclaredProblem): FlattenedError[] {
  const { entity, error, isLate } = problem;
  const { item, parent } = entity;
  const above =
    !isLate && parent !== undefined && hasOwnId(parent.entity) && item[parent.field] === undefined
      ? { [parent.field]: { id: parent.entity.id } }
      : {};
  if (typeof error === 'string' || Array.isArray(error)) {
    const messages = typeof error === 'string' ? [error] : error;
    const errors = messages.map((message) => ({ type: 'entity', message }));
    return [describe(entity.kind.collection, { ...item, ...above }, errors)];
  }
  const own: FieldErrors = {};
  const result: FlattenedError[] = [];
  for (const [name, value] of Object.entries(error)) {
    const reference = entity.kind.references.find((one) => one.field === name);
    const referred = item[name];
    // An error inside a reference is reported as one of the entity that it names.
    if (reference !== undefined && isObject(referred)) {
      const errors =
        typeof value === 'string' ? [{ type: 'entity', message: value }] : flatErrors(value);
      result.push(describe(reference.collection, referred, errors));
    } else {
      own[name] = value;
    }
  }
  if (Object.keys(own).length > 0) {
    result.push(describe(entity.kind.collection, { ...item, ...above }, flatErrors(own)));
  }
  return result;
}

function describe(collection: string, item: JsonObject, errors: readonly object[]): FlattenedError {
  const id = item.id;
  const name = item.name;
  const tags = item.tags;
  return {
    entity_type: collection.replace(/s$/, ''),
    ...(typeof id === 'string' && isUuid(id) ? { entity_id: id } : {}),
    ...(typeof name === 'string' && name !== '' ? { entity_name: name } : {}),
    ...(isTextList(tags) ? { entity_tags: tags } : {}),
    entity: item,
    errors,
  };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function isTextList(value: JsonValue | undefined): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

function flatErrors(errors: FieldError, prefix = ''): object[] {
  if (typeof errors === 'string') return [{ type: 'field', field: prefix, message: errors }];
  if (Array.isArray(errors)) {
    return errors.flatMap((item, index) =>
      item === null ? [] : flatErrors(item, `${prefix}.${index + 1}`),
    );
  }
  return Object.entries(errors).flatMap(([name, error]) => {
    if (name === '@entity' && Array.isArray(error)) {
      return error.map((message) => ({ type: 'entity', message }));
    }
    return flatErrors(error, prefix === '' ? name : `${prefix}.${name}`);
  });
}

/** A value as Lua prints a table: `{services={{name="…"}}}`. */
function luaText(value: FieldError | null): string {
  if (typeof value === 'string') {
    return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  }
  if (value === null) return 'nil';
  if (Array.isArray(value)) {
    const isDense = value.every((item) => item !== null);
    const items = value.flatMap((item, index) =>
      item === null ? [] : [isDense ? luaText(item) : `[${index + 1}]=${luaText(item)}`],
    );
    return `{${items.join(',')}}`;
  }
  const entries = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => {
      const key = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `["${name}"]`;
      return `${key}=${luaText(item)}`;
    });
  return `{${entries.join(',')}}`;
}
