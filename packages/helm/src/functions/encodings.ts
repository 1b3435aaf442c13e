import { hash as digest } from 'node:crypto';
import { decodeBytes, encodeBytes } from '../go/bytes.ts';
import { type FunctionTable, fn, str } from '../go/define.ts';

/** Hashes, base64 and base32. What cannot be decoded gives the text of the error, as in Sprig. */
export const encodingFunctions: FunctionTable = {
  sha1sum: fn([str], (_, text) => hash('sha1', text)),
  sha256sum: fn([str], (_, text) => hash('sha256', text)),
  sha512sum: fn([str], (_, text) => hash('sha512', text)),
  adler32sum: fn([str], (_, text) => String(adler32(encodeBytes(text)))),
  b64enc: fn([str], (_, text) => encodeBytes(text).toString('base64')),
  b64dec: fn([str], (_, text) => {
    const decoded = decodeBase64(text);
    return typeof decoded === 'string' ? decoded : decodeBytes(decoded);
  }),
  b32enc: fn([str], (_, text) => encodeBase32(encodeBytes(text))),
  b32dec: fn([str], (_, text) => {
    const decoded = decodeBase32(text);
    return typeof decoded === 'string' ? decoded : decodeBytes(decoded);
  }),
};

function hash(algorithm: string, text: string): string {
  return digest(algorithm, encodeBytes(text), 'hex');
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

const alphabet64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Standard base64 with padding, line breaks allowed; a string is Go's error. */
export function decodeBase64(text: string): Uint8Array | string {
  const bytes = encodeBytes(text).toString('latin1');
  const corrupt = (at: number): string => `illegal base64 data at input byte ${at}`;
  const out: number[] = [];
  let bits = 0;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const each = bytes[at]!;
    if (each === '\n' || each === '\r') continue;
    if (each === '=') return padding64(bytes, at, count, out, bits, corrupt);
    const value = alphabet64.indexOf(each);
    if (value < 0) return corrupt(at);
    bits = (bits << 6) | value;
    if (++count < 4) continue;
    out.push((bits >> 16) & 0xff, (bits >> 8) & 0xff, bits & 0xff);
    bits = 0;
    count = 0;
  }
  return count === 0 ? Uint8Array.from(out) : corrupt(bytes.length - count);
}

/** What follows the first `=`: another one where two digits came, and then nothing. */
function padding64(
  bytes: string,
  start: number,
  count: number,
  out: number[],
  bits: number,
  corrupt: (at: number) => string,
): Uint8Array | string {
  if (count < 2) return corrupt(start);
  const skip = (from: number): number => {
    let at = from;
    while (bytes[at] === '\n' || bytes[at] === '\r') at++;
    return at;
  };
  let at = start + 1;
  if (count === 2) {
    at = skip(at);
    if (at >= bytes.length) return corrupt(bytes.length);
    if (bytes[at] !== '=') return corrupt(at - 1);
    at++;
  }
  at = skip(at);
  if (at < bytes.length) return corrupt(at);
  if (count === 2) out.push((bits >> 4) & 0xff);
  else out.push((bits >> 10) & 0xff, (bits >> 2) & 0xff);
  return Uint8Array.from(out);
}

const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encodeBase32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 5) {
      out += alphabet32[(bits >> (count - 5)) & 31];
      count -= 5;
    }
    bits &= (1 << count) - 1;
  }
  if (count > 0) out += alphabet32[(bits << (5 - count)) & 31];
  return out.padEnd(Math.ceil(out.length / 8) * 8, '=');
}

function decodeBase32(text: string): Uint8Array | string {
  const bytes = encodeBytes(text)
    .toString('latin1')
    .replace(/[\r\n]/g, '');
  const corrupt = (at: number): string => `illegal base32 data at input byte ${at}`;
  const out: number[] = [];
  for (let start = 0; start < bytes.length; start += 8) {
    const digits = /[A-Z2-7]*/y.exec(bytes.slice(start, start + 8))![0];
    const at = start + digits.length;
    const isPadded = bytes[at] === '=' && digits.length >= 2 && bytes.length - at <= 8;
    if (digits.length < 8) {
      // What Go says depends on whether the text, its padding or a letter is at fault.
      if (at >= bytes.length) return corrupt(start);
      if (!isPadded) return corrupt(at);
      if (bytes.length < start + 8) return corrupt(bytes.length);
      const wrong = bytes.slice(at + 1, start + 8).search(/[^=]/);
      if (wrong >= 0) return corrupt(at + wrong);
      if (digits.length === 3 || digits.length === 6) return corrupt(at);
    }
    let bits = 0n;
    for (const each of digits.padEnd(8, 'A'))
      bits = (bits << 5n) | BigInt(alphabet32.indexOf(each));
    const length = Math.floor((digits.length * 5) / 8);
    for (let at = 0; at < length; at++) out.push(Number((bits >> BigInt(32 - at * 8)) & 0xffn));
    if (isPadded && digits.length < 8) break;
  }
  return Uint8Array.from(out);
}
