import { type CelIssue, type CelSource, countCodePoints } from './source.ts';

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

/** In this order; whitespace and comments are no tokens. */
const rules: readonly (readonly [source: string, kind: TokenKind | undefined])[] = [
  [String.raw`[\t\n\f\r ]+|//[^\n]*`, undefined],
  [`(?:[bB][rR]|[rR][bB])(?:${raw})`, 'bytes'],
  [`[rR](?:${raw})`, 'string'],
  [`[bB](?:${quoted})`, 'bytes'],
  [quoted, 'string'],
  [String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`, 'float'],
  ['(?:0x[0-9a-fA-F]+|[0-9]+)[uU]', 'uint'],
  ['0x[0-9a-fA-F]+|[0-9]+', 'int'],
  ['[A-Za-z_][A-Za-z0-9_]*', 'identifier'],
  ['`[A-Za-z0-9_.\\-/ ]+`', 'quotedIdentifier'],
  [String.raw`[=!<>]=|&&|\|\||[<>[\]{}().,\-!?:+*/%]`, 'symbol'],
];

/** All rules at once: the group that has something tells which of them it was. */
const token = new RegExp(rules.map(([source]) => `(${source})`).join('|'), 'y');

/** What is read before it turns out to be no token: an open text, or half an operator. */
const unreadable = new RegExp(
  `["'](?:${escaped}|[^"'\\\\\\r\\n])*(?:\\\\.)?|[=&|](?:[\\s\\S])?|[\\s\\S]`,
  'y',
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
  token.lastIndex = index;
  const found = token.exec(text);
  if (found === null) return undefined;
  const which = found.findIndex((group, at) => at > 0 && group !== undefined) - 1;
  return { text: found[0], kind: rules[which]?.[1] };
}

function unreadableAt(text: string, index: number): string {
  unreadable.lastIndex = index;
  const found = unreadable.exec(text)?.[0] ?? '';
  // A character above the basic plane is one, not two halves.
  return found.length === 1 ? String.fromCodePoint(text.codePointAt(index) as number) : found;
}
