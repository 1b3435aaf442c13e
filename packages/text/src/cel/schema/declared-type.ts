import type { SizeOfPath } from '../cost/estimate.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structType,
  timestampType,
} from '../types/type.ts';
import { escapeField, namesOfField } from './escape.ts';
import { type CelSchema, valuesOf, withObjectMeta } from './structural.ts';

/** The largest request that an API server takes, in bytes. */
const maxRequestSize = 3 * 1024 * 1024;

/** The type that a schema gives a value in expressions, with its sizes. */
export interface DeclaredType {
  readonly type: CelType;
  /** How many characters, items or entries a value may have. */
  readonly maxElements: number;
  /** The bytes that the smallest value takes as JSON. */
  readonly minSize: number;
  /** By their escaped names. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  readonly item?: DeclaredType;
  readonly key?: DeclaredType;
}

const simple = (type: CelType, minSize: number, maxElements = 0): DeclaredType => ({
  type,
  minSize,
  maxElements,
});

const keyType = simple(stringType, 2);

/**
 * The type of a schema, or undefined when expressions cannot see its values. `name` is what types
 * with fields are called in messages.
 *
 * ```ts
 * declareType({ type: 'array', maxItems: 3, items: { type: 'string', maxLength: 10 } }, false)?.maxElements; // 3
 * ```
 */
export function declareType(
  schema: CelSchema,
  isResource: boolean,
  name = 'selfType',
): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return simple(dynType, 1, textLimit(schema, maxRequestSize - 2));
  }
  const whole = isResource ? withObjectMeta(schema) : schema;
  switch (whole.type) {
    case 'array':
      return declareList(whole, name);
    case 'object':
      return declareObject(whole, name);
    case 'string':
      return declareText(whole);
    case 'boolean':
      return simple(boolType, 4);
    case 'number':
      return simple(doubleType, 1);
    case 'integer':
      return simple(intType, 1);
    default:
      return undefined;
  }
}

const isEmbedded = (schema: CelSchema) => schema['x-kubernetes-embedded-resource'] === true;
const atLeastZero = (value: number) => Math.max(0, value);

function declareList({ items, maxItems }: CelSchema, name: string): DeclaredType | undefined {
  const item = items && declareType(items, isEmbedded(items), `${name}.@idx`);
  if (item === undefined) return undefined;
  const maxElements =
    maxItems === undefined
      ? Math.floor((maxRequestSize - 2) / (item.minSize + 1))
      : atLeastZero(maxItems);
  return { type: listOf(item.type), minSize: 2, maxElements, item };
}

function declareObject(schema: CelSchema, name: string): DeclaredType | undefined {
  const values = valuesOf(schema);
  if (values === undefined) return declareFields(schema, name);
  const item = declareType(values, isEmbedded(values), `${name}.@elem`);
  if (item === undefined) return undefined;
  const maxElements =
    schema.maxProperties === undefined
      ? Math.floor((maxRequestSize - 2) / (item.minSize + 6))
      : atLeastZero(schema.maxProperties);
  return { type: mapOf(stringType, item.type), minSize: 2, maxElements, item, key: keyType };
}

function declareFields({ properties = {}, required = [] }: CelSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minSize = 2;
  for (const [field, schema] of Object.entries(properties)) {
    const escaped = escapeField(field);
    const declared = declareType(schema, isEmbedded(schema), `${name}.${escaped ?? field}`);
    if (declared === undefined) continue;
    for (const each of namesOfField(field)) fields.set(each, declared);
    // What has a default need not be sent.
    if (required.includes(field) && schema.default === undefined) {
      minSize += Buffer.byteLength(field) + declared.minSize + 4;
    }
  }
  const types = { get: (field: string) => fields.get(field)?.type };
  return { type: structType(name, types), minSize, maxElements: 0, fields };
}

function declareText(schema: CelSchema): DeclaredType {
  switch (schema.format) {
    case 'byte':
      return simple(bytesType, 2, atLeastZero(schema.maxLength ?? maxRequestSize - 2));
    case 'duration':
      return simple(durationType, 3, 32);
    case 'date':
      return simple(timestampType, 12, 12);
    case 'date-time':
      return simple(timestampType, 21, 32);
  }
  const choices = schema.enum ?? [];
  const longest = Math.max(
    0,
    ...choices.map((choice) => (typeof choice === 'string' ? Buffer.byteLength(choice) : 0)),
  );
  return simple(
    stringType,
    2,
    textLimit(schema, choices.length > 0 ? longest : maxRequestSize - 2),
  );
}

/** A character may take four bytes. */
function textLimit({ maxLength }: CelSchema, otherwise: number): number {
  return maxLength === undefined ? otherwise : atLeastZero(maxLength) * 4;
}

/**
 * How often a value may occur in a request, when nothing around it says how often.
 *
 * ```ts
 * const text = declareType({ type: 'string' }, false)!;
 * maxCardinality(text); // 1048576n
 * ```
 */
export function maxCardinality({ minSize }: DeclaredType): bigint {
  return BigInt(Math.floor(maxRequestSize / (minSize + 1)));
}

/**
 * The sizes of what paths from a variable of a declared type lead to.
 *
 * ```ts
 * const tags = declareType({ type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } }, false)!;
 * sizesOf(tags)(['self']); // { min: 0n, max: 5n }
 * ```
 */
export function sizesOf(root: DeclaredType): SizeOfPath {
  return (path) => {
    let current: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') current = current.item;
      else if (step === '@keys') current = current.key;
      else current = current.fields?.get(step);
      if (current === undefined) return undefined;
    }
    return { min: 0n, max: BigInt(current.maxElements) };
  };
}
