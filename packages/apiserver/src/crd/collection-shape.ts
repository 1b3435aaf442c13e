import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import type { JsonSchema } from './json-schema.ts';

const listTypes = ['atomic', 'set', 'map'];
const mapTypes = ['atomic', 'granular'];

/** What is wrong with what a schema says of how its lists and maps are merged. */
export function* collectionProblems(schema: JsonSchema, field: string): Generator<FieldProblem> {
  const listType: string | undefined = schema['x-kubernetes-list-type'];
  const mapType: string | undefined = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    yield* typeProblems(schema, field, 'object', 'x-kubernetes-map-type');
    if (!mapTypes.includes(mapType))
      yield notSupported(`${field}.x-kubernetes-map-type`, mapType, mapTypes);
  }
  if (listType !== undefined) {
    yield* typeProblems(schema, field, 'array', 'x-kubernetes-list-type');
    if (!listTypes.includes(listType))
      yield notSupported(`${field}.x-kubernetes-list-type`, listType, listTypes);
  }
  if (listType === 'set') yield* setProblems(schema.items, `${field}.items`);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const at = `${field}.x-kubernetes-list-type`;
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    yield listType === undefined ? required(at, why) : invalid(at, listType, why);
  }
  if (listType === 'map') yield* mapProblems(schema.items, keys, field);
}

function* typeProblems(
  { type = '' }: JsonSchema,
  field: string,
  expected: string,
  by: string,
): Generator<FieldProblem> {
  if (type === expected) return;
  const why = `must be ${expected} if ${by} is specified`;
  yield type === '' ? required(`${field}.type`, why) : invalid(`${field}.type`, type, why);
}

/** Items of a set are compared whole, so that they must be merged whole. */
function* setProblems(items: JsonSchema | undefined, field: string): Generator<FieldProblem> {
  if (items === undefined) return;
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (items.nullable === true)
    yield forbidden(`${field}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set');
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    yield invalid(`${field}.x-kubernetes-map-type`, null, why);
  const inner = items['x-kubernetes-list-type'];
  if (items.type === 'array' && inner !== undefined && inner !== 'atomic')
    yield invalid(`${field}.x-kubernetes-list-type`, inner, why);
}

function* mapProblems(
  items: JsonSchema | undefined,
  keys: readonly string[],
  field: string,
): Generator<FieldProblem> {
  const at = `${field}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) yield required(at, 'must not be empty if x-kubernetes-list-type is map');
  if (items === undefined) {
    yield required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map');
    return;
  }
  if (items.nullable === true)
    yield forbidden(
      `${field}.items.nullable`,
      'cannot be nullable when x-kubernetes-list-type is map',
    );
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    yield invalid(`${field}.items.type`, items.type ?? '', why);
    return;
  }
  if (new Set(keys).size < keys.length)
    yield invalid(at, keys, 'must not contain duplicate entries');
  for (const key of new Set(keys)) yield* keyProblems(items, keys, key, field);
}

function* keyProblems(
  items: JsonSchema,
  keys: readonly string[],
  key: string,
  field: string,
): Generator<FieldProblem> {
  const property = items.properties?.[key];
  if (property === undefined) {
    const at = `${field}.x-kubernetes-list-map-keys`;
    yield invalid(at, keys, 'entries must all be names of item properties');
    return;
  }
  const at = `${field}.items.properties[${key}]`;
  const why = 'this property is in x-kubernetes-list-map-keys, so it';
  if (property.type === 'object' || property.type === 'array')
    // Kubernetes names the type of the item here, not that of the property.
    yield invalid(
      `${at}.type`,
      items.type,
      "must be a scalar type if parent array's x-kubernetes-list-type is map",
    );
  if (property.nullable === true) yield forbidden(`${at}.nullable`, `${why} cannot be nullable`);
  if (property.default === undefined && !(items.required ?? []).includes(key))
    yield required(`${at}.default`, `${why} must have a default or be a required property`);
}
