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

/** A text of several lines may begin on the line after its quotes. */
export const withoutFirstBreak = (text: string): string => text.replace(/^\r?\n/, '');

/** A backslash at the end of a line takes the break and the blanks after it away. */
export function withoutLineEnds(text: string): string {
  return text.replaceAll(/\\\\|\\[ \t\r\n]+/g, (found) =>
    found.startsWith('\\\\') || !found.includes('\n') ? found : '',
  );
}

/** A text with its escapes read; the lexer has seen that they are whole. */
export function readTomlEscapes(text: string, fail: (message: string) => never): string {
  return text.replaceAll(
    /\\(?:x(..)|u(.{4})|U(.{8})|(.))/gs,
    (_, x?: string, u?: string, long?: string, letter?: string) => {
      if (letter !== undefined) return escapes[letter] ?? fail(`invalid escape: '\\${letter}'`);
      const digits = (x ?? u ?? long)!;
      const code = Number.parseInt(digits, 16);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        fail(`Escaped character '\\u${digits}' is not valid UTF-8.`);
      }
      return String.fromCodePoint(code);
    },
  );
}
