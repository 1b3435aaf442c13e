import { Regex } from '@waygate/text';

/**
 * Lua's patterns as regular expressions. Kong's schemas write their constraints in them.
 * Lua matches bytes; we match code points, which differs only for classes that name non-ASCII
 * bytes, and no schema has one.
 */

const classes: Readonly<Record<string, string>> = {
  a: 'A-Za-z',
  c: '\\x00-\\x1f\\x7f',
  d: '0-9',
  l: 'a-z',
  p: '!-\\/:-@\\[-`{-~',
  s: ' \\t-\\r',
  u: 'A-Z',
  w: 'A-Za-z0-9',
  x: 'A-Fa-f0-9',
};

function escapeLiteral(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

function escapeInSet(character: string): string {
  return /[\\\]^[-]/.test(character) ? `\\${character}` : character;
}

/** What `%x` means, as the inside of a set: a class, its complement, or the character itself. */
function classInSet(letter: string): string {
  const lower = classes[letter.toLowerCase()];
  if (lower === undefined) return escapeInSet(letter);
  if (letter === letter.toLowerCase()) return lower;
  throw new Error(`complement class %${letter} inside a set is not supported`);
}

function readSet(
  pattern: string,
  start: number,
): { readonly source: string; readonly end: number } {
  let index = start + 1;
  let source = '[';
  if (pattern[index] === '^') {
    source += '^';
    index += 1;
  }
  let isFirst = true;
  while (index < pattern.length && (isFirst || pattern[index] !== ']')) {
    isFirst = false;
    const character = pattern[index] as string;
    if (character === '%') {
      source += classInSet(pattern[index + 1] ?? '%');
      index += 2;
      continue;
    }
    const isRange = pattern[index + 1] === '-' && ![undefined, ']'].includes(pattern[index + 2]);
    if (isRange) {
      source += `${escapeInSet(character)}-${escapeInSet(pattern[index + 2] as string)}`;
      index += 3;
      continue;
    }
    source += escapeInSet(character);
    index += 1;
  }
  return { source: `${source}]`, end: index + 1 };
}

function readItem(
  pattern: string,
  index: number,
): { readonly source: string; readonly end: number } {
  const character = pattern[index] as string;
  if (character === '[') return readSet(pattern, index);
  if (character === '.') return { source: '[\\s\\S]', end: index + 1 };
  if (character !== '%') return { source: escapeLiteral(character), end: index + 1 };
  const letter = pattern[index + 1] ?? '%';
  const lower = classes[letter.toLowerCase()];
  if (lower === undefined) return { source: escapeLiteral(letter), end: index + 2 };
  const isComplement = letter !== letter.toLowerCase();
  return { source: isComplement ? `[^${lower}]` : `[${lower}]`, end: index + 2 };
}

const quantifiers: Readonly<Record<string, string>> = { '*': '*', '+': '+', '-': '*?', '?': '?' };

function compile(pattern: string): Regex {
  let source = '';
  let index = 0;
  if (pattern.startsWith('^')) {
    source = '^';
    index = 1;
  }
  while (index < pattern.length) {
    if (pattern[index] === '$' && index === pattern.length - 1) {
      source += '$';
      break;
    }
    const item = readItem(pattern, index);
    const quantifier = quantifiers[pattern[item.end] ?? ''];
    source += item.source + (quantifier ?? '');
    index = item.end + (quantifier === undefined ? 0 : 1);
  }
  return new Regex(source);
}

const compiled = new Map<string, Regex>();

/** Longer values match nothing: no sane value is this long. */
const longestValue = 65_536;

/** Whether a value matches a Lua pattern that a schema holds (never one that a user sends). */
export function matchesLuaPattern(value: string, pattern: string): boolean {
  if (value.length > longestValue) return false;
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    expression = compile(pattern);
    compiled.set(pattern, expression);
  }
  return expression.test(value);
}
