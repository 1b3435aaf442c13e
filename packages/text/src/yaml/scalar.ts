/**
 * How YAML 1.1, as Kubernetes' tools read it, understands an unquoted scalar. One table for both
 * ways: what would not come back as text is quoted on the way out.
 */

export type ResolvedScalar =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'timestamp' }
  | { readonly type: 'string' };

const words = new Map<string, ResolvedScalar>();
for (const word of ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']) {
  words.set(word, { type: 'bool', value: true });
}
for (const word of ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']) {
  words.set(word, { type: 'bool', value: false });
}
for (const word of ['', '~', 'null', 'Null', 'NULL']) words.set(word, { type: 'null' });
for (const word of ['.nan', '.NaN', '.NAN']) words.set(word, { type: 'float', value: Number.NaN });
for (const word of ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']) {
  words.set(word, { type: 'float', value: Number.POSITIVE_INFINITY });
}
for (const word of ['-.inf', '-.Inf', '-.INF']) {
  words.set(word, { type: 'float', value: Number.NEGATIVE_INFINITY });
}

const text: ResolvedScalar = { type: 'string' };
const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)|\x20\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Longer digits than this are no number that anyone means; they stay text. */
const MAX_DIGITS = 512;

export function resolveScalar(scalar: string): ResolvedScalar {
  const word = words.get(scalar);
  if (word !== undefined) return word;
  const first = scalar.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (!isDigit && first !== 0x2b && first !== 0x2d && first !== 0x2e) return text;
  if (scalar.length > MAX_DIGITS) return text;
  if (first === 0x2e) {
    return float.test(scalar) ? { type: 'float', value: Number(scalar) } : text;
  }
  if (isDigit && timestamp.test(scalar) && isCalendarDate(scalar)) return { type: 'timestamp' };
  const plain = scalar.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined) return { type: 'int', value: integer };
  if (float.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return { type: 'float', value };
  }
  return text;
}

/** YAML 1.1's sexagesimal numbers are not read, but are quoted for the sake of other readers. */
export function isSexagesimal(scalar: string): boolean {
  if (scalar.length > MAX_DIGITS || !scalar.includes(':')) return false;
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(scalar);
}

/** Go's integer literals: decimal, 0x, 0o, 0b, and a leading zero for octal. */
function parseInteger(plain: string): bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))$/.exec(
    plain,
  );
  if (match === null) return undefined;
  const [, sign, hex, octal, binary, decimal] = match;
  let value: bigint;
  if (hex !== undefined) value = BigInt(`0x${hex}`);
  else if (octal !== undefined) value = BigInt(`0o${octal}`);
  else if (binary !== undefined) value = BigInt(`0b${binary}`);
  else value = BigInt(decimal as string);
  return sign === '-' ? -value : value;
}

function isCalendarDate(scalar: string): boolean {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2}))?/.exec(scalar);
  if (parts === null) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1).map((part) => Number(part ?? 0));
  if (month === undefined || month < 1 || month > 12) return false;
  const days = new Date(Date.UTC(year as number, month, 0)).getUTCDate();
  if (day === undefined || day < 1 || day > days) return false;
  return (hour as number) < 24 && (minute as number) < 60 && (second as number) < 60;
}
