import type { Budget } from './budget.ts';
import { decodeBytes, encodeBytes } from './bytes.ts';
import {
  formatFloatVerb,
  formatInteger,
  formatString,
  hexadecimal,
  hexBytes,
} from './format-basic.ts';
import { FormatFlags } from './format-flags.ts';
import { anyType, type GoType, uint8Type } from './type.ts';
import {
  GoComplex,
  GoInt,
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  itemsOf,
  typeOf,
} from './value.ts';

/** Where Go prints the address of a pointer; ours is always the same, for there is none. */
const address = 0xc000010000n;

/** Prints values by verbs, as Go's fmt does. One is made for each call of a printing function. */
export class ValuePrinter {
  flags = new FormatFlags();
  readonly #budget: Budget;
  /** Inside of `%!d(...)`, where methods are not called. */
  #isErroring = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** An argument by a verb. */
  print(value: GoValue, verb: string): string {
    this.#budget.step();
    if (value === null) {
      return verb === 'T' || verb === 'v' ? this.flags.pad('<nil>') : this.#badVerb(null, verb);
    }
    const type = typeOf(value);
    if (verb === 'T') return this.flags.pad(this.flags.truncate(type.name));
    if (verb === 'p') return this.#pointer(value, verb);
    if (value instanceof GoSlice && type.elem === uint8Type && type.underlying === undefined) {
      return this.#byteSlice(value, verb, 0);
    }
    return this.#byMethod(value, type, verb) ?? this.#value(value, type, verb, 0);
  }

