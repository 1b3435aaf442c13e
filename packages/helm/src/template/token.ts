import { quoteString } from '../go/quote.ts';

/** What a token is; the words of the language are kinds of their own. */
export type TokenKind =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | Keyword;

type Keyword = (typeof keywords)[number];

const keywords = [
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'nil',
  'template',
  'with',
] as const;

const keywordSet: ReadonlySet<string> = new Set(keywords);

/** Whether a word is one of the language's own. */
export function isKeyword(word: string): word is Keyword {
  return keywordSet.has(word);
}

/** A piece of a template: where it starts, and on which line. */
export interface Token {
  readonly kind: TokenKind;
  readonly at: number;
  readonly text: string;
  readonly line: number;
}

/** A token as errors of the parser show it. */
export function printToken({ kind, text }: Token): string {
  if (kind === 'eof') return 'EOF';
  if (kind === 'error') return text;
  if (kind === 'dot' || isKeyword(kind)) return `<${text}>`;
  const runes = Array.from(text);
  // Go counts bytes here, and cuts by runes.
  return Buffer.byteLength(text) > 10
    ? `${quoteString(runes.slice(0, 10).join(''))}...`
    : quoteString(text);
}
