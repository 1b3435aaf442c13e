/** What is not understood of a template or program, and is refused when it is configured. */
export class LuaProblem extends Error {
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

/** A word or sign of Lua. Texts are without their quotes, and hold one character a byte. */
export type LuaToken = { readonly line: number } & (
  | { readonly kind: 'name' | 'text' | 'sign'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly value: number }
  | { readonly kind: 'end'; readonly text: '' }
);

const space = /[ \t\r\n\v\f]+/y;
const comment = /--(?!\[=*\[)[^\n]*/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const sign = /\.\.\.|\.\.|::|==|~=|<=|>=|[-+*/%^#<>=(){}[\];:,.]/y;
const longStart = /(?:--)?\[(=*)\[\n?/y;

/** Cuts an expression into its tokens. */
export function luaTokens(source: string): readonly LuaToken[] {
  const tokens: LuaToken[] = [];
  let at = 0;
  let line = 1;
  let counted = 0;
  /** Lines are counted as far as has been read. */
  const here = () => {
    for (; counted < at; counted += 1) if (source[counted] === '\n') line += 1;
    return line;
  };
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  while (at < source.length) {
    here();
    if (take(space) ?? take(comment)) continue;
    const long = take(longStart);
    if (long !== undefined) {
      const close = `]${long[1]}]`;
      const end = source.indexOf(close, at);
      if (end === -1) throw new LuaProblem(`'${close}' is missing`, line);
      if (!long[0].startsWith('--'))
        tokens.push({ kind: 'text', text: source.slice(at, end), line });
      at = end + close.length;
      continue;
    }
    const word = take(name)?.[0];
    if (word !== undefined) {
      tokens.push({ kind: 'name', text: word, line });
      continue;
    }
    const digits = take(number)?.[0];
    if (digits !== undefined) {
      if (take(name) !== undefined) throw new LuaProblem(`'${digits}' is no number`, line);
      tokens.push({ kind: 'number', text: digits, value: Number(digits), line });
      continue;
    }
    const first = source[at] ?? '';
    if (first === '"' || first === "'") {
      const read = quotedText(source, at);
      tokens.push({ kind: 'text', text: read.text, line });
      at = read.end;
      continue;
    }
    const mark = take(sign)?.[0];
    if (mark === undefined) throw new LuaProblem(`'${first}' is not understood`, line);
    tokens.push({ kind: 'sign', text: mark, line });
  }
  tokens.push({ kind: 'end', text: '', line: here() });
  return tokens;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', '"': '"', "'": "'", '\n': '\n' },
};
const decimalEscape = /\d{1,3}/y;
const hexEscape = /x([0-9a-fA-F]{2})/y;

function quotedText(
  source: string,
  start: number,
): { readonly text: string; readonly end: number } {
  const quote = source[start];
  let text = '';
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== '\n') {
    const character = source[at] ?? '';
    at += 1;
    if (character !== '\\') {
      text += character;
      continue;
    }
    decimalEscape.lastIndex = at;
    hexEscape.lastIndex = at;
    const code = decimalEscape.exec(source);
    const hex = hexEscape.exec(source);
    const escaped = source[at] ?? '';
    if (code !== null && Number(code[0]) <= 255) {
      text += String.fromCharCode(Number(code[0]));
      at += code[0].length;
    } else if (hex !== null) {
      text += String.fromCharCode(Number.parseInt(hex[1] ?? '', 16));
      at += hex[0].length;
    } else if (Object.hasOwn(escapes, escaped)) {
      text += escapes[escaped];
      at += 1;
    } else {
      throw new LuaProblem(`the escape '\\${escaped}' is not understood`);
    }
  }
  if (source[at] !== quote) throw new LuaProblem('a text is not closed');
  return { text, end: at + 1 };
}
