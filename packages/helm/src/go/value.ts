import { compareUtf8 } from '@waygate/text';
import type { Reflected } from './function.ts';
import { Boxed } from './function.ts';
import {
  anyMap,
  anySlice,
  anyType,
  boolType,
  complexType,
  float64Type,
  type GoKind,
  type GoType,
  int64Type,
  intType,
  stringType,
} from './type.ts';

/**
 * A value as Go's templates see it:
 *
 * | JavaScript | Go |
 * |---|---|
 * | `null` | nil |
 * | boolean | bool |
 * | string | string; a byte that is not UTF-8 is one of U+DC80 to U+DCFF (see `decodeBytes`) |
 * | number | float64: every number of values.yaml, of `fromYaml`, of `fromJson` |
 * | `GoInt` | int, int64 (of `--set` and of Sprig's arithmetic), int32, uint8, `time.Duration` |
 * | array | `[]interface {}`, not nil |
 * | `GoSlice` | other slices (`[]string`, `[]int`), and nil ones |
 * | `GoMap` | maps of strings: `map[string]interface {}`, `chartutil.Values`, `map[string]string` |
 * | `GoObject` | structs and pointers to them: times, versions, certificates, `.Chart` of Helm 3 |
 */
export type GoValue =
  | null
  | boolean
  | string
  | number
  | GoInt
  | GoComplex
  | readonly GoValue[]
  | GoSlice
  | GoMap
  | GoObject;

/** A whole number with its type. The value is within the range of the type. */
export class GoInt {
  readonly type: GoType;
  readonly value: bigint;

  constructor(type: GoType, value: bigint) {
    this.type = type;
    this.value = value;
  }
}

/** A complex constant, such as `1+2i`. */
export class GoComplex {
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    this.real = real;
    this.imaginary = imaginary;
  }
}

/** A slice of another type than `[]interface {}`, or a nil one. */
export class GoSlice {
  readonly type: GoType;
  readonly items: readonly GoValue[];
  readonly isNil: boolean;

  constructor(type: GoType, items: readonly GoValue[], isNil = false) {
    this.type = type;
    this.items = items;
    this.isNil = isNil;
  }
}

/**
 * A map from strings. Several may share their entries under different types, as `.Values` and
 * `.Values.AsMap` do: what `set` changes in one is seen in the other.
 *
 * ```ts
 * new GoMap([['name', 'web']]).get('name'); // 'web'
 * ```
 */
export class GoMap {
  readonly type: GoType;
  /** In no order that means anything: use `sortedKeys`. */
  readonly entries: Map<string, GoValue>;
  readonly isNil: boolean;

  constructor(
    entries: Map<string, GoValue> | Iterable<readonly [string, GoValue]> = [],
    type: GoType = anyMap,
    isNil = false,
  ) {
    this.entries = entries instanceof Map ? entries : new Map(entries);
    this.type = type;
    this.isNil = isNil;
  }

  get(key: string): GoValue | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  set(key: string, value: GoValue): this {
    this.entries.set(key, value);
    return this;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  get size(): number {
    return this.entries.size;
  }

  /** The keys in the order of their bytes, which is the order in which templates range over them. */
  sortedKeys(): string[] {
    const keys = [...this.entries.keys()];
    for (let at = 1; at < keys.length; at++) {
      // Many maps were written, or read, in order.
      if (compareUtf8(keys[at - 1]!, keys[at]!) > 0) return keys.sort(compareUtf8);
    }
    return keys;
  }

  /** The same entries under another type. */
  as(type: GoType): GoMap {
    return type === this.type ? this : new GoMap(this.entries, type, this.isNil);
  }
}

/** A field of a struct. */
export interface GoField {
  readonly name: string;
  readonly value: GoValue;
  /** Its static type, where that is not the value's own. */
  readonly type?: GoType;
  /** What encoding/json calls it; undefined leaves it out of JSON. */
  readonly json?: string;
  /** What go-yaml calls it, where that is not its name in lower case. */
  readonly yaml?: string;
  readonly omitsEmpty?: boolean;
  /** An embedded struct, whose fields are the outer one's too. */
  readonly isEmbedded?: boolean;
}

/** A struct, or with a type of the kind `ptr` a pointer to one. */
export class GoObject {
  readonly type: GoType;
  readonly fields: readonly GoField[];

  constructor(type: GoType, fields: readonly GoField[]) {
    this.type = type;
    this.fields = fields;
  }

  /** The field of that name, of this struct or of one that it embeds. */
  field(name: string): GoField | undefined {
    for (const each of this.fields) if (each.name === name) return each;
    for (const { isEmbedded, value } of this.fields) {
      const found = isEmbedded && value instanceof GoObject ? value.field(name) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What a value of this type is as JSON, where that is not an object of its fields. */
  json?(): GoValue;

  /** What `deepCopy` makes of it, where that is not the same fields again: those with small letters it cannot see. */
  copy?(): GoObject;
}

const smallInts = Array.from({ length: 1024 }, (_, value) => new GoInt(intType, BigInt(value)));

/**
 * A Go int: of literals, of `len`, `int`, `until`.
 *
 * ```ts
 * new GoMap([['replicas', goInt(3)]]);
 * ```
 */
export function goInt(value: number | bigint): GoInt {
  const number = Number(value);
  if (number >= 0 && number < smallInts.length && Number.isInteger(number))
    return smallInts[number]!;
  return new GoInt(intType, BigInt.asIntN(64, BigInt(value)));
}

/** A Go int64: of `--set`, of `add`, `mul`, `int64`. */
export function goInt64(value: number | bigint): GoInt {
  return new GoInt(int64Type, BigInt.asIntN(64, BigInt(value)));
}

/** The dynamic type of a value; undefined of nil. */
export function typeOf(value: Exclude<GoValue, null>): GoType;
export function typeOf(value: GoValue): GoType | undefined;
export function typeOf(value: GoValue): GoType | undefined {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'number':
      return float64Type;
    case 'boolean':
      return boolType;
    default:
      if (value === null) return undefined;
      if (Array.isArray(value)) return anySlice;
      if (value instanceof GoComplex) return complexType;
      return (value as GoInt | GoSlice | GoMap | GoObject).type;
  }
}

/** The static type of what flows through a pipeline; undefined of the invalid value. */
export function reflectedType(value: Exclude<Reflected, undefined>): GoType;
export function reflectedType(value: Reflected): GoType | undefined;
export function reflectedType(value: Reflected): GoType | undefined {
  if (value === undefined) return undefined;
  return value instanceof Boxed ? anyType : typeOf(value);
}

/** Takes the box away: of a nil interface the invalid value is left. */
export function unboxed(value: Reflected): Exclude<Reflected, Boxed> {
  if (!(value instanceof Boxed)) return value;
  return value.value === null ? undefined : value.value;
}

/** As `reflect.Value.Interface` gives it. */
export function plain(value: Reflected): GoValue {
  if (value instanceof Boxed) return value.value;
  return value === undefined ? null : value;
}

export function kindOf(value: GoValue): GoKind {
  return typeOf(value)?.kind ?? 'invalid';
}

/** The items of a slice of any type; undefined of anything else. */
export function itemsOf(value: GoValue | undefined): readonly GoValue[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof GoSlice ? value.items : undefined;
}

/** Whether a value of a kind that can be nil is nil. */
export function isNil(value: GoValue): boolean {
  return value === null || ((value instanceof GoSlice || value instanceof GoMap) && value.isNil);
}
