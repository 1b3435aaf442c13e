import type { JsonValue } from '../entity/entities.ts';

const words: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
]);

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const prefixed = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function numberOf(text: string): number | undefined {
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  if (decimal.test(plain)) return Number(plain);
  const parts = prefixed.exec(plain);
  if (parts !== null) {
    const [, sign, digits = ''] = parts;
    const value = Number(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
    return sign === '-' ? -value : value;
  }
  return float.test(plain) ? Number(plain) : undefined;
}

/**
 * What a text without quotes means, as Go's YAML reader has it: `yes` and `on` are booleans, `010` is
 * eight, dates and `1:30` are texts.
 */
export function plainScalar(text: string): JsonValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const mayBeNumber = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  return mayBeNumber ? (numberOf(text) ?? text) : text;
}
