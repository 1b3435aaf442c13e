const minInt64 = -(1n << 63n);
const maxInt64 = (1n << 63n) - 1n;
const maxUint64 = (1n << 64n) - 1n;

/** Go's strconv.ParseInt for 64 bits; base 0 reads the prefixes 0x, 0o, 0b, 0 and `_` between digits. */
export function parseGoInt(text: string, base: 0 | 8 | 10): bigint | undefined {
  const sign = text[0];
  const isSigned = sign === '-' || sign === '+';
  const size = parseDigits(isSigned ? text.slice(1) : text, base);
  if (size === undefined || (base === 0 && text.includes('_') && !isUnderscoreOk(text)))
    return undefined;
  const value = sign === '-' ? -size : size;
  return value < minInt64 || value > maxInt64 ? undefined : value;
}

/** What ParseInt gives beside its error: the nearest number where it is out of range, else 0. */
export function nearestGoInt(text: string): bigint {
  const value = parseGoInt(text, 10);
  if (value !== undefined || !/^[+-]?\d+$/.test(text)) return value ?? 0n;
  return text[0] === '-' ? minInt64 : maxInt64;
}

/** Go's strconv.ParseUint for 64 bits. */
export function parseGoUint(text: string, base: 0 | 10): bigint | undefined {
  const value = parseDigits(text, base);
  if (value === undefined || (base === 0 && text.includes('_') && !isUnderscoreOk(text)))
    return undefined;
  return value > maxUint64 ? undefined : value;
}

function parseDigits(text: string, base: 0 | 8 | 10): bigint | undefined {
  let digits = text;
  let prefix = '';
  let radix: number = base;
  if (base === 0) {
    radix = 10;
    if (/^0[xX]./.test(text)) [radix, prefix] = [16, '0x'];
    else if (/^0[oO]./.test(text)) [radix, prefix] = [8, '0o'];
    else if (/^0[bB]./.test(text)) [radix, prefix] = [2, '0b'];
    else if (text[0] === '0' && text.length > 1) radix = 8;
    if (prefix !== '') digits = text.slice(2);
    digits = digits.replaceAll('_', '');
  }
  const pattern = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^\d+$/, 16: /^[\da-fA-F]+$/ }[radix]!;
  // More digits than any 64-bit number has are not turned into a number of that size.
  if (!pattern.test(digits)) return undefined;
  const short = digits.replace(/^0+(?=.)/, '');
  if (short.length > 64) return maxUint64 + 1n;
  return BigInt(radix === 10 ? short : `${{ 2: '0b', 8: '0o', 16: '0x' }[radix]}${short}`);
}

/** Go's strconv.ParseFloat: decimal and hexadecimal floats, inf and nan; undefined also out of range. */
export function parseGoFloat(text: string): number | undefined {
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text);
  if (special !== null) {
    if (special[2] === undefined) return special[1] === '' ? Number.NaN : undefined;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  if (text.includes('_') && !isUnderscoreOk(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const value = /^[+-]?0[xX]/.test(plain) ? hexFloat(plain) : decimalFloat(plain);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

function decimalFloat(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function hexFloat(text: string): number | undefined {
  const match = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  if (whole + fraction === '') return undefined;
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const value = mantissa * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** `_` may stand only between digits, or between a prefix and a digit. */
function isUnderscoreOk(text: string): boolean {
  return (
    /^[+-]?(0[bBoOxX])?(_?[\da-fA-F])*([^_]|(?<=[\da-fA-F])_(?=[\da-fA-F]))*$/.test(text) &&
    !/__|_$|_[^\da-fA-F]|[^\da-fA-FxXoObB]_/.test(text)
  );
}
