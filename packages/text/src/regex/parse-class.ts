import { type CodeSet, intersect, negate, toCodeSet, unite } from './code-set.ts';
import { newline, posixSets } from './named-sets.ts';
import { codeEscape, setEscape } from './parse-escape.ts';
import type { PatternReader } from './pattern-reader.ts';
import { RegexError } from './regex-error.ts';

const posixName = /\[:(\^?)([a-z]*):\]/y;
const maxDepth = 50;

/** Reads a class; the reader stands behind its `[`. */
export function parseClass(reader: PatternReader, depth = 0): CodeSet {
  const start = reader.index - 1;
  if (depth > maxDepth) throw new RegexError('expression nests too deeply', reader.pattern);
  const isNegated = reader.take('^');
  let set = parseItems(reader, start, depth);
  while (reader.dialect === 'rust' && reader.peek() !== ']')
    set = parseOperation(reader, start, depth, set);
  reader.index += 1;
  // RE2 folds a negated class before it negates it.
  const folded = reader.fold(set);
  return isNegated ? negate(folded) : folded;
}

/** Up to the closing bracket or an operator between sets, which Rust has. */
function parseItems(reader: PatternReader, start: number, depth: number): CodeSet {
  const pairs: number[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const next = reader.peek();
    if (next === undefined) throw new RegexError('missing closing ]', reader.pattern.slice(start));
    if (next === ']' && !isFirst) break;
    if (reader.dialect === 'rust' && !isFirst && isOperator(reader)) break;
    if (reader.flags.isVerbose && reader.dialect === 'rust' && /\s/.test(next)) {
      reader.index += 1;
      isFirst = true;
      continue;
    }
    for (const bound of parseItem(reader, depth)) pairs.push(bound);
  }
  return toCodeSet(pairs);
}

function isOperator(reader: PatternReader): boolean {
  return reader.startsWith('&&') || reader.startsWith('--') || reader.startsWith('~~');
}

function parseOperation(
  reader: PatternReader,
  start: number,
  depth: number,
  left: CodeSet,
): CodeSet {
  const operator = reader.pattern.slice(reader.index, reader.index + 2);
  reader.index += 2;
  const right = reader.peek() === ']' ? [] : parseItems(reader, start, depth);
  if (operator === '&&') return intersect(left, right);
  if (operator === '--') return intersect(left, negate(right));
  return unite(intersect(left, negate(right)), intersect(right, negate(left)));
}

function parseItem(reader: PatternReader, depth: number): CodeSet {
  const posix = parsePosix(reader);
  if (posix !== undefined) return posix;
  if (reader.dialect === 'rust' && reader.take('[')) return parseClass(reader, depth + 1);
  const start = reader.index;
  const named = parseNamed(reader);
  if (named !== undefined) return named;
  const from = parseMember(reader);
  if (reader.peek() !== '-' || reader.peek(1) === ']' || reader.peek(1) === undefined) {
    return [from, from];
  }
  if (reader.dialect === 'rust' && reader.startsWith('--')) return [from, from];
  reader.index += 1;
  const beforeTo = reader.index;
  if (reader.dialect === 'pcre' && (parsePosix(reader) ?? parseNamed(reader)) !== undefined) {
    // The end is a set: then the minus stands for itself.
    reader.index = beforeTo - 1;
    return [from, from];
  }
  const to = parseMember(reader);
  if (to < from) throw new RegexError('invalid character class range', reader.since(start));
  return [from, to];
}

function parsePosix(reader: PatternReader): CodeSet | undefined {
  if (!reader.startsWith('[:')) return undefined;
  const before = reader.index;
  const match = reader.takeMatch(posixName);
  if (match === undefined) return undefined;
  const set = posixSets.get(match[2] as string);
  if (set === undefined) {
    if (reader.dialect === 'rust') {
      reader.index = before;
      return undefined;
    }
    throw new RegexError('invalid character class range', match[0]);
  }
  return match[1] === '^' ? negate(reader.fold(set)) : set;
}

/** `\d`, `\pL` and the like. */
function parseNamed(reader: PatternReader): CodeSet | undefined {
  if (reader.peek() !== '\\') return undefined;
  if (reader.dialect === 'pcre' && reader.startsWith('\\N')) {
    reader.index += 2;
    return negate(newline);
  }
  const before = reader.index;
  reader.index += 1;
  const set = setEscape(reader);
  if (set === undefined) reader.index = before;
  return set;
}

function parseMember(reader: PatternReader): number {
  const next = reader.peek();
  if (next === undefined) throw new RegexError('missing closing ]', reader.pattern);
  if (next !== '\\') return reader.takeCode();
  reader.index += 1;
  if (reader.dialect === 'pcre' && reader.take('b')) return 0x08;
  return codeEscape(reader, true);
}
