import { encodeBytes } from './bytes.ts';

// Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols, and of the spaces only U+0020.
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function isPrintable(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  return printable.test(String.fromCodePoint(code));
}

const shortEscapes: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  92: '\\\\',
};

/** Quotes a string as Go's `%q` does, or as `%+q` with everything beyond ASCII escaped. */
export function quoteString(text: string, asciiOnly = false): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const each of text) out += quotedRune(each.codePointAt(0)!, '"', asciiOnly);
  return `${out}"`;
}

/** Quotes a string as the errors of Go's package `time` do: each byte that is not of ASCII, or a control, in hex. */
export function quoteForTime(text: string): string {
  const quoted = encodeBytes(text)
    .toString('latin1')
    .replaceAll(/[^ !#-[\]-\x7f]/g, (byte) =>
      byte === '"' || byte === '\\' ? `\\${byte}` : `\\x${hex(byte.charCodeAt(0), 2)}`,
    );
  return `"${quoted}"`;
}

/** Quotes a rune as `%q` of a number does. */
export function quoteRune(code: number, asciiOnly = false): string {
  const isValid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
  return `'${quotedRune(isValid ? code : 0xfffd, "'", asciiOnly)}'`;
}

function quotedRune(code: number, quote: string, asciiOnly: boolean): string {
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code & 0xff, 2)}`;
  if (code === quote.charCodeAt(0)) return `\\${quote}`;
  const short = shortEscapes[code];
  if (short !== undefined) return short;
  if (code < 0x80 || !asciiOnly) if (isPrintable(code)) return String.fromCodePoint(code);
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

/** Whether a string can stand in back quotes: one line without control characters. */
export function canBackquote(text: string): boolean {
  for (const each of text) {
    const code = each.codePointAt(0)!;
    if (code === 0xfeff || (code >= 0xd800 && code < 0xe000)) return false;
    if ((code < 0x20 && code !== 9) || code === 0x60 || code === 0x7f) return false;
  }
  return true;
}
