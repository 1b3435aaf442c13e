import { isObject } from '@waygate/text';
import { GoMap, type GoValue } from '../go/value.ts';

/** What a field of a Go struct takes, as far as its JSON reader tells apart. */
export type GoShape =
  | { readonly kind: 'string' | 'bool' | 'any' }
  | { readonly kind: 'list'; readonly of: GoShape }
  | { readonly kind: 'map'; readonly of: GoShape }
  | {
      readonly kind: 'struct';
      /** The type's name, for messages: `Metadata`. */
      readonly name: string;
      /** Its package, for messages: `chart`. */
      readonly in: string;
      readonly fields: Readonly<Record<string, GoShape>>;
      /** What messages print of a type without a name. */
      readonly printedAs?: string;
    };

/** The first thing that did not fit. Go reads on after it, and so does this. */
interface Misfit {
  message?: string;
}

/**
 * Puts data into a struct as Go's JSON reader does after its YAML reader: names count without their case,
 * null changes nothing, a number or boolean in a place for text becomes text, unknown fields are dropped.
 *
 * @throws Error with Go's words about the first value of a wrong type
 */
export function decodeInto(target: Record<string, unknown>, data: GoValue, shape: GoShape): void {
  const misfit: Misfit = {};
  decode(data, shape, target, { struct: '', path: [] }, misfit);
  if (misfit.message !== undefined) throw new Error(misfit.message);
}

interface Place {
  readonly struct: string;
  readonly path: readonly string[];
}

function decode(
  data: GoValue | undefined,
  shape: GoShape,
  current: unknown,
  place: Place,
  misfit: Misfit,
): unknown {
  if (data === null || data === undefined) return shape.kind === 'struct' ? current : undefined;
  const wrong = (): undefined => {
    misfit.message ??= `json: cannot unmarshal ${jsonKind(data)} into Go ${placeText(place)} of type ${typeName(shape)}`;
    return undefined;
  };
  switch (shape.kind) {
    case 'any':
      return data;
    case 'string':
      return typeof data === 'object' ? wrong() : scalarText(data);
    case 'bool':
      return typeof data === 'boolean' ? data : wrong();
    case 'list':
      if (!Array.isArray(data)) return wrong();
      return data.map(
        (item) => decode(item, shape.of, undefined, place, misfit) ?? zeroOf(shape.of),
      );
    case 'map': {
      if (!(data instanceof GoMap)) return wrong();
      const pairs = data.sortedKeys().map((key) => {
        const value = decode(data.get(key), shape.of, undefined, place, misfit);
        return [key, value ?? zeroOf(shape.of)] as const;
      });
      return Object.fromEntries(pairs);
    }
    case 'struct':
      return data instanceof GoMap ? decodeStruct(data, shape, current, place, misfit) : wrong();
  }
}

/** The field that a key is for: its case does not count. */
function fieldNamed(key: string, { fields }: GoShape & { kind: 'struct' }): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const small = key.toLowerCase();
  return Object.keys(fields).find((each) => each.toLowerCase() === small);
}

function decodeStruct(
  data: GoMap,
  shape: GoShape & { kind: 'struct' },
  current: unknown,
  place: Place,
  misfit: Misfit,
): Record<string, unknown> {
  const result = isObject(current) ? current : {};
  for (const key of data.sortedKeys()) {
    const name = fieldNamed(key, shape);
    if (name === undefined) continue;
    const inside = { struct: shape.name, path: [...place.path, name] };
    const value = decode(data.get(key), shape.fields[name]!, result[name], inside, misfit);
    if (value !== undefined) result[name] = value;
    else if (data.get(key) === null && shape.fields[name]!.kind !== 'string') delete result[name];
  }
  return result;
}

/** The first field that a struct does not have, at any depth, in the order in which Go meets them. */
export function unknownField(data: GoValue | undefined, shape: GoShape): string | undefined {
  if (shape.kind === 'list' && Array.isArray(data)) {
    return first(data, (item) => unknownField(item, shape.of));
  }
  if (!(data instanceof GoMap)) return undefined;
  return first(data.sortedKeys(), (key) => {
    if (shape.kind === 'map') return unknownField(data.get(key), shape.of);
    if (shape.kind !== 'struct') return undefined;
    const name = fieldNamed(key, shape);
    return name === undefined ? key : unknownField(data.get(key), shape.fields[name]!);
  });
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a null in a list or a map is: empty text, or nothing at all. */
function zeroOf(shape: GoShape): unknown {
  if (shape.kind === 'string') return '';
  return shape.kind === 'bool' ? false : null;
}

function scalarText(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  // Go prints it with the digits of a 32-bit float.
  const short = Number(value.toPrecision(17));
  return formatFloat32(short);
}

/** The shortest digits that give the same 32-bit float. */
function formatFloat32(value: number): string {
  const single = Math.fround(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return goExponent(Number(text));
  }
  return goExponent(single);
}

function goExponent(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

function jsonKind(data: unknown): string {
  if (Array.isArray(data)) return 'array';
  switch (typeof data) {
    case 'object':
      return 'object';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return 'number';
  }
}

function placeText({ struct, path }: Place): string {
  return path.length === 0 ? 'value' : `struct field ${struct}.${path.join('.')}`;
}

function typeName(shape: GoShape): string {
  switch (shape.kind) {
    case 'any':
      return 'interface {}';
    case 'list':
      return `[]${shape.of.kind === 'struct' ? '*' : ''}${typeName(shape.of)}`;
    case 'map':
      return `map[string]${typeName(shape.of)}`;
    case 'struct':
      return shape.printedAs ?? `${shape.in}.${shape.name}`;
    default:
      return shape.kind;
  }
}
