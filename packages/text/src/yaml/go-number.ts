/**
 * A float as Go's shortest `%g` writes it: with an exponent below 1e-4 and from 1e6 on.
 *
 * ```ts
 * formatFloat(0.5); // '0.5'
 * formatFloat(1e6); // '1e+06'
 * ```
 */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { sign, digits, exponent } = decompose(value);
  const isLong = exponent < -4 || exponent >= 6;
  return sign + (isLong ? scientific(digits, exponent) : positional(digits, exponent));
}

/**
 * A float as Go's JSON encoder writes it.
 *
 * ```ts
 * formatJsonNumber(1e20); // '100000000000000000000'
 * formatJsonNumber(1e21); // '1e+21'
 * ```
 */
export function formatJsonNumber(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const size = Math.abs(value);
  const { sign, digits, exponent } = decompose(value);
  if (size >= 1e-6 && size < 1e21) return sign + positional(digits, exponent);
  return sign + scientific(digits, exponent).replace(/e-0(\d)$/, 'e-$1');
}

function decompose(value: number): { sign: string; digits: string; exponent: number } {
  const text = Math.abs(value).toExponential();
  const [mantissa = '', exponent = '0'] = text.split('e');
  return {
    sign: value < 0 ? '-' : '',
    digits: mantissa.replace('.', ''),
    exponent: Number(exponent),
  };
}

function scientific(digits: string, exponent: number): string {
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
}

function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits + '0'.repeat(exponent + 1 - digits.length);
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}
