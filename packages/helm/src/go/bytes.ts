import { Buffer, isUtf8 } from 'node:buffer';

// Go's strings are bytes. Ours are text; a byte that is no part of valid UTF-8 is kept as the lone surrogate
// U+DC00 + byte, which no valid UTF-8 decodes to: nothing is lost, and text stays text.
const rawByte = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** Whether a string holds bytes that are not UTF-8. */
export function hasRawBytes(text: string): boolean {
  return rawByte.test(text);
}

/**
 * The bytes of a Go string.
 *
 * ```ts
 * encodeBytes('é').length; // 2
 * ```
 */
export function encodeBytes(text: string): Buffer {
  if (!hasRawBytes(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const part of text.split(/((?<![\ud800-\udbff])[\udc80-\udcff]+)/)) {
    if (rawByte.test(part)) {
      parts.push(Buffer.from(Array.from(part, (each) => each.charCodeAt(0) & 0xff)));
    } else parts.push(Buffer.from(part, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** The Go string of these bytes, which need not be UTF-8. */
export function decodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let text = '';
  let at = 0;
  let from = 0;
  while (at < buffer.length) {
    const length = sequenceLength(buffer, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += buffer.toString('utf8', from, at) + String.fromCharCode(0xdc00 + buffer[at]!);
    from = ++at;
  }
  return text + buffer.toString('utf8', from);
}

/** The length of the valid UTF-8 sequence there, or 0. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first < 0xe0
      ? 2
      : first >= 0xe0 && first < 0xf0
        ? 3
        : first >= 0xf0 && first < 0xf5
          ? 4
          : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let more = 2; more < length; more++) if ((bytes[at + more]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** `len` of a Go string. */
export function byteLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) length += 1;
    else if (unit < 0xd800 || unit >= 0xe000) length += 2;
    else if (unit < 0xdc00) {
      length += 2;
      at++;
    }
  }
  return length;
}

/** A part of a Go string by the positions of its bytes, which may lie inside of a character. */
export function sliceBytes(text: string, start: number, end?: number): string {
  if (isAscii(text)) return text.slice(start, end);
  return decodeBytes(encodeBytes(text).subarray(start, end));
}

/** Joins bytes that were cut apart and put together again into the character that they are. */
export function normalText(text: string): string {
  return hasRawBytes(text) ? decodeBytes(encodeBytes(text)) : text;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}

/** The text with U+FFFD for whatever is no character: raw bytes, halves of surrogate pairs. */
export function wellFormed(text: string): string {
  return /\p{Cs}/u.test(text) ? text.replace(/\p{Cs}/gu, '\ufffd') : text;
}