  #badVerb(value: GoValue, verb: string): string {
    if (value === null) return `%!${verb}(<nil>)`;
    this.#isErroring = true;
    const text = `%!${verb}(${typeOf(value).name}=${this.#plainPrint(value)})`;
    this.#isErroring = false;
    return text;
  }

  #plainPrint(value: Exclude<GoValue, null>): string {
    return this.#value(value, typeOf(value), 'v', 0);
  }

  #byMethod(value: GoValue, type: GoType, verb: string): string | undefined {
    if (this.#isErroring) return undefined;
    if (verb === 'w' && isComposite(type)) return this.#badVerb(value, verb);
    if (type.text === undefined || this.flags.sharpV) return undefined;
    if (!['v', 's', 'x', 'X', 'q'].includes(verb)) return undefined;
    return formatString(this.flags, type.text(value), verb);
  }

  /** A value inside of another, whose static type there may be `interface {}`. */
  #nested(value: GoValue, holder: GoType | undefined, verb: string, depth: number): string {
    this.#budget.step(4);
    this.#budget.nest(depth);
    if (value === null) {
      if (holder === undefined || holder === anyType)
        return this.flags.sharpV ? 'interface {}(nil)' : '<nil>';
      return this.flags.sharpV ? `(${holder.name})(nil)` : '<nil>';
    }
    const type = typeOf(value);
    return this.#byMethod(value, type, verb) ?? this.#value(value, type, verb, depth);
  }

  #value(value: Exclude<GoValue, null>, type: GoType, verb: string, depth: number): string {
    const basic = this.#basic(value, type, verb);
    if (basic !== undefined) return basic === false ? this.#badVerb(value, verb) : basic;
    if (value instanceof GoMap) return this.#map(value, verb, depth);
    if (value instanceof GoObject) {
      if (type.kind !== 'ptr') return this.#struct(value, type, verb, depth);
      return depth === 0
        ? `&${this.#struct(value, type.elem!, verb, depth)}`
        : this.#pointer(value, verb);
    }
    return this.#slice(value as GoSlice | readonly GoValue[], type, verb, depth);
  }

  /** False where the verb does not fit, undefined where the value is not a basic one. */
  #basic(value: GoValue, type: GoType, verb: string): string | false | undefined {
    switch (typeof value) {
      case 'string':
        // Each letter by its digits takes its time.
        if (verb === 'x' || verb === 'X') this.#budget.step(3 * value.length);
        return formatString(this.flags, value, verb) ?? false;
      case 'number':
        return formatFloatVerb(this.flags, value, verb) ?? false;
      case 'boolean':
        return verb === 't' || verb === 'v' ? this.flags.pad(String(value)) : false;
    }
    if (value instanceof GoInt) {
      return formatInteger(this.flags, value.value, !type.kind.startsWith('u'), verb) ?? false;
    }
    return value instanceof GoComplex ? this.#complex(value, verb) : undefined;
  }

  #complex({ real, imaginary }: GoComplex, verb: string): string | false {
    const first = formatFloatVerb(this.flags, real, verb);
    if (first === undefined) return false;
    const { plus } = this.flags;
    this.flags.plus = true;
    const second = formatFloatVerb(this.flags, imaginary, verb);
    this.flags.plus = plus;
    return `(${first}${second}i)`;
  }

  #map(map: GoMap, verb: string, depth: number): string {
    const { sharpV } = this.flags;
    if (sharpV && map.isNil) return `${map.type.name}(nil)`;
    const entries = map.sortedKeys().map((key) => {
      const value = map.get(key)!;
      return `${this.#nested(key, undefined, verb, depth + 1)}:${this.#nested(value, map.type.elem, verb, depth + 1)}`;
    });
    return sharpV ? `${map.type.name}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`;
  }

  #struct(object: GoObject, type: GoType, verb: string, depth: number): string {
    const { sharpV, plusV } = this.flags;
    const fields = object.fields.map(({ name, value, type: declared }) => {
      const text = this.#nested(value, declared, verb, depth + 1);
      return sharpV || plusV ? `${name}:${text}` : text;
    });
    return `${sharpV ? type.name : ''}{${fields.join(sharpV ? ', ' : ' ')}}`;
  }

  #slice(value: GoSlice | readonly GoValue[], type: GoType, verb: string, depth: number): string {
    const isNil = value instanceof GoSlice && value.isNil;
    if (type.elem === uint8Type && ['s', 'q', 'x', 'X'].includes(verb)) {
      return this.#byteSlice(value as GoSlice, verb, depth);
    }
    const { sharpV } = this.flags;
    if (sharpV && isNil) return `${type.name}(nil)`;
    const items = itemsOf(value)!.map((item) => this.#nested(item, type.elem, verb, depth + 1));
    return sharpV ? `${type.name}{${items.join(', ')}}` : `[${items.join(' ')}]`;
  }

  #byteSlice(slice: GoSlice, verb: string, depth: number): string {
    const bytes = bytesOf(slice);
    switch (verb) {
      case 'v':
      case 'd': {
        const { sharpV } = this.flags;
        if (sharpV && slice.isNil) return '[]byte(nil)';
        const items = Array.from(bytes, (byte) =>
          sharpV
            ? hexadecimal(this.flags, BigInt(byte))
            : formatInteger(this.flags, BigInt(byte), false, 'd')!,
        );
        return sharpV ? `[]byte{${items.join(', ')}}` : `[${items.join(' ')}]`;
      }
      case 's':
        return this.flags.pad(this.flags.truncate(decodeBytes(bytes)));
      case 'x':
      case 'X':
        return hexBytes(this.flags, bytes, verb);
      case 'q':
        return formatString(this.flags, decodeBytes(bytes), 'q')!;
      default:
        return this.#slice(slice, slice.type, verb, depth);
    }
  }

  #pointer(value: Exclude<GoValue, null>, verb: string): string {
    const { kind, name } = typeOf(value);
    if (kind !== 'map' && kind !== 'slice' && kind !== 'ptr') return this.#badVerb(value, verb);
    switch (verb) {
      case 'v':
        if (this.flags.sharpV) return `(${name})(${hexadecimal(this.flags, address)})`;
        return hexadecimal(this.flags, address, !this.flags.sharp);
      case 'p':
        return hexadecimal(this.flags, address, !this.flags.sharp);
      default:
        return formatInteger(this.flags, address, false, verb) ?? this.#badVerb(value, verb);
    }
  }
}

/** What Go asks for methods before it looks inside. */
function isComposite({ kind, underlying }: GoType): boolean {
  return (
    underlying !== undefined ||
    kind === 'map' ||
    kind === 'slice' ||
    kind === 'struct' ||
    kind === 'ptr'
  );
}

/** The bytes of a `[]uint8`. */
export function bytesOf(slice: GoSlice): Uint8Array {
  return Uint8Array.from(slice.items, (item) => Number((item as GoInt).value));
}

/** A `[]uint8` of the bytes of a string. */
export function byteSliceOf(text: string, type: GoType): GoSlice {
  return new GoSlice(
    type,
    Array.from(encodeBytes(text), (byte) => new GoInt(uint8Type, BigInt(byte))),
  );
}
