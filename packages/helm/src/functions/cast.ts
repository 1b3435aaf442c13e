import { parseGoFloat, parseGoInt } from '../go/parse-number.ts';
import { GoInt, type GoValue } from '../go/value.ts';

const minInt64 = -(1n << 63n);
const limit = 2 ** 63;

/** spf13/cast's ToInt64: what is no number is 0. */
export function toInt64(value: GoValue): bigint {
  switch (typeof value) {
    case 'number':
      return floatToInt64(value);
    case 'boolean':
      return value ? 1n : 0n;
    case 'string':
      return parseGoInt(withoutZeroDecimals(value), 0) ?? 0n;
  }
  return value instanceof GoInt && isPlainInt(value) ? BigInt.asIntN(64, value.value) : 0n;
}

/** Of types with names of their own cast knows only months and days of the week, not durations. */
function isPlainInt({ type }: GoInt): boolean {
  return type.underlying === undefined || type.kind === 'int';
}

/** Go's conversion on amd64: what does not fit is the smallest integer. */
export function floatToInt64(value: number): bigint {
  const whole = Math.trunc(value);
  return whole >= -limit && whole < limit ? BigInt(whole) : minInt64;
}

/** spf13/cast's ToFloat64: what is no number is 0. */
export function toFloat64(value: GoValue): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'string':
      return parseGoFloat(value) ?? 0;
  }
  return value instanceof GoInt && isPlainInt(value) ? Number(value.value) : 0;
}

/** `1.00` is read as `1`. */
function withoutZeroDecimals(text: string): string {
  const match = /^(.*)\.0+$/s.exec(text);
  return match === null ? text : match[1]!;
}
