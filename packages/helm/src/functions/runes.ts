import { decodeBytes, encodeBytes } from '../go/bytes.ts';

/** Go's unicode.IsSpace. */
const space =
  '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const isSpacePattern = new RegExp(`^[${space}]$`);

export function isSpace(rune: string): boolean {
  return isSpacePattern.test(rune);
}

/** Go's strings.TrimSpace. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start]!)) start++;
  while (end > start && isSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Go's unicode.ToUpper: one rune for one; what has no single upper case stays. */
export function upperRune(rune: string): string {
  const upper = rune.toUpperCase();
  return isOneRune(upper) ? upper : rune;
}

/** Go's unicode.ToLower. */
export function lowerRune(rune: string): string {
  if (rune === '\u0130') return 'i';
  const lower = rune.toLowerCase();
  return isOneRune(lower) ? lower : rune;
}

/** Go's unicode.ToTitle, which differs from upper case for letters that are two. */
export function titleRune(rune: string): string {
  const code = rune.codePointAt(0)!;
  if (code >= 0x1c4 && code <= 0x1cc)
    return code <= 0x1c6 ? '\u01c5' : code <= 0x1c9 ? '\u01c8' : '\u01cb';
  if (code >= 0x1f1 && code <= 0x1f3) return '\u01f2';
  return upperRune(rune);
}

function isOneRune(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}

export function isUpper(rune: string): boolean {
  return /^\p{Lu}$/u.test(rune);
}

export function isLower(rune: string): boolean {
  return /^\p{Ll}$/u.test(rune);
}

export function isTitle(rune: string): boolean {
  return /^\p{Lt}$/u.test(rune);
}

/** A Go string as one character for each byte, for functions that take bytes for characters. */
export function bytesAsText(text: string): string {
  return encodeBytes(text).toString('latin1');
}

/** And back. */
export function textOfByteText(bytes: string): string {
  return decodeBytes(Buffer.from(bytes, 'latin1'));
}
