import { createHash } from 'node:crypto';
import { cryptText } from './crypt-text.ts';

interface Variant {
  readonly algorithm: 'sha256' | 'sha512';
  readonly size: 32 | 64;
}

const variants: Readonly<Record<string, Variant>> = {
  5: { algorithm: 'sha256', size: 32 },
  6: { algorithm: 'sha512', size: 64 },
};

const defaultRounds = 5_000;
/** After so many rounds others get their turn. */
const roundsPerTurn = 2_000;

const form = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$:\n]{0,16})(?:\$|$)/;

/** How many rounds a hash asks for; undefined if it is none of these. */
export function shaCryptRounds(hash: string): number | undefined {
  const match = form.exec(hash);
  return match === null ? undefined : roundsOf(match[2]);
}

/** `$5$` and `$6$` of crypt(3): SHA-256 and SHA-512 in many rounds. */
export async function shaCrypt(
  password: Buffer,
  hash: string,
  giveWay: () => Promise<void>,
): Promise<string> {
  const [, kind = '', saidRounds, saltText = ''] = form.exec(hash) ?? [];
  const variant = variants[kind];
  if (variant === undefined) return '';
  const { algorithm, size } = variant;
  const sha = (...parts: readonly Buffer[]) => {
    const digest = createHash(algorithm);
    for (const part of parts) digest.update(part);
    return digest.digest();
  };
  const salt = Buffer.from(saltText, 'latin1');
  const inner = sha(password, salt, password);
  const parts: Buffer[] = [password, salt, repeated(inner, password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1) {
    parts.push((bits & 1) === 1 ? inner : password);
  }
  let digest = sha(...parts);
  const ofPassword = repeated(
    sha(...Array<Buffer>(password.length).fill(password)),
    password.length,
  );
  const ofSalt = repeated(sha(...Array<Buffer>(16 + (digest[0] ?? 0)).fill(salt)), salt.length);
  const rounds = roundsOf(saidRounds);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    digest = sha(
      isOdd ? ofPassword : digest,
      ...(round % 3 === 0 ? [] : [ofSalt]),
      ...(round % 7 === 0 ? [] : [ofPassword]),
      isOdd ? digest : ofPassword,
    );
    if (round % roundsPerTurn === roundsPerTurn - 1) await giveWay();
  }
  const said = saidRounds === undefined ? '' : `rounds=${rounds}$`;
  return `$${kind}$${said}${saltText}$${textOf(digest, size)}`;
}

function roundsOf(said: string | undefined): number {
  return said === undefined ? defaultRounds : Math.max(1_000, Number(said));
}

function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

/** The bytes are written three at a time, in an order that is the same rule for both sizes. */
function textOf(digest: Buffer, size: 32 | 64): string {
  const byte = (index: number) => digest[index] ?? 0;
  const third = size === 32 ? 10 : 21;
  let text = '';
  let [a, b, c] = [0, third, third * 2];
  for (let index = 0; index < third; index += 1) {
    text += cryptText((byte(a) << 16) | (byte(b) << 8) | byte(c), 4);
    [a, b, c] = size === 32 ? [c + 1, a + 1, b + 1] : [b + 1, c + 1, a + 1];
  }
  return size === 32
    ? text + cryptText((byte(31) << 8) | byte(30), 3)
    : text + cryptText(byte(63), 2);
}
