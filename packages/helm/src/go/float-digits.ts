/** The decimal digits of a finite, positive number: `0.DIGITS` times ten to the `point`. */
export interface Digits {
  readonly digits: string;
  readonly point: number;
}

/** The fewest digits that read back as the same number. */
export function shortestDigits(value: number): Digits {
  if (value === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** All digits of the exact value of a number. */
export function exactDigits(value: number): Digits {
  if (value === 0) return { digits: '', point: 0 };
  const { mantissa, exponent } = binaryParts(value);
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString();
    return { digits: trimZeros(digits), point: digits.length };
  }
  // m / 2^n is m * 5^n / 10^n.
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits: trimZeros(digits), point: digits.length + exponent };
}

/** The mantissa as a whole number and the power of two that it is to be multiplied with. */
export function binaryParts(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** Keeps so many digits, rounding half to even as the value is exact. */
export function roundDigits({ digits, point }: Digits, keep: number): Digits {
  if (keep < 0) return { digits: '', point: 0 };
  if (keep >= digits.length) return { digits, point };
  const next = digits.charCodeAt(keep) - 48;
  const isTie = next === 5 && keep + 1 === digits.length;
  const last = keep > 0 ? digits.charCodeAt(keep - 1) - 48 : 0;
  const up = isTie ? last % 2 === 1 : next >= 5;
  const kept = digits.slice(0, keep);
  if (!up) return { digits: trimZeros(kept), point };
  if (/^9*$/.test(kept)) return { digits: '1', point: point + 1 };
  const rounded = (BigInt(kept) + 1n).toString().padStart(keep, '0');
  return { digits: trimZeros(rounded), point };
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}
