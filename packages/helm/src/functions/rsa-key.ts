import { checkPrimeSync, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';

const exponent = 65_537n;
/** Numbers that a prime below this divides are left out before any is tried for real. */
const sieveTo = 65_536;
/** So many odd numbers after the random one are looked at: a prime is among them nearly always. */
const windowSize = 16_384;

let primes: Uint32Array | undefined;

/**
 * An RSA key whose primes have half as many bits, by the system's randomness. node:crypto makes one as well, but takes
 * two or three times as long for primes that are tried as often; a chart may ask for several.
 */
export function makeRsaKey(bits: number): KeyObject {
  for (;;) {
    const p = randomPrime(bits / 2);
    const q = randomPrime(bits / 2);
    // Primes that are close to each other are found from their product.
    const distance = p > q ? p - q : q - p;
    if (distance >> BigInt(bits / 2 - 100) === 0n) continue;
    const d = inverse(exponent, (p - 1n) * (q - 1n));
    const jwk = {
      kty: 'RSA',
      n: text(p * q),
      e: text(exponent),
      d: text(d),
      p: text(p),
      q: text(q),
      dp: text(d % (p - 1n)),
      dq: text(d % (q - 1n)),
      qi: text(inverse(q, p)),
    };
    return createPrivateKey({ key: jwk, format: 'jwk' });
  }
}

/** A prime with its two highest bits set, so that the product of two has all its bits. */
function randomPrime(bits: number): bigint {
  for (;;) {
    const bytes = randomBytes(bits / 8);
    bytes[0]! |= 0xc0;
    bytes[bytes.length - 1]! |= 1;
    const start = BigInt(`0x${bytes.toString('hex')}`);
    const isDivided = dividedAfter(start);
    for (let at = 0; at < windowSize; at++) {
      if (isDivided[at] === 1) continue;
      const candidate = start + BigInt(at * 2);
      if ((candidate - 1n) % exponent === 0n || candidate >> BigInt(bits) !== 0n) continue;
      // One round tells of nearly all that are none; what is prime, OpenSSL tries by 64.
      if (checkPrimeSync(candidate)) return candidate;
    }
  }
}

/** Which of the odd numbers from here on a small prime divides. */
function dividedAfter(start: bigint): Uint8Array {
  const isDivided = new Uint8Array(windowSize);
  primes ??= oddPrimes();
  for (const prime of primes) {
    const rest = Number(start % BigInt(prime));
    // The first k with start + 2k divisible: half of what is missing, or of that and one prime more.
    const missing = rest === 0 ? 0 : prime - rest;
    const first = (missing % 2 === 0 ? missing : missing + prime) / 2;
    for (let at = first; at < windowSize; at += prime) isDivided[at] = 1;
  }
  return isDivided;
}

function oddPrimes(): Uint32Array {
  const isComposite = new Uint8Array(sieveTo);
  const found: number[] = [];
  for (let number = 3; number < sieveTo; number += 2) {
    if (isComposite[number] === 1) continue;
    found.push(number);
    for (let at = number * number; at < sieveTo; at += 2 * number) isComposite[at] = 1;
  }
  return Uint32Array.from(found);
}

/** The number by which one times it is 1, by Euclid's steps. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [before, now] = [modulus, number % modulus];
  let [factorBefore, factor] = [0n, 1n];
  while (now !== 0n) {
    const times = before / now;
    [before, now] = [now, before - times * now];
    [factorBefore, factor] = [factor, factorBefore - times * factor];
  }
  return ((factorBefore % modulus) + modulus) % modulus;
}

/** A number as JSON Web Keys write it. */
function text(number: bigint): string {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
