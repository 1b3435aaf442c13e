const named: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** What Go's `strconv.IsPrint` refuses: controls, odd spaces, what is not assigned, lone surrogates. */
const unprintable = /[\p{C}\p{Z}]/u;

/**
 * A text in double quotes as Go's `%q` prints it.
 *
 * ```ts
 * goQuote('a "b"\n'); // '"a \\"b\\"\\n"'
 * ```
 */
export function goQuote(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (Object.hasOwn(named, char)) out += named[char];
    else if (char === ' ' || !unprintable.test(char)) out += char;
    else if (code < 0x80) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x10000) out += `\\u${code.toString(16).padStart(4, '0')}`;
    else out += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return `${out}"`;
}
