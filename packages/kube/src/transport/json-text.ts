import { isAscii } from 'node:buffer';

/**
 * The text of UTF-8 bytes. Most of what the API sends is ASCII, and for that the Latin-1 decoder
 * gives the same text for a fraction of the cost: it decides the price of a large list.
 */
export function textOf(bytes: Buffer, start = 0, end = bytes.length): string {
  const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  return part.toString(isAscii(part) ? 'latin1' : 'utf8');
}
