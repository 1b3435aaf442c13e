/** How many bits are computed beyond those that are asked for, since the last ones are not exact. */
const guardBits = 64n;

/**
 * The first bits of π behind its point, in words of 32 bits: what Blowfish starts from. By Machin's
 * formula, π = 16 arctan(1/5) − 4 arctan(1/239).
 */
export function piWords(count: number): Uint32Array {
  const bits = BigInt(count) * 32n + guardBits;
  const pi = 16n * arctanOfInverse(5n, bits) - 4n * arctanOfInverse(239n, bits);
  const fraction = (pi - (3n << bits)) >> guardBits;
  const hex = fraction.toString(16).padStart(count * 8, '0');
  return Uint32Array.from({ length: count }, (_, index) =>
    Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16),
  );
}

/** arctan(1/n), shifted left by so many bits. */
function arctanOfInverse(n: bigint, bits: bigint): bigint {
  const square = n * n;
  let power = (1n << bits) / n;
  let sum = power;
  for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
    power /= square;
    sum += (sign * power) / divisor;
  }
  return sum;
}
