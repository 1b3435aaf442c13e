type ReadString =
  | { readonly value: string; readonly end: number }
  | { readonly problem: string; readonly end: number };

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

/** Reads a string of TOML: plain or literal, of one line or of several. */
export function readTomlString(text: string, start: number, isKey: boolean): ReadString {
  const quote = text[start]!;
  const isMulti = !isKey && text.startsWith(quote.repeat(3), start);
  return isMulti ? multiLine(text, start, quote) : singleLine(text, start, quote);
}

function singleLine(text: string, start: number, quote: string): ReadString {
  let value = '';
  let at = start + 1;
  for (;;) {
    const each = text[at];
    if (each === undefined) return { problem: `unexpected EOF; expected '${quote}'`, end: at };
    if (each === '\n') return { problem: 'strings cannot contain newlines', end: at };
    if (each === quote) return { value, end: at + 1 };
    if (each !== '\\' || quote === "'") {
      value += each;
      at++;
      continue;
    }
    const read = readEscape(text, at);
    if ('problem' in read) return read;
    value += read.value;
    at = read.end;
  }
}

function multiLine(text: string, start: number, quote: string): ReadString {
  let value = '';
  let at = start + 3;
  if (text[at] === '\n') at++;
  for (;;) {
    const each = text[at];
    if (each === undefined)
      return { problem: `unexpected EOF; expected '${quote.repeat(3)}'`, end: at };
    if (each === quote && text.startsWith(quote.repeat(3), at)) {
      // Up to two quotes may stand before those that close.
      let end = at + 3;
      while (text[end] === quote && end < at + 5) end++;
      return { value: value + quote.repeat(end - at - 3), end };
    }
    if (each !== '\\' || quote === "'") {
      value += each;
      at++;
      continue;
    }
    const blank = /^\\[ \t]*\n\s*/.exec(text.slice(at))?.[0];
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const read = readEscape(text, at);
    if ('problem' in read) return read;
    value += read.value;
    at = read.end;
  }
}

function readEscape(text: string, at: number): ReadString {
  const kind = text[at + 1];
  const known = kind === undefined ? undefined : escapes[kind];
  if (known !== undefined) return { value: known, end: at + 2 };
  const width = { x: 2, u: 4, U: 8 }[kind ?? ''];
  const digits = width === undefined ? '' : text.slice(at + 2, at + 2 + width);
  if (width === undefined || digits.length < width || !/^[\da-fA-F]+$/.test(digits)) {
    return { problem: `invalid escape in string '\\${kind ?? ''}'`, end: at };
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    return { problem: `Escaped character '\\u${digits}' is not valid UTF-8.`, end: at };
  }
  return { value: String.fromCodePoint(code), end: at + 2 + width };
}
