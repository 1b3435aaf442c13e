import { checkPrimeSync, createPublicKey, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeRsaKey } from './rsa-key.ts';

test.each([2048, 4096])('a key of %i bits signs, and is made of two primes', (bits) => {
  const key = makeRsaKey(bits);
  const { n = '', p = '', q = '' } = key.export({ format: 'jwk' });
  const [product, first, second] = [n, p, q].map((each) =>
    BigInt(`0x${Buffer.from(each, 'base64url').toString('hex')}`),
  ) as [bigint, bigint, bigint];
  const data = Buffer.from('what is signed');
  expect(key.asymmetricKeyDetails?.modulusLength).toBe(bits);
  expect(first * second).toBe(product);
  expect(checkPrimeSync(first) && checkPrimeSync(second)).toBe(true);
  expect(verify('sha256', data, createPublicKey(key), sign('sha256', data, key))).toBe(true);
});

test('two keys have nothing in common', () => {
  expect(makeRsaKey(2048).equals(makeRsaKey(2048))).toBe(false);
});
