import {
  createPrivateKey,
  type GeneratePrimeOptionsBigInt,
  generatePrime,
  generatePrimeSync,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';

/** The exponent that everybody takes. */
const publicExponent = 65_537n;
/** Primes that begin with so many equal bits would be found from their product. */
const leastApart = 100n;
const asNumber: GeneratePrimeOptionsBigInt = { bigint: true };
const primeAside = promisify<number, GeneratePrimeOptionsBigInt, bigint>(generatePrime);

/**
 * A key of two primes of OpenSSL's. To ask it for the key takes more than twice as long: it builds each prime of two
 * others, as a standard for signing machines wants it, which neither Go nor Helm does.
 */
export function makeRsaKey(bits: number): KeyObject {
  for (;;) {
    const p = generatePrimeSync(bits / 2, asNumber);
    const key = rsaKeyOf(p, generatePrimeSync(bits / 2, asNumber), bits);
    if (key !== undefined) return key;
  }
}

/** The same, by another thread while this one goes on. */
export async function makeRsaKeyAside(bits: number): Promise<KeyObject> {
  for (;;) {
    const p = await primeAside(bits / 2, asNumber);
    const key = rsaKeyOf(p, await primeAside(bits / 2, asNumber), bits);
    if (key !== undefined) return key;
  }
}

/** The key of two primes; undefined where they make none of so many bits that is safe. */
export function rsaKeyOf(p: bigint, q: bigint, bits: number): KeyObject | undefined {
  const n = p * q;
  const apart = p > q ? p - q : q - p;
  const isLong = n >> BigInt(bits - 1) === 1n;
  if (!isLong || apart >> (BigInt(bits / 2) - leastApart) === 0n) return undefined;
  const d = inverse(publicExponent, leastCommonMultiple(p - 1n, q - 1n));
  const qi = inverse(q, p);
  if (d === undefined || qi === undefined) return undefined;
  const numbers = { n, e: publicExponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi };
  const fields = Object.entries(numbers).map(([name, value]) => [name, base64Url(value)]);
  return createPrivateKey({
    key: { kty: 'RSA', ...Object.fromEntries(fields) },
    format: 'jwk',
  });
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [greater, less] = [a, b];
  while (less > 0n) [greater, less] = [less, greater % less];
  return (a / greater) * b;
}

/** The number that times the given one is 1, by Euclid's algorithm; undefined where they have a factor in common. */
function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [rest, next] = [modulus, value % modulus];
  let [before, factor] = [0n, 1n];
  while (next > 0n) {
    const times = rest / next;
    [rest, next] = [next, rest - times * next];
    [before, factor] = [factor, before - times * factor];
  }
  if (rest !== 1n) return undefined;
  return before < 0n ? before + modulus : before;
}

function base64Url(value: bigint): string {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return Buffer.from(even, 'hex').toString('base64url');
}
