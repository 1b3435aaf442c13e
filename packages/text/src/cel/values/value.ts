/**
 * What an expression comes to when it cannot be evaluated. It is a value: `||` and `&&` may absorb it.
 *
 * ```ts
 * const declarations = CelDeclarations.of(kubernetesLibraries);
 * const checked = compileCel('1 / 0', declarations);
 * const program = 'issues' in checked ? undefined : checked.program(declarations);
 * const value = program instanceof CelProgram ? program.evaluate(() => undefined).value : undefined;
 * value instanceof CelFailure && value.message; // 'division by zero'
 * ```
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The failure of a call whose arguments are of types that no overload takes. */
export const noSuchOverload = new CelFailure('no such overload');

export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment, in nanoseconds since 1970, with the seconds by which the text that it is of was off UTC. */
export class CelTimestamp {
  readonly nanoseconds: bigint;
  readonly offset: number;

  constructor(nanoseconds: bigint, offset = 0) {
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }
}

export class CelDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A type as a value: `type(1)` is `int`. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A value that may be missing: `optional.of(x)`, `optional.none()`, `a.?b`.
 *
 * ```ts
 * [CelOptional.none.value, new CelOptional('a').value]; // [undefined, 'a']
 * ```
 */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  /** Unset in an optional without a value. */
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A list; items are made when they are asked for, and some cannot be. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): CelResult;
  /** This list with another behind it. */
  abstract concat(other: CelList): CelResult;
  abstract equals(other: CelValue): boolean | CelFailure;

  *[Symbol.iterator](): Generator<CelResult> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
}

/**
 * A map, or an object with fields.
 *
 * ```ts
 * const labels = celOfJson({ app: 'shop' });
 * labels instanceof CelMap && labels.find('app'); // 'shop'
 * ```
 */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined when there is no such key. */
  abstract find(key: CelValue): CelResult | undefined;
  abstract keys(): Iterable<CelValue>;
  abstract equals(other: CelValue): boolean | CelFailure;
}

/**
 * A value of a type that a library brings.
 *
 * ```ts
 * class Color extends CelObject {
 *   readonly typeName = 'acme.Color';
 *   readonly name: string;
 *   constructor(name: string) {
 *     super();
 *     this.name = name;
 *   }
 *   equals(other: unknown) {
 *     return other instanceof Color && other.name === this.name;
 *   }
 * }
 * new Color('red').equals(new Color('red')); // true
 * ```
 */
export abstract class CelObject {
  abstract readonly typeName: string;
  abstract equals(other: CelValue): boolean | CelFailure;

  /** What counts as its length when the cost of a call depends on one. */
  get size(): number | undefined {
    return undefined;
  }

  /** The length of the longest regular expression that a call of it may run. */
  get regexSize(): number | undefined {
    return undefined;
  }

  /** A field, where the type has fields; undefined when there is none. */
  field(_name: string): CelResult | undefined {
    return undefined;
  }
}

export type CelValue =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelTypeValue
  | CelOptional
  | CelList
  | CelMap
  | CelObject;

export type CelResult = CelValue | CelFailure;

/** The name of the type of a value, as `type()` gives it. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value === null) return 'null_type';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelTypeValue) return 'type';
  if (value instanceof CelOptional) return 'optional_type';
  return value.typeName;
}

const encoder = new TextEncoder();

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The number of characters of a text, as CEL counts them: code points. */
export function lengthOf(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    index += 1;
  }
  return count;
}
