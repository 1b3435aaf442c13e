import { CelFailure, CelUint } from './value.ts';

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
export const maxUint = 2n ** 64n - 1n;

/** A whole number of 64 bits, or the error that there is none. */
export function intOrOverflow(value: bigint): bigint | CelFailure {
  return value < minInt || value > maxInt ? new CelFailure('integer overflow') : value;
}

export function uintOrOverflow(value: bigint): CelUint | CelFailure {
  return value < 0n || value > maxUint
    ? new CelFailure('unsigned integer overflow')
    : new CelUint(value);
}

/** The whole part of a number, when it has 64 bits. */
export function truncate(value: number): bigint | undefined {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
}

/** A number as Go's `%g` prints it: the fewest digits, with an exponent from a million on. */
export function showDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return plainDecimal(mantissa, exponent);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
}

/** A number without an exponent, from one with it. */
export function plainDecimal(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0');
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** A number with a fixed count of digits behind the point; what lies in the middle goes to the even digit. */
export function showFixed(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  if (precision >= 100 || Math.abs(value) >= 1e21) return rounded;
  const exact = value.toFixed(100);
  const cut = exact.length - 100 + precision;
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const lower = exact.slice(0, precision === 0 ? cut - 1 : cut);
  return Number(lower.at(-1)) % 2 === 0 ? lower : rounded;
}
