import { createPublicKey, generatePrimeSync, type KeyObject, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeRsaKey, makeRsaKeyAside, rsaKeyOf } from './rsa-key.ts';

const text = Buffer.from('signed');

function isSound(key: KeyObject, bits: number): boolean {
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails!;
  const signature = sign('sha256', text, key);
  return (
    modulusLength === bits &&
    publicExponent === 65_537n &&
    verify('sha256', text, createPublicKey(key), signature)
  );
}

test('a key has its length, signs, and is not the next one', async () => {
  const [one, two] = [makeRsaKey(1024), await makeRsaKeyAside(1024)];
  expect(isSound(one, 1024)).toBe(true);
  expect(isSound(two, 1024)).toBe(true);
  expect(one.equals(two)).toBe(false);
});

test('all numbers of a key are what they have to be', () => {
  const { n, d, p, q, dp, dq, qi } = makeRsaKey(1024).export({ format: 'jwk' });
  const [product, secret, one, other, first, second, inverse] = [n, d, p, q, dp, dq, qi].map(
    (each) => BigInt(`0x${Buffer.from(each!, 'base64url').toString('hex')}`),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  expect(one * other).toBe(product);
  expect((secret * 65_537n) % (one - 1n)).toBe(1n);
  expect((secret * 65_537n) % (other - 1n)).toBe(1n);
  expect(first).toBe(secret % (one - 1n));
  expect(second).toBe(secret % (other - 1n));
  expect((inverse * other) % one).toBe(1n);
});

const prime = generatePrimeSync(512, { bigint: true });

test.each<[string, bigint, bigint]>([
  ['the same prime twice', prime, prime],
  ['primes that are next to each other', prime, prime + 2n],
  ['a product that is too short', prime, generatePrimeSync(500, { bigint: true })],
  ['a product that is too long', prime, generatePrimeSync(520, { bigint: true })],
  ['a prime whose neighbour below the exponent divides', prime, primeAfter(512, 65_537n)],
])('%s make no key', (_, p, q) => {
  expect(rsaKeyOf(p, q, 1024)).toBeUndefined();
});

/** One that the exponent has no inverse by. */
function primeAfter(bits: number, factor: bigint): bigint {
  return generatePrimeSync(bits, { bigint: true, add: 2n * factor, rem: 1n });
}
