import { isObject } from '@waygate/text';
import { conform, DecodeProblem } from '../decode/conform.ts';
import { invalid, problemText } from '../status/field-problem.ts';
import { metadataType } from '../typed-schema/metadata-type.ts';
import { type JsonSchema, valuesSchema } from './json-schema.ts';

/** Removes what the schema does not know, and nulls where none are allowed. Returns the paths. */
export function pruneObject(
  object: Record<string, unknown>,
  schema: JsonSchema | undefined,
): string[] {
  if (schema === undefined) return [];
  const removed: string[] = [];
  pruneValue(object, schema, '', removed, true);
  return removed;
}

function pruneValue(
  value: unknown,
  schema: JsonSchema,
  path: string,
  removed: string[],
  isResource: boolean,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (schema.items !== undefined)
        pruneValue(item, schema.items, `${path}[${index}]`, removed, false);
    }
    return;
  }
  if (!isObject(value)) return;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded) pruneEmbeddedMetadata(value, path, removed);
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const values = valuesSchema(schema);
  for (const key of Object.keys(value)) {
    const keyPath = path === '' ? key : `${path}.${key}`;
    if ((isResource || isEmbedded) && ['apiVersion', 'kind', 'metadata'].includes(key)) continue;
    const property = schema.properties?.[key] ?? values;
    if (property === undefined) {
      if (keepsUnknown || schema.additionalProperties === true) continue;
      removed.push(keyPath);
      delete value[key];
      continue;
    }
    if (value[key] === null && property.nullable !== true) {
      if (
        property['x-kubernetes-preserve-unknown-fields'] !== true ||
        property.type !== undefined
      ) {
        delete value[key];
      }
      continue;
    }
    pruneValue(value[key], property, keyPath, removed, false);
  }
}

function pruneEmbeddedMetadata(
  value: Record<string, unknown>,
  path: string,
  removed: string[],
): void {
  for (const name of ['apiVersion', 'kind'])
    if (value[name] !== undefined && typeof value[name] !== 'string')
      throw headProblem(`${path}.${name}`, value[name], 'must be a string');
  const { metadata } = value;
  if (metadata === undefined) return;
  const { value: clean, unknownFields } = conformedMetadata(metadata ?? {}, `${path}.metadata`);
  value.metadata = clean;
  removed.push(...unknownFields.map((field) => `${path}.metadata.${field}`));
}

function conformedMetadata(metadata: unknown, path: string) {
  if (!isObject(metadata)) {
    const type = Array.isArray(metadata) ? 'array' : jsonTypes[typeof metadata];
    const why = `json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`;
    throw headProblem(path, metadata, why);
  }
  try {
    return conform(metadata, metadataType());
  } catch (error) {
    if (!(error instanceof DecodeProblem)) throw error;
    throw headProblem(path, metadata, error.message);
  }
}

const jsonTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  boolean: 'bool',
};

function headProblem(path: string, value: unknown, why: string): DecodeProblem {
  return new DecodeProblem(problemText(invalid(path, value, why)));
}

/** Fills defaults, outermost first: a default object gets the defaults of its own fields. */
export function fillDefaults(value: unknown, schema: JsonSchema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) fillDefaults(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const current = value[name];
    const isMissing = current === undefined || (current === null && property.nullable !== true);
    if (isMissing && property.default !== undefined)
      value[name] = structuredClone(property.default);
    if (value[name] !== undefined) fillDefaults(value[name], property);
  }
  const values = valuesSchema(schema);
  if (values === undefined) return;
  for (const key of Object.keys(value)) {
    if (schema.properties?.[key] === undefined) fillDefaults(value[key], values);
  }
}
