import type { KeyObject } from 'node:crypto';
import { derInteger, derSequence, pemText, readDer, readDerParts } from '@waygate/text';

/** A DSA key in the format of OpenSSL's old tools, which node:crypto does not write. */
export function dsaKeyPem(privateKey: KeyObject): string {
  const [, algorithm, held] = readDerParts(
    readDer(privateKey.export({ format: 'der', type: 'pkcs8' }))!.content,
  );
  const parameters = readDerParts(readDerParts(algorithm!.content)[1]!.content);
  const [p = 0n, q = 0n, g = 0n] = parameters.map(({ content }) => integerOf(content));
  const x = integerOf(readDer(held!.content)!.content);
  const y = power(g, x, p);
  return pemText('DSA PRIVATE KEY', derSequence(...[0n, p, q, g, y, x].map(derInteger)));
}

function integerOf(content: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(content).toString('hex')}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
