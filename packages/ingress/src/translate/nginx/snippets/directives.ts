/** One directive of nginx' configuration. */
export interface Directive {
  readonly name: string;
  readonly words: readonly string[];
  /** What stands between its braces, if it has any. */
  readonly block: readonly Directive[] | undefined;
}

/** Longer snippets are nobody's, and would cost time to read. */
const maxLength = 65_536;
const maxDepth = 4;

/** Reads directives; undefined when the text is none that nginx would take. */
export function parseDirectives(text: string): Directive[] | undefined {
  if (text.length > maxLength) return undefined;
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const state = { at: 0 };
  const directives = readBlock(tokens, state, 0);
  return state.at === tokens.length ? directives : undefined;
}

/** A word, or one of the characters that end directives and blocks. */
interface Token {
  readonly text: string;
  readonly isWord: boolean;
}

function readBlock(
  tokens: readonly Token[],
  state: { at: number },
  depth: number,
): Directive[] | undefined {
  const directives: Directive[] = [];
  let words: string[] = [];
  for (; state.at < tokens.length; state.at += 1) {
    const token = tokens[state.at] as Token;
    if (token.isWord) {
      words.push(token.text);
      continue;
    }
    if (token.text === '}') return words.length === 0 && depth > 0 ? directives : undefined;
    const [name, ...rest] = words;
    if (name === undefined) return undefined;
    words = [];
    if (token.text === ';') {
      directives.push({ name, words: rest, block: undefined });
      continue;
    }
    if (depth >= maxDepth) return undefined;
    state.at += 1;
    const block = readBlock(tokens, state, depth + 1);
    if (block === undefined || tokens[state.at]?.text !== '}') return undefined;
    directives.push({ name, words: rest, block });
  }
  return words.length === 0 && depth === 0 ? directives : undefined;
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (/\s/.test(character)) {
      at += 1;
    } else if (character === '#') {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    } else if (character === ';' || character === '{' || character === '}') {
      tokens.push({ text: character, isWord: false });
      at += 1;
    } else {
      const word = character === '"' || character === "'" ? quoted(text, at) : bare(text, at);
      if (word === undefined) return undefined;
      tokens.push({ text: word.text, isWord: true });
      at = word.end;
    }
  }
  return tokens;
}

interface Word {
  readonly text: string;
  readonly end: number;
}

function quoted(text: string, start: number): Word | undefined {
  const quote = text.charAt(start);
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  let word = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === quote) return { text: word, end: at + 1 };
    if (character !== '\\') {
      word += character;
      continue;
    }
    at += 1;
    const next = text.charAt(at);
    // Other escapes are those of regular expressions.
    if (next === quote || next === '\\') word += next === '\\' ? '\\\\' : next;
    else word += escapes[next] ?? `\\${next}`;
  }
  return undefined;
}

/** `${name}` is part of a word, a brace alone is none. */
function bare(text: string, start: number): Word {
  let at = start;
  while (at < text.length && !/[\s;{}]/.test(text.charAt(at))) {
    const isReference = text.startsWith('${', at);
    at = isReference && text.indexOf('}', at) !== -1 ? text.indexOf('}', at) + 1 : at + 1;
  }
  return { text: text.slice(start, at), end: at };
}
