import { Regex, type RegexDialect, RegexError, type RegexMatch } from '@waygate/text';
import { patternBudget } from './pattern-budget.ts';
import type { PathCaptures } from './route-match.ts';

/** Steps of one compiled pattern: a match costs at most this, times the length of the text. */
const maxSize = 2_500;

/**
 * A pattern that somebody who may write routes or plugins has written, to be matched with what anyone
 * may send. It runs in linear time, within {@link patternBudget}.
 */
export class RegularExpression {
  readonly #regex: Regex;

  constructor(regex: Regex) {
    this.#regex = regex;
  }

  /** @param whenTooCostly - the answer when the budget does not suffice to find out */
  test(text: string, whenTooCostly = false): boolean {
    try {
      return this.#regex.test(text, patternBudget.next());
    } catch (error) {
      if (error instanceof RegexError) return whenTooCostly;
      throw error;
    }
  }

  exec(text: string): RegexMatch | undefined {
    try {
      return this.#regex.exec(text, 0, patternBudget.next());
    } catch (error) {
      if (error instanceof RegexError) return undefined;
      throw error;
    }
  }

  /** The groups of a match, or undefined if the pattern has none. */
  captures({ groups }: RegexMatch): PathCaptures | undefined {
    if (groups.length === 0) return undefined;
    const named: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const [name, index] of this.#regex.groupNames) {
      const value = groups[index - 1];
      if (value !== undefined) named[name] = value;
    }
    return { numbered: groups, named };
  }
}

interface CompileOptions {
  /** Rust's `regex` in the router of expressions, PCRE elsewhere. */
  readonly dialect: RegexDialect;
  readonly isAnchored?: boolean;
}

/** Compiles a pattern; undefined for what cannot be read or cannot be run in linear time. */
export function compileRegularExpression(
  pattern: string,
  options: CompileOptions,
): RegularExpression | undefined {
  try {
    return new RegularExpression(new Regex(pattern, { ...options, maxSize }));
  } catch (error) {
    if (error instanceof RegexError) return undefined;
    throw error;
  }
}

/** Why a pattern cannot be run; undefined if it can. */
export function regularExpressionProblem(
  pattern: string,
  options: CompileOptions,
): string | undefined {
  try {
    new Regex(pattern, { ...options, maxSize });
    return undefined;
  } catch (error) {
    if (error instanceof RegexError) return `${error.problem}: \`${error.part.slice(0, 100)}\``;
    throw error;
  }
}

/** Whether what is written behind a pattern belongs to its last choice only. */
export function isChoice(pattern: string, options: CompileOptions): boolean {
  return new Regex(pattern, { ...options, maxSize }).isChoice;
}

/** The characters that every match of an anchored pattern starts with; empty if none are sure. */
export function literalPrefix(pattern: string): string {
  let index = pattern.startsWith('^') ? 1 : 0;
  if (index === 0 || /(^|[^\\])\|/.test(pattern) || pattern.startsWith('^(?')) return '';
  let prefix = '';
  while (index < pattern.length) {
    let character = pattern.charAt(index);
    let length = 1;
    if (character === '\\') {
      character = pattern.charAt(index + 1);
      if (character === '' || /[A-Za-z0-9]/.test(character)) break;
      length = 2;
    } else if (/[.[\](){}^$*+?]/.test(character)) {
      break;
    }
    if (/[*?{]/.test(pattern.charAt(index + length))) break;
    prefix += character;
    index += length;
  }
  return prefix;
}
