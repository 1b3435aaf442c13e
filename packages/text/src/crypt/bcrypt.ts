import { Blowfish, keyWords } from './blowfish.ts';

const form = /^(\$2[abxy]?\$(\d\d)\$([./A-Za-z0-9]{22}))/;
const ownAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const usualAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** After so many rounds others get their turn. */
const roundsPerStep = 32;
const magic = 'OrpheanBeholderScryDoubt';

/**
 * Whether a text is a hash of bcrypt, or the start of one up to the end of its salt.
 *
 * ```ts
 * isBcrypt('$apr1$salt$'); // false
 * ```
 */
export function isBcrypt(text: string): boolean {
  return form.test(text);
}

/**
 * A password hashed by bcrypt, Blowfish with an expensive key, step by step: whoever has other work does it between
 * two steps. The settings are the start of a hash, as crypt(3) takes them; of a password 72 bytes count.
 *
 * ```ts
 * const steps = bcryptSteps(Buffer.from('secret'), '$2a$04$......................');
 * let step = steps.next();
 * while (step.done !== true) step = steps.next();
 * step.value.slice(0, 7); // '$2a$04$'
 * ```
 *
 * @throws Error for settings that are none of bcrypt
 */
export function* bcryptSteps(password: Uint8Array, settings: string): Generator<void, string> {
  const [, start, cost, saltText] = form.exec(settings) ?? [];
  if (start === undefined || saltText === undefined) throw new Error('no hash of bcrypt');
  const keys = keyWords(Buffer.concat([password.subarray(0, 72), Buffer.of(0)]));
  const salts = keyWords(bytesOf(saltText));
  const cipher = new Blowfish();
  // A salt of bcrypt has four words.
  cipher.expand(keys, salts.subarray(0, 4));
  for (let round = 1; round <= 2 ** Number(cost); round++) {
    cipher.expand(keys);
    cipher.expand(salts);
    if (round % roundsPerStep === 0) yield;
  }
  const text = Buffer.from(magic);
  const block = Int32Array.from({ length: 6 }, (_, at) => text.readInt32BE(at * 4));
  for (let at = 0; at < 6; at += 2) cipher.encrypt(block, at, 64);
  const hash = Buffer.alloc(24);
  block.forEach((word, at) => {
    hash.writeInt32BE(word, at * 4);
  });
  return start + bcryptText(hash.subarray(0, 23));
}

/**
 * Bytes in bcrypt's own base64, without padding: what a salt is written in.
 *
 * ```ts
 * bcryptText(Buffer.alloc(3)); // '....'
 * ```
 */
export function bcryptText(bytes: Uint8Array): string {
  return spelled(
    Buffer.from(bytes).toString('base64').replace(/=+$/, ''),
    usualAlphabet,
    ownAlphabet,
  );
}

function bytesOf(text: string): Buffer {
  return Buffer.from(spelled(text, ownAlphabet, usualAlphabet), 'base64');
}

function spelled(text: string, from: string, to: string): string {
  return text.replace(/./g, (each) => to.charAt(from.indexOf(each)));
}
