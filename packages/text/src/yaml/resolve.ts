import { parseTimestamp } from './timestamp.ts';

/** What a plain scalar's text means. */
export type Resolved =
  | { readonly tag: '!!str'; readonly value: string }
  | { readonly tag: '!!null'; readonly value: null }
  | { readonly tag: '!!bool'; readonly value: boolean }
  | { readonly tag: '!!int'; readonly value: bigint }
  | { readonly tag: '!!float'; readonly value: number }
  | { readonly tag: '!!timestamp'; readonly value: string }
  | { readonly tag: '!!merge'; readonly value: string };

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const dotFloat = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;
const integerForm = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const minInt64 = -(2n ** 63n);
const maxUint64 = 2n ** 64n - 1n;

const nullValue: Resolved = { tag: '!!null', value: null };
const trueValue: Resolved = { tag: '!!bool', value: true };
const falseValue: Resolved = { tag: '!!bool', value: false };

const knownWords: ReadonlyMap<string, Resolved> = new Map<string, Resolved>([
  ['', nullValue],
  ['~', nullValue],
  ['null', nullValue],
  ['Null', nullValue],
  ['NULL', nullValue],
  ['true', trueValue],
  ['True', trueValue],
  ['TRUE', trueValue],
  ['false', falseValue],
  ['False', falseValue],
  ['FALSE', falseValue],
  ...floats(Number.NaN, ['.nan', '.NaN', '.NAN']),
  ...floats(Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']),
  ...floats(Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']),
]);

const merge: Resolved = { tag: '!!merge', value: '<<' };

/** The booleans that only YAML 1.1 knows; libyaml's readers leave out those of one letter. */
const legacyBooleans: ReadonlyMap<string, Resolved> = new Map<string, Resolved>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, trueValue] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, falseValue] as const),
]);

function floats(value: number, words: string[]): [string, Resolved][] {
  return words.map((word) => [word, { tag: '!!float', value }]);
}

/** Only these can start what is not a string; asking first keeps resolving cheap. */
export function mayBeTyped(code: number): boolean {
  if (Number.isNaN(code)) return true;
  if (code >= 0x30 && code <= 0x39) return true;
  switch (code) {
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
    case 0x7e: // ~
    case 0x6e: // n
    case 0x4e: // N
    case 0x74: // t
    case 0x54: // T
    case 0x66: // f
    case 0x46: // F
    case 0x79: // y
    case 0x59: // Y
    case 0x6f: // o
    case 0x4f: // O
      return true;
    default:
      return false;
  }
}

/**
 * Resolves a plain scalar as resources are read: booleans are `true` and `false` only.
 *
 * ```ts
 * resolveScalar('yes').tag; // '!!str'
 * resolveScalar('0x10').tag; // '!!int'
 * ```
 */
export function resolveScalar(text: string): Resolved {
  if (text === '<<') return merge;
  const code = text.charCodeAt(0);
  if (!mayBeTyped(code)) return { tag: '!!str', value: text };
  return knownWords.get(text) ?? resolveNumber(text, code) ?? { tag: '!!str', value: text };
}

/**
 * Resolves a plain scalar as kustomization files are read: YAML 1.1, `yes` is a boolean.
 *
 * ```ts
 * resolveLegacyScalar('yes').tag; // '!!bool'
 * ```
 */
export function resolveLegacyScalar(text: string): Resolved {
  const code = text.charCodeAt(0);
  if (!mayBeTyped(code)) return { tag: '!!str', value: text };
  return (
    knownWords.get(text) ??
    legacyBooleans.get(text) ??
    resolveNumber(text, code) ?? { tag: '!!str', value: text }
  );
}

/** The tag that resolving gives, without the cost of the value. */
export function tagOfScalar(text: string): string {
  if (text === '<<') return '!!merge';
  if (!mayBeTyped(text.charCodeAt(0))) return '!!str';
  return resolveScalar(text).tag;
}

function resolveNumber(text: string, code: number): Resolved | undefined {
  if (code === 0x2e) {
    return dotFloat.test(text) ? { tag: '!!float', value: Number(text) } : undefined;
  }
  const isDigit = code >= 0x30 && code <= 0x39;
  if (!isDigit && code !== 0x2b && code !== 0x2d) return undefined;
  if (isDigit && text.length >= 8 && text.charCodeAt(4) === 0x2d) {
    const timestamp = parseTimestamp(text);
    if (timestamp !== undefined) return { tag: '!!timestamp', value: timestamp };
  }
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  const integer = parseInteger(plain);
  if (integer !== undefined) return { tag: '!!int', value: integer };
  return float.test(plain) ? floatOf(plain) : undefined;
}

function floatOf(text: string): Resolved | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? { tag: '!!float', value } : undefined;
}

function parseInteger(text: string): bigint | undefined {
  // Nothing longer fits in 64 bits, and long digits would cost.
  if (text.length > 70) return undefined;
  const match = integerForm.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  let value: bigint;
  if (hex !== undefined) value = BigInt(`0x${hex}`);
  else if (binary !== undefined) value = BigInt(`0b${binary}`);
  else if (octal !== undefined) value = BigInt(`0o${octal}`);
  else value = BigInt(decimal!);
  if (sign === '-') value = -value;
  if (value < minInt64 || value > maxUint64) return undefined;
  // A sign is not allowed on what only fits unsigned.
  if (sign === '+' && value >= 2n ** 63n) return undefined;
  return value;
}
