import { normalText } from './bytes.ts';

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Reads a string constant of Go, with its quotes; undefined where it is not one. */
export function unquoteString(quoted: string): string | undefined {
  const quote = quoted[0];
  if (quoted.length < 2 || quote !== quoted.at(-1)) return undefined;
  const inner = quoted.slice(1, -1);
  if (quote === '`') return inner.includes('`') ? undefined : inner.replaceAll('\r', '');
  if (quote !== '"' || inner.includes('\n')) return undefined;
  if (!inner.includes('\\')) return inner.includes('"') ? undefined : inner;
  let out = '';
  let at = 0;
  while (at < inner.length) {
    const read = readCharacter(inner, at, '"');
    if (read === undefined) return undefined;
    out +=
      read.isByte && read.code >= 0x80
        ? String.fromCharCode(0xdc00 + read.code)
        : String.fromCodePoint(read.code);
    at = read.end;
  }
  return normalText(out);
}

/** Reads a rune constant, with its quotes: the rune, or undefined where it is not one. */
export function unquoteRune(quoted: string): { code: number; tail: string } | undefined {
  const read = readCharacter(quoted, 1, "'");
  return read === undefined ? undefined : { code: read.code, tail: quoted.slice(read.end) };
}

interface ReadCharacter {
  readonly code: number;
  readonly end: number;
  /** Written as a byte (`\xff`, `\377`) and not as a character. */
  readonly isByte: boolean;
}

function readCharacter(text: string, at: number, quote: string): ReadCharacter | undefined {
  const code = text.codePointAt(at);
  if (code === undefined) return undefined;
  const first = String.fromCodePoint(code);
  if (first === quote) return undefined;
  if (first !== '\\') return { code, end: at + first.length, isByte: false };
  const kind = text[at + 1];
  if (kind === undefined) return undefined;
  if (kind === "'" || kind === '"') {
    return kind === quote ? { code: kind.charCodeAt(0), end: at + 2, isByte: false } : undefined;
  }
  const known = simple[kind];
  if (known !== undefined) return { code: known.charCodeAt(0), end: at + 2, isByte: false };
  if (kind >= '0' && kind <= '7') return readDigits(text, at + 1, 3, 8, 0xff);
  const width = { x: 2, u: 4, U: 8 }[kind];
  return width === undefined
    ? undefined
    : readDigits(text, at + 2, width, 16, kind === 'x' ? 0xff : 0x10ffff);
}

function readDigits(
  text: string,
  at: number,
  width: number,
  base: 8 | 16,
  largest: number,
): ReadCharacter | undefined {
  const digits = text.slice(at, at + width);
  const isWhole =
    digits.length === width && (base === 8 ? /^[0-7]+$/ : /^[\da-fA-F]+$/).test(digits);
  if (!isWhole) return undefined;
  const code = Number.parseInt(digits, base);
  if (code > largest || (code >= 0xd800 && code < 0xe000)) return undefined;
  return { code, end: at + width, isByte: largest === 0xff };
}
