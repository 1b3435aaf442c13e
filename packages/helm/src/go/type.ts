import type { GoFunction } from './function.ts';
import type { GoValue } from './value.ts';

/** Go's kinds of types, by the names that `kindOf` prints. */
export type GoKind =
  | 'invalid'
  | 'bool'
  | 'int'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float64'
  | 'complex128'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'
  | 'interface'
  | 'func';

/**
 * A Go type. Types are made once and compared by identity: `mapOf(anyType)` is always the same object.
 */
export interface GoType {
  /** As `%T` prints it: `map[string]interface {}`. */
  readonly name: string;
  readonly kind: GoKind;
  /** What a slice, a map or a pointer holds. */
  readonly elem?: GoType;
  /** Of a named type: the type that it was made of. */
  readonly underlying?: GoType;
  /** The methods that templates may call. */
  readonly methods?: ReadonlyMap<string, (receiver: GoValue) => GoFunction>;
  /** The text of a value whose type has a `String` or an `Error` method. */
  readonly text?: (value: GoValue) => string;
  /** The same, of a pointer to it only: an action prints it by this where the value has an address. */
  readonly addressText?: (value: GoValue) => string;
}

function basic(name: string, kind: GoKind): GoType {
  return { name, kind };
}

export const anyType: GoType = basic('interface {}', 'interface');
export const boolType: GoType = basic('bool', 'bool');
export const stringType: GoType = basic('string', 'string');
export const intType: GoType = basic('int', 'int');
export const int64Type: GoType = basic('int64', 'int64');
export const uint8Type: GoType = basic('uint8', 'uint8');
export const uint32Type: GoType = basic('uint32', 'uint32');
export const uint64Type: GoType = basic('uint64', 'uint64');
export const float64Type: GoType = basic('float64', 'float64');
export const complexType: GoType = basic('complex128', 'complex128');
/** Of parameters that take whatever there is, without looking at it: `reflect.Value`. */
export const reflectType: GoType = basic('reflect.Value', 'struct');

const made = new WeakMap<GoType, Map<string, GoType>>();

function makeOnce(kind: string, elem: GoType, make: () => GoType): GoType {
  const types = made.get(elem) ?? new Map<string, GoType>();
  made.set(elem, types);
  const type = types.get(kind) ?? make();
  types.set(kind, type);
  return type;
}

/** The type of slices of `elem`. */
export function sliceOf(elem: GoType): GoType {
  return makeOnce('slice', elem, () => ({ name: `[]${elem.name}`, kind: 'slice', elem }));
}

/** The type of maps from strings to `elem`. */
export function mapOf(elem: GoType): GoType {
  return makeOnce('map', elem, () => ({ name: `map[string]${elem.name}`, kind: 'map', elem }));
}

/** The type of pointers to `elem`, which has the methods of `elem` too. */
export function pointerTo(elem: GoType): GoType {
  return makeOnce('ptr', elem, () => ({
    ...(elem.methods && { methods: elem.methods }),
    ...(elem.text && { text: elem.text }),
    name: `*${elem.name}`,
    kind: 'ptr',
    elem,
  }));
}

/** A type of its own name over another, as `type Values map[string]interface{}` makes it. */
export function namedType(
  name: string,
  underlying: GoType,
  more: Pick<GoType, 'methods' | 'text'> = {},
): GoType {
  const { kind, elem } = underlying;
  return { name, kind, ...(elem && { elem }), underlying, ...more };
}

export const anySlice: GoType = sliceOf(anyType);
export const stringSlice: GoType = sliceOf(stringType);
export const anyMap: GoType = mapOf(anyType);
export const stringMap: GoType = mapOf(stringType);

/** Whether a value of one type may be put where another is asked for, by Go's rules. */
export function isAssignable(type: GoType, target: GoType): boolean {
  if (type === target || target === anyType) return true;
  const isUnnamed = type.underlying === undefined || target.underlying === undefined;
  return (
    isUnnamed &&
    (type.kind === 'map' || type.kind === 'slice') &&
    (type.underlying ?? type) === (target.underlying ?? target)
  );
}

/** Whether a value of the type can be nil. */
export function canBeNil({ kind }: GoType): boolean {
  return (
    kind === 'interface' || kind === 'map' || kind === 'ptr' || kind === 'slice' || kind === 'func'
  );
}
