import { SchemaError } from './error.ts';

/** A number, or a text that is mostly a port's name or a percentage. */
export type IntOrString = number | string;

/**
 * Reads a flag or annotation: digits become a number, anything else stays text.
 *
 * ```ts
 * parseIntOrString('8080'); // 8080
 * parseIntOrString('http'); // 'http'
 * ```
 */
export function parseIntOrString(text: string): IntOrString {
  if (!/^[+-]?\d{1,10}$/.test(text)) return text;
  const number = Number(text);
  return number >= -2147483648 && number <= 2147483647 ? number : text;
}

/**
 * The absolute number: of an int itself, of `25%` that part of `total`.
 *
 * ```ts
 * scaledIntOrPercent('25%', 10, true); // 3
 * scaledIntOrPercent('25%', 10, false); // 2
 * scaledIntOrPercent(4, 10, true); // 4
 * ```
 *
 * @throws SchemaError `WG_SCHEMA_INT_OR_STRING` when a text is no percentage
 */
export function scaledIntOrPercent(value: IntOrString, total: number, roundUp: boolean): number {
  if (typeof value === 'number') return value;
  const match = /^([+-]?\d{1,10})%$/.exec(value);
  if (match === null) {
    throw new SchemaError(
      'WG_SCHEMA_INT_OR_STRING',
      `invalid value "${value.slice(0, 80)}": neither an integer nor a percentage such as 25%`,
    );
  }
  const exact = (Number(match[1]) * total) / 100;
  return roundUp ? Math.ceil(exact) : Math.floor(exact);
}
