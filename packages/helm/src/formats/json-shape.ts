import { wellFormed } from '../go/bytes.ts';
import { bytesOf } from '../go/format-value.ts';
import { GoError } from '../go/function.ts';
import { uint8Type } from '../go/type.ts';
import {
  GoComplex,
  type GoField,
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  isNil,
  itemsOf,
} from '../go/value.ts';

/** What encoding/json makes of a value: a leaf as it is, the items of a list, or the fields of an object. */
export type JsonShape =
  | { readonly kind: 'leaf'; readonly value: null | boolean | string | number | bigint }
  | { readonly kind: 'items'; readonly items: readonly GoValue[] }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [string, GoValue])[] };

const nullShape: JsonShape = { kind: 'leaf', value: null };

/** @throws GoError where JSON has no form for the value */
export function jsonShape(value: GoValue): JsonShape {
  switch (typeof value) {
    case 'string':
      return { kind: 'leaf', value: wellFormed(value) };
    case 'boolean':
      return { kind: 'leaf', value };
    case 'number':
      if (!Number.isFinite(value))
        throw new GoError(`json: unsupported value: ${infinityText(value)}`);
      return { kind: 'leaf', value };
  }
  if (isNil(value)) return nullShape;
  if (value instanceof GoInt) return { kind: 'leaf', value: value.value };
  if (value instanceof GoMap) {
    return {
      kind: 'fields',
      fields: value.sortedKeys().map((key) => [key, value.get(key)!] as const),
    };
  }
  if (value instanceof GoSlice && value.type.elem === uint8Type) {
    return { kind: 'leaf', value: Buffer.from(bytesOf(value)).toString('base64') };
  }
  const items = itemsOf(value);
  if (items !== undefined) return { kind: 'items', items };
  if (value instanceof GoComplex) throw new GoError('json: unsupported type: complex128');
  const object = value as GoObject;
  if (object.json !== undefined) return jsonShape(object.json());
  return { kind: 'fields', fields: [...structFields(object.fields)] };
}

function* structFields(fields: readonly GoField[]): Iterable<readonly [string, GoValue]> {
  for (const { json, value, omitsEmpty, isEmbedded } of fields) {
    if (isEmbedded && value instanceof GoObject) yield* structFields(value.fields);
    else if (json !== undefined && !(omitsEmpty && isEmptyJson(value))) yield [json, value];
  }
}

/** Whether `omitempty` leaves it out. */
export function isEmptyJson(value: GoValue): boolean {
  if (value instanceof GoMap) return value.size === 0;
  if (value instanceof GoInt) return value.value === 0n;
  return (
    value === null || value === '' || value === false || value === 0 || itemsOf(value)?.length === 0
  );
}

function infinityText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
