import { createCipheriv, createDecipheriv, createHmac, scryptSync } from 'node:crypto';
import { decodeBytes, encodeBytes } from '../go/bytes.ts';
import { type FunctionTable, fn, of, str } from '../go/define.ts';
import { GoError } from '../go/function.ts';
import { uint32Type } from '../go/type.ts';
import type { GoInt } from '../go/value.ts';
import { decodeBase64 } from './encodings.ts';
import type { FunctionOptions } from './function-options.ts';

/** What a key derivation counts as: some tenths of a second of work. */
const deriveSteps = 1_300_000;

/** `encryptAES`, `decryptAES`, `derivePassword`. */
export function cipherFunctions({ random }: FunctionOptions): FunctionTable {
  return {
    encryptAES: fn([str, str], (_, password, text) => {
      if (text === '') return '';
      const start = random(16);
      const cipher = createCipheriv('aes-256-cbc', keyOf(password), start);
      return Buffer.concat([start, cipher.update(encodeBytes(text)), cipher.final()]).toString(
        'base64',
      );
    }),
    decryptAES: fn([str, str], (_, password, text) => decrypt(password, text)),
    derivePassword: fn(
      [of<GoInt>(uint32Type), str, str, str, str],
      ({ budget }, counter, kind, password, user, site) => {
        budget.step(deriveSteps);
        return derive(Number(counter.value), kind, password, user, site);
      },
    ),
  };
}

/** The password with zeros after it, or what fits of it. */
function keyOf(password: string): Buffer {
  const key = Buffer.alloc(32);
  encodeBytes(password).copy(key);
  return key;
}

function decrypt(password: string, text: string): string {
  if (text === '') return '';
  const bytes = decodeBase64(text);
  if (typeof bytes === 'string') throw new GoError(bytes);
  if (bytes.length < 16) {
    throw new GoError(
      `runtime error: slice bounds out of range [:16] with capacity ${bytes.length}`,
    );
  }
  if (bytes.length % 16 !== 0) throw new GoError('crypto/cipher: input not full blocks');
  if (bytes.length === 16) throw new GoError('runtime error: index out of range [-1]');
  const cipher = createDecipheriv('aes-256-cbc', keyOf(password), bytes.subarray(0, 16));
  cipher.setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]);
  const end = plain.length - plain.at(-1)!;
  if (end < 0) throw new GoError(`runtime error: slice bounds out of range [:${end}]`);
  return decodeBytes(plain.subarray(0, end));
}

const templates: Readonly<Record<string, readonly string[] | undefined>> = {
  __proto__: null as never,
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    'CvcvnoCvcvCvcv',
    'CvcvCvcvnoCvcv',
    'CvcvCvcvCvcvno',
    'CvccnoCvcvCvcv',
    'CvccCvcvnoCvcv',
    'CvccCvcvCvcvno',
    'CvcvnoCvccCvcv',
    'CvcvCvccnoCvcv',
    'CvcvCvccCvcvno',
    'CvcvnoCvcvCvcc',
    'CvcvCvcvnoCvcc',
    'CvcvCvcvCvccno',
    'CvccnoCvccCvcv',
    'CvccCvccnoCvcv',
    'CvccCvccCvcvno',
    'CvcvnoCvccCvcc',
    'CvcvCvccnoCvcc',
    'CvcvCvccCvccno',
    'CvccnoCvcvCvcc',
    'CvccCvcvnoCvcc',
    'CvccCvcvCvccno',
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const characters: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

/** The Master Password algorithm: the same words give the same password. */
function derive(
  counter: number,
  kind: string,
  password: string,
  user: string,
  site: string,
): string {
  const choices = templates[kind];
  if (choices === undefined) return `cannot find password template ${kind}`;
  const name = encodeBytes(user);
  const place = encodeBytes(site);
  const seedText = Buffer.from('com.lyndir.masterpassword');
  const salt = Buffer.concat([seedText, uint32(name.length), name]);
  const key = scryptSync(encodeBytes(password), salt, 64, {
    N: 32_768,
    r: 8,
    p: 2,
    maxmem: 1 << 27,
  });
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([seedText, uint32(place.length), place, uint32(counter)]))
    .digest();
  const template = choices[seed[0]! % choices.length]!;
  return Array.from(template, (each, at) => {
    const from = characters[each]!;
    return from[seed[at + 1]! % from.length]!;
  }).join('');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
