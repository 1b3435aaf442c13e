import { createHash } from 'node:crypto';
import { cryptText } from './crypt-text.ts';

const rounds = 1_000;
/** The order in which the bytes of the digest are written, three at a time. */
const order = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

/** `$1$` of crypt(3), and Apache's `$apr1$`, which differ in their names only. */
export function md5Crypt(password: Buffer, salt: string, magic: '$1$' | '$apr1$'): string {
  const salted = Buffer.from(salt.slice(0, 8), 'latin1');
  const inner = md5(password, salted, password);
  const parts: Buffer[] = [password, Buffer.from(magic), salted];
  for (let left = password.length; left > 0; left -= 16) {
    parts.push(inner.subarray(0, Math.min(left, 16)));
  }
  for (let bits = password.length; bits > 0; bits >>= 1) {
    parts.push((bits & 1) === 1 ? Buffer.alloc(1) : password.subarray(0, 1));
  }
  let digest = md5(...parts);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    digest = md5(
      isOdd ? password : digest,
      ...(round % 3 === 0 ? [] : [salted]),
      ...(round % 7 === 0 ? [] : [password]),
      isOdd ? digest : password,
    );
  }
  const byte = (index: number) => digest[index] ?? 0;
  const text = order.map(([a, b, c]) => cryptText((byte(a) << 16) | (byte(b) << 8) | byte(c), 4));
  return `${magic}${salted.toString('latin1')}$${text.join('')}${cryptText(byte(11), 2)}`;
}

function md5(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
