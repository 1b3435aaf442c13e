import { GatewayError } from '../gateway-error.ts';

/** A value of an expression. Texts hold one character a byte, as Lua's do; `undefined` is `nil`. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** A table that can be read and not written: `headers`, `uri_captures` and their like. */
export interface LuaTable {
  get(key: LuaValue): LuaValue;
  readonly length: number;
}

/** Takes and returns lists, as functions of Lua do. */
export type LuaFunction = (args: readonly LuaValue[], budget: LuaBudget) => readonly LuaValue[];

/** An expression that failed while it ran; in Kong such a request is a 500 as well. */
export class LuaFailure extends GatewayError {
  constructor(message: string) {
    super('WG_GATEWAY_TEMPLATE', message);
  }
}

const stepLimit = 200_000;
const byteLimit = 1_024 * 1_024;
const depthLimit = 64;

/**
 * What the templates of one request may cost together: whoever may write a plugin writes them, and
 * whoever may send a request chooses the texts that their patterns run on.
 */
export class LuaBudget {
  #steps = stepLimit;
  #bytes = byteLimit;
  #depth = 0;

  /** @throws LuaFailure when nothing is left */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) {
      throw new LuaFailure('the templates of a request take too many steps');
    }
  }

  /** Room for a text that is about to be made. */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (!(this.#bytes >= 0)) {
      throw new LuaFailure('the templates of a request make texts that are too long');
    }
  }

  /** Runs a call inside another one. */
  nest<Result>(run: () => Result): Result {
    if (this.#depth === depthLimit) {
      throw new LuaFailure('the functions of a template call each other too deeply');
    }
    this.#depth += 1;
    try {
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
  return typeof value === 'object' ? 'table' : typeof value;
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
  if (hex === null) return undefined;
  return Number(hex[2]) * (hex[1] === '-' ? -1 : 1);
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
