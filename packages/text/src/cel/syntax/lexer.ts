import type { CelIssue, CelSource } from './source.ts';

type TokenKind =
  | 'end'
  | 'identifier'
  | 'quotedIdentifier'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  /** As it is written. */
  readonly text: string;
  readonly offset: number;
}

const symbols = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '<',
  '>',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
];

const escaped = String.raw`\\(?:[abfnrtv\\'"\x60?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;

/** A text between marks, in which a backslash means something. */
const quoted = [
  `"""(?:${escaped}|[^\\\\])*?"""`,
  `'''(?:${escaped}|[^\\\\])*?'''`,
  `"(?:${escaped}|[^"\\\\\\r\\n])*"`,
  `'(?:${escaped}|[^'\\\\\\r\\n])*'`,
].join('|');
/** One in which it means itself. */
const raw = String.raw`"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\r\n]*"|'[^'\r\n]*'`;

const rule = (source: string) => new RegExp(source, 'y');

/** In this order; whitespace and comments are no tokens. */
const rules: readonly (readonly [RegExp, TokenKind | undefined])[] = [
  [rule(String.raw`[\t\n\f\r ]+|//[^\n]*`), undefined],
  [rule(`(?:[bB][rR]|[rR][bB])(?:${raw})`), 'bytes'],
  [rule(`[rR](?:${raw})`), 'string'],
  [rule(`[bB](?:${quoted})`), 'bytes'],
  [rule(quoted), 'string'],
  [rule(String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`), 'float'],
  [rule('(?:0x[0-9a-fA-F]+|[0-9]+)[uU]'), 'uint'],
  [rule('0x[0-9a-fA-F]+|[0-9]+'), 'int'],
  [rule('[A-Za-z_][A-Za-z0-9_]*'), 'identifier'],
  [rule('`[A-Za-z0-9_.\\-/ ]+`'), 'quotedIdentifier'],
];

/** What is read before it turns out to be no token: an open text, or half an operator. */
const unreadable = rule(
  `["'](?:${escaped}|[^"'\\\\\\r\\n])*(?:\\\\.)?|[=&|](?:[\\s\\S])?|[\\s\\S]`,
);

/** The tokens of an expression; what is none is said and left out. */
export function tokenize(source: CelSource, issues: CelIssue[]): Token[] {
  const { text } = source;
  const tokens: Token[] = [];
  let index = 0;
  // Offsets are in code points, the search is in UTF-16 units.
  let offset = 0;
  while (index < text.length) {
    const found = tokenAt(text, index);
    if (found === undefined) {
      const skipped = unreadableAt(text, index);
      issues.push({ offset, message: `Syntax error: token recognition error at: '${skipped}'` });
      index += skipped.length;
      offset += countCodePoints(skipped);
      continue;
    }
    if (found.kind !== undefined) tokens.push({ kind: found.kind, text: found.text, offset });
    index += found.text.length;
    offset += countCodePoints(found.text);
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset });
  return tokens;
}

function tokenAt(
  text: string,
  index: number,
): { text: string; kind: TokenKind | undefined } | undefined {
  for (const [rule, kind] of rules) {
    rule.lastIndex = index;
    const found = rule.exec(text);
    if (found !== null) return { text: found[0], kind };
  }
  const symbol = symbols.find((each) => text.startsWith(each, index));
  return symbol === undefined ? undefined : { text: symbol, kind: 'symbol' };
}

function unreadableAt(text: string, index: number): string {
  unreadable.lastIndex = index;
  const found = unreadable.exec(text)?.[0] ?? '';
  // A character above the basic plane is one, not two halves.
  return found.length === 1 ? String.fromCodePoint(text.codePointAt(index) as number) : found;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
