import { encodeBytes } from '../go/bytes.ts';
import { Blowfish, keyWords } from './blowfish.ts';

const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const usualCost = 10;
const maxPassword = 72;

/** A password hashed by bcrypt, as Sprig does it; a text of an error where it is too long. */
export function bcryptHash(password: string, salt: Uint8Array, cost = usualCost): string {
  const bytes = encodeBytes(password);
  if (bytes.length > maxPassword) {
    return `failed to encrypt string with bcrypt: bcrypt: password length exceeds ${maxPassword} bytes`;
  }
  const key = Buffer.concat([bytes, Buffer.of(0)]).subarray(0, maxPassword);
  const keys = keyWords(key);
  const salts = keyWords(salt);
  const cipher = new Blowfish();
  // A salt of bcrypt has four words.
  cipher.expand(keys, salts.subarray(0, 4));
  for (let round = 0; round < 2 ** cost; round++) {
    cipher.expand(keys);
    cipher.expand(salts);
  }
  const text = Buffer.from('OrpheanBeholderScryDoubt');
  const block = Int32Array.from({ length: 6 }, (_, at) => text.readInt32BE(at * 4));
  for (let at = 0; at < 6; at += 2) cipher.encrypt(block, at, 64);
  const hash = Buffer.alloc(24);
  block.forEach((word, at) => {
    hash.writeInt32BE(word, at * 4);
  });
  const costText = String(cost).padStart(2, '0');
  return `$2a$${costText}$${encode(salt)}${encode(hash.subarray(0, 23))}`;
}

/** bcrypt's own base64, without padding. */
function encode(bytes: Uint8Array): string {
  const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/=+$/, '')
    .replace(/./g, (each) => alphabet[usual.indexOf(each)]!);
}
