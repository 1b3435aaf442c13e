import { holdStack } from '@waygate/text';
import { GatewayError } from '../gateway-error.ts';

/** A value of an expression. Texts hold one character a byte, as Lua's do; `undefined` is `nil`. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** A table: one of a program, or one of the gateway, such as `headers`, which mostly can only be read. */
export interface LuaTable {
  get(key: LuaValue, budget?: LuaBudget): LuaValue;
  readonly length: number;
  /** Absent if it cannot be changed. */
  set?(key: LuaValue, value: LuaValue, budget: LuaBudget): void;
  /** The entry behind a key. Absent if it cannot be walked through. */
  next?(key: LuaValue, budget: LuaBudget): readonly [LuaValue, LuaValue] | undefined;
  /** What it does when it is called, with itself as the first argument. */
  readonly call?: LuaFunction;
  /** Stands for JSON's null. */
  readonly isNull?: boolean;
}

/** Takes and returns lists, as functions of Lua do. */
export type LuaFunction = (args: readonly LuaValue[], budget: LuaBudget) => readonly LuaValue[];

/** An expression or program that failed while it ran; in Kong such a request is a 500 as well. */
export class LuaFailure extends GatewayError {
  #value: LuaValue;
  #isLocated = false;

  constructor(message: string) {
    super('WG_GATEWAY_TEMPLATE', message);
    this.#value = message;
  }

  /** What a program gets that catches it: any value can be thrown. */
  get value(): LuaValue {
    return this.#value;
  }

  set value(value: LuaValue) {
    this.#value = value;
    this.#isLocated = true;
  }

  /** As a log shows it, with the place. */
  get shown(): string {
    return typeof this.#value === 'string' ? this.#value : this.message;
  }

  /** Says where it happened; the innermost place counts. */
  locate(where: string): void {
    if (!this.#isLocated) this.value = `${where} ${this.message}`;
  }

  raise(): never {
    throw this;
  }
}

/** Nothing is left of what a request may cost. No program can catch it. */
export class LuaExhausted extends LuaFailure {}

/** What templates or functions may cost. */
interface LuaLimits {
  readonly steps: number;
  readonly bytes: number;
  /** Calls inside of each other. */
  readonly depth: number;
  readonly what: string;
}

/** So many calls are held whatever is in them: expressions nest at most 190 deep. From there on each fourth looks. */
const surelyHeld = 8;
const levelsOfCall = 8;

const templateLimits: LuaLimits = {
  steps: 200_000,
  bytes: 1_024 * 1_024,
  depth: 64,
  what: 'the templates of a request',
};

/**
 * What the templates or functions of one request may cost together: whoever may write a plugin writes them,
 * and whoever may send a request chooses the texts that their patterns run on.
 */
export class LuaBudget {
  readonly #limits: LuaLimits;
  #steps: number;
  #bytes: number;
  #depth = 0;
  /** Where the program is, for `error`. */
  where = '';
  /** What functions of the gateway work on. */
  host: unknown;

  constructor(limits: LuaLimits = templateLimits) {
    this.#limits = limits;
    this.#steps = limits.steps;
    this.#bytes = limits.bytes;
  }

  get stepsLeft(): number {
    return Math.max(this.#steps, 0);
  }

  /** Bytes that were made so far. */
  get taken(): number {
    return this.#limits.bytes - this.#bytes;
  }

  /** @throws LuaExhausted when nothing is left */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new LuaExhausted(`${this.#limits.what} take too many steps`);
  }

  /** Room for a text or table that is about to be made. */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (!(this.#bytes >= 0)) {
      throw new LuaExhausted(`${this.#limits.what} make texts that are too long`);
    }
  }

  /** Runs a call inside another one. */
  nest<Result>(run: () => Result): Result {
    if (this.#depth === this.#limits.depth) {
      throw new LuaExhausted(`${this.#limits.what} call each other too deeply`);
    }
    this.#depth += 1;
    try {
      if (this.#depth >= surelyHeld) holdStack(this.#depth * levelsOfCall);
      return run();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** Only `nil` and `false` are not true. */
export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (typeof value !== 'object') return typeof value;
  return value.isNull === true ? 'userdata' : 'table';
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^([+-]?)(0[xX][0-9a-fA-F]+)$/;

/** A number, or a text that reads as one. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (decimal.test(text)) return Number(text);
  const hex = hexadecimal.exec(text);
  if (hex === null) return specialNumber(text);
  return Number(hex[2]) * (hex[1] === '-' ? -1 : 1);
}

/** LuaJIT reads what C writes for numbers that are none, or have no end. */
function specialNumber(text: string): number | undefined {
  const [, sign, word = ''] = /^([+-]?)(nan|inf|infinity)$/i.exec(text) ?? [];
  if (sign === undefined) return undefined;
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** As `tostring` writes it. The address that Lua gives for a table says nothing, so its kind does. */
export function toText(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'boolean' ? String(value) : typeOf(value);
}

/** What a string function is handed: a text, or a number as one. */
export function expectText(value: LuaValue, what: string): string {
  if (typeof value === 'string' || typeof value === 'number') return toText(value);
  throw new LuaFailure(`${what} expects a string, and got ${typeOf(value)}`);
}

export function expectNumber(value: LuaValue, what: string): number {
  const number = toNumber(value);
  if (number !== undefined) return number;
  throw new LuaFailure(`${what} expects a number, and got ${typeOf(value)}`);
}

/** C's `%.14g`. */
function numberText(value: number): string {
  return generalText(value, 14);
}

/** C's `%g` with a number of digits. */
export function generalText(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const [mantissa = '', exponentText = ''] = value
    .toExponential(Math.max(digits - 1, 0))
    .split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < Math.max(digits, 1)) {
    return withoutZeros(value.toFixed(Math.max(digits, 1) - 1 - exponent));
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${withoutZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** `tonumber`: a number in a base, or undefined. */
export function parseNumber(value: LuaValue, base: LuaValue): number | undefined {
  const radix = base === undefined ? 10 : expectNumber(base, 'tonumber');
  if (radix === 10) return toNumber(value);
  if (radix < 2 || radix > 36) {
    throw new LuaFailure("bad argument #2 to 'tonumber' (base out of range)");
  }
  const [, sign, text = ''] =
    /^([+-]?)(.*)$/s.exec(expectText(value, 'tonumber').trim().toLowerCase()) ?? [];
  const number = radix === 16 ? text.replace(/^0x/, '') : text;
  const digits = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix);
  if (number === '' || ![...number].every((digit) => digits.includes(digit))) return undefined;
  return Number.parseInt(number, radix) * (sign === '-' ? -1 : 1);
}
