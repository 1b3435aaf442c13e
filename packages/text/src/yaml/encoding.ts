import { isUtf8 } from 'node:buffer';

/** What can be wrong with an encoding, in libyaml's words. */
const problems = [
  'invalid leading UTF-8 octet',
  'incomplete UTF-8 octet sequence',
  'invalid trailing UTF-8 octet',
  'invalid length of a UTF-8 sequence',
  'invalid Unicode character',
  'incomplete UTF-16 character',
  'unexpected low surrogate area',
  'incomplete UTF-16 surrogate pair',
  'expected low surrogate area',
] as const;

type EncodingProblem = (typeof problems)[number];

/** The first of the lone surrogates that stand for the problems, in their order. */
const firstMarker = 0xdc00;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * The text of a YAML file: UTF-8, or UTF-16 where its byte order mark says so. Where the bytes are neither,
 * the text ends with a lone surrogate that no encoding can bring, and whoever parses it refuses it in
 * libyaml's words: reading and parsing fail in different places, and this is an error of the latter.
 *
 * ```ts
 * textOfYamlFile(Buffer.from('a: é')); // 'a: é'
 * ```
 */
export function textOfYamlFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe)
    return utf16(bytes.subarray(2), (low, high) => high * 256 + low);
  if (first === 0xfe && second === 0xff)
    return utf16(bytes.subarray(2), (high, low) => high * 256 + low);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!text.includes('\ufffd') || isUtf8(bytes)) return text;
  return brokenUtf8(bytes);
}

/** What is wrong with the encoding of a text that `textOfYamlFile` gave; undefined when nothing is. */
export function encodingProblem(text: string): EncodingProblem | undefined {
  const code = loneSurrogate.exec(text)?.[0].charCodeAt(0);
  return code === undefined
    ? undefined
    : (problems[code - firstMarker] ?? 'invalid Unicode character');
}

function marker(problem: EncodingProblem): string {
  return String.fromCharCode(firstMarker + problems.indexOf(problem));
}

function brokenUtf8(bytes: Uint8Array): string {
  let at = 0;
  for (;;) {
    const width = widthOf(bytes[at] as number);
    const problem = width === 0 ? problems[0] : problemOfSequence(bytes, at, width);
    if (problem !== undefined)
      return Buffer.from(bytes.subarray(0, at)).toString('utf8') + marker(problem);
    at += width;
  }
}

/** How many bytes a sequence has that starts with this one; 0 when none does. */
function widthOf(octet: number): number {
  if (octet < 0x80) return 1;
  if ((octet & 0xe0) === 0xc0) return 2;
  if ((octet & 0xf0) === 0xe0) return 3;
  return (octet & 0xf8) === 0xf0 ? 4 : 0;
}

const smallestOfWidth = [0, 0, 0x80, 0x800, 0x10000];

function problemOfSequence(
  bytes: Uint8Array,
  at: number,
  width: number,
): EncodingProblem | undefined {
  if (width === 1) return undefined;
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence';
  let code = (bytes[at] as number) & (0x7f >> width);
  for (const octet of bytes.subarray(at + 1, at + width)) {
    if ((octet & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet';
    code = code * 64 + (octet & 0x3f);
  }
  if (code < (smallestOfWidth[width] as number)) return 'invalid length of a UTF-8 sequence';
  return (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff
    ? 'invalid Unicode character'
    : undefined;
}

function utf16(bytes: Uint8Array, unitOf: (first: number, second: number) => number): string {
  const units = new Uint16Array(bytes.length >> 1);
  for (let index = 0; index < units.length; index++)
    units[index] = unitOf(bytes[index * 2] as number, bytes[index * 2 + 1] as number);
  const text = Buffer.from(units.buffer).toString('utf16le');
  const lone = loneSurrogate.exec(text);
  if (lone !== null) return text.slice(0, lone.index) + marker(problemOfLone(text, lone.index));
  return bytes.length % 2 === 0 ? text : text + marker('incomplete UTF-16 character');
}

function problemOfLone(text: string, index: number): EncodingProblem {
  if (text.charCodeAt(index) >= 0xdc00) return 'unexpected low surrogate area';
  return index + 1 === text.length
    ? 'incomplete UTF-16 surrogate pair'
    : 'expected low surrogate area';
}
