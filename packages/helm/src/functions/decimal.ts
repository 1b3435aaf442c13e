import { shortestDigits } from '../go/float-digits.ts';
import { GoError } from '../go/function.ts';

/** A decimal number: `value` times ten to the `exponent`, as shopspring/decimal has it. */
export interface Decimal {
  readonly value: bigint;
  readonly exponent: number;
}

/** Digits after the point that a division keeps. */
const divisionDigits = 16;

/** The decimal of the fewest digits that tell the float. @throws GoError for what is no number */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new GoError(`Cannot create a Decimal from ${text}`);
  }
  const { digits, point } = shortestDigits(Math.abs(value));
  if (digits === '') return { value: 0n, exponent: 0 };
  const size = BigInt(digits);
  return { value: value < 0 ? -size : size, exponent: point - digits.length };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { value: scaled(a, exponent) + scaled(b, exponent), exponent };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { value: -b.value, exponent: b.exponent });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { value: a.value * b.value, exponent: a.exponent + b.exponent };
}

/** Rounds half away from zero. @throws GoError for a division by zero */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (b.value === 0n) throw new GoError('decimal division by 0');
  const shift = divisionDigits + a.exponent - b.exponent;
  const [top, bottom] =
    shift >= 0
      ? [a.value * 10n ** BigInt(shift), b.value]
      : [a.value, b.value * 10n ** BigInt(-shift)];
  let quotient = top / bottom;
  const rest = top % bottom;
  if (magnitude(rest) * 2n >= magnitude(bottom)) quotient += top < 0n === bottom < 0n ? 1n : -1n;
  return { value: quotient, exponent: -divisionDigits };
}

/** The nearest float. */
export function decimalToFloat({ value, exponent }: Decimal): number {
  return Number(`${value}e${exponent}`);
}

function scaled({ value, exponent }: Decimal, to: number): bigint {
  return value * 10n ** BigInt(exponent - to);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
