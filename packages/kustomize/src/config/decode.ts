import { compareUtf8, formatFloat, goQuote, oncePer } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import type { JsonObject, JsonValue } from '../yaml/json-value.ts';

/** The shape that configuration is decoded into, in the terms of the original's messages. */
export type Shape =
  | { readonly kind: 'string' | 'bool' | 'int' | 'any'; readonly goName?: string }
  | { readonly kind: 'list'; readonly of: Shape; readonly goName?: string }
  | { readonly kind: 'map'; readonly of: Shape }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: Fields };

type Fields = Readonly<Record<string, Shape | Embedded>>;

/** Fields of an embedded struct: they stand beside the others, and messages name the struct. */
interface Embedded {
  readonly kind: 'embedded';
  readonly fields: Fields;
}

export const string: Shape = { kind: 'string' };
export const bool: Shape = { kind: 'bool' };
export const int: Shape = { kind: 'int' };
export const int64: Shape = { kind: 'int', goName: 'int64' };
export const any: Shape = { kind: 'any' };
export const strings: Shape = { kind: 'list', of: string };
export const stringMap: Shape = { kind: 'map', of: string };

export function list(of: Shape): Shape {
  return { kind: 'list', of };
}

export function struct(name: string, fields: Fields): Shape {
  return { kind: 'struct', name, fields };
}

export function embedded(fields: Fields): Embedded {
  return { kind: 'embedded', fields };
}

interface DecodeOptions {
  /**
   * Whether a field that the shape lacks is an error, as it is in a kustomization file. Elsewhere
   * it is passed over, and a number or boolean where a string belongs becomes one.
   */
  readonly isStrict: boolean;
  /** Whether a number or boolean stays one although unknown fields are passed over: so it is in embedded structs. */
  readonly isExact?: boolean;
}

/**
 * Decodes JSON into plain objects. Field names match whatever their case. What does not fit is an
 * error that names the field, worded as Go's decoder words it.
 */
export function decode<T>(value: JsonValue, shape: Shape, options: DecodeOptions): T {
  return new Decoder(options).value(value, shape, { struct: '', path: [] }) as T;
}

interface Place {
  readonly struct: string;
  readonly path: readonly string[];
}

/** A field of a struct as JSON sees it: those of embedded structs stand among the others. */
interface FlatField {
  readonly shape: Shape;
  readonly name: string;
  /** The embedded structs that lead to the field. */
  readonly via: readonly string[];
}

/** The fields of a struct by their lower-case names, in the order of the shape. */
export function fieldsOfStruct(shape: Shape & { kind: 'struct' }): Iterable<FlatField> {
  return flatten(shape.fields).values();
}

const flatten: (fields: Fields) => ReadonlyMap<string, FlatField> = oncePer((fields) => {
  const flat = new Map<string, FlatField>();
  for (const [name, shape] of Object.entries(fields)) {
    if (shape.kind !== 'embedded') {
      flat.set(name.toLowerCase(), { shape, name, via: [] });
      continue;
    }
    for (const [key, inner] of flatten(shape.fields)) {
      flat.set(key, { ...inner, via: [name, ...inner.via] });
    }
  }
  return flat;
});

class Decoder {
  readonly #options: DecodeOptions;

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  value(value: JsonValue, shape: Shape, place: Place): unknown {
    if (value === null) return undefined;
    switch (shape.kind) {
      case 'any':
        return value;
      case 'string':
        return this.#string(value, shape, place);
      case 'bool':
        if (typeof value !== 'boolean') this.#mismatch(value, shape, place);
        return value;
      case 'int':
        if (typeof value !== 'bigint') this.#mismatch(value, shape, place);
        return Number(value);
      case 'list':
        if (!Array.isArray(value)) this.#mismatch(value, shape, place);
        return (value as JsonValue[]).map((item) => this.#item(item, shape.of, place));
      case 'map':
        if (!(value instanceof Map)) this.#mismatch(value, shape, place);
        return this.#map(value as JsonObject, shape.of, place);
      case 'struct':
        if (!(value instanceof Map)) this.#mismatch(value, shape, place);
        return this.#struct(value as JsonObject, shape, place);
    }
  }

  #string(value: JsonValue, shape: Shape, place: Place): string {
    if (typeof value === 'string') return value;
    const { isStrict, isExact } = this.#options;
    if (isStrict || isExact === true || value === null || typeof value === 'object') {
      this.#mismatch(value, shape, place);
    }
    return typeof value === 'number' ? formatFloat(value) : String(value);
  }

  #item(value: JsonValue, shape: Shape, place: Place): unknown {
    const decoded = this.value(value, shape, place);
    return decoded === undefined ? zeroOf(shape) : decoded;
  }

  #map(value: JsonObject, shape: Shape, place: Place): Map<string, unknown> {
    const result = new Map<string, unknown>();
    for (const key of sortedKeys(value)) result.set(key, this.#item(value.get(key)!, shape, place));
    return result;
  }

  #struct(
    value: JsonObject,
    shape: Shape & { kind: 'struct' },
    place: Place,
  ): Record<string, unknown> {
    const fields = flatten(shape.fields);
    const result: Record<string, unknown> = {};
    for (const key of sortedKeys(value)) {
      const field = fields.get(key.toLowerCase());
      if (field === undefined) {
        if (!this.#options.isStrict) continue;
        throw new KustomizeError(`json: unknown field ${goQuote(key)}`);
      }
      const decoded = this.value(value.get(key)!, field.shape, {
        struct: shape.name,
        path: [...place.path, ...field.via, field.name],
      });
      if (decoded !== undefined) result[field.name] = decoded;
    }
    return result;
  }

  #mismatch(value: JsonValue, shape: Shape, place: Place): never {
    const where =
      place.path.length === 0
        ? 'Go value'
        : `Go struct field ${place.struct}.${place.path.join('.')}`;
    throw new KustomizeError(
      `json: cannot unmarshal ${jsonKind(value, shape)} into ${where} of type ${goType(shape)}`,
    );
  }
}

function sortedKeys(value: JsonObject): string[] {
  return [...value.keys()].sort(compareUtf8);
}

function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
      return 0;
    case 'list':
      return [];
    case 'map':
      return new Map();
    case 'struct':
      return {};
    case 'any':
      return null;
  }
}

function jsonKind(value: JsonValue, shape: Shape): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return shape.kind === 'int' ? `number ${value}` : 'number';
    case 'bigint':
      return 'number';
    default:
      return 'object';
  }
}

function goType(shape: Shape): string {
  if ('goName' in shape && shape.goName !== undefined) return shape.goName;
  switch (shape.kind) {
    case 'list':
      return `[]${goType(shape.of)}`;
    case 'map':
      return `map[string]${goType(shape.of)}`;
    case 'struct':
      return `types.${shape.name}`;
    case 'any':
      return 'interface {}';
    default:
      return shape.kind;
  }
}
