import { type CodeSet, unite } from './code-set.ts';
import { foldCase } from './fold-case.ts';
import { digits, re2Spaces, spaces, unicodeSet, wordCodes } from './named-sets.ts';
import { RegexError } from './regex-error.ts';
import type { RegexNode } from './syntax-tree.ts';

/**
 * Whose syntax a pattern is written in: Go's RE2, Rust's `regex` as Kong's router reads it, or PCRE
 * as Kong's plugins do. What only backtracking can run (look-around, references to groups, atomic and
 * recursive groups) is refused in each.
 */
export type RegexDialect = 'go' | 'rust' | 'pcre';

/** What `(?…)` turns on and off. */
export interface RegexFlags {
  readonly ignoresCase: boolean;
  readonly isDotAll: boolean;
  readonly isMultiline: boolean;
  readonly isUngreedy: boolean;
  /** White space and comments between the parts mean nothing. */
  readonly isVerbose: boolean;
  /** `\d`, `\s`, `\w` and `\b` know all scripts. */
  readonly isUnicode: boolean;
}

/** The place in a pattern up to which it is read. */
export class PatternReader {
  readonly pattern: string;
  readonly dialect: RegexDialect;
  index = 0;
  flags: RegexFlags;
  readonly #folded = new Map<CodeSet, CodeSet>();

  constructor(pattern: string, dialect: RegexDialect) {
    this.pattern = pattern;
    this.dialect = dialect;
    this.flags = {
      ignoresCase: false,
      isDotAll: false,
      isMultiline: false,
      isUngreedy: false,
      isVerbose: false,
      isUnicode: dialect === 'rust',
    };
  }

  peek(ahead = 0): string | undefined {
    return this.pattern[this.index + ahead];
  }

  startsWith(text: string): boolean {
    return this.pattern.startsWith(text, this.index);
  }

  /** Goes past a text if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.index += text.length;
    return true;
  }

  /** The next code point. */
  takeCode(): number {
    const code = this.pattern.codePointAt(this.index) as number;
    this.index += code > 0xffff ? 2 : 1;
    return code;
  }

  /** What a sticky expression finds here; the place moves behind it. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.pattern);
    if (match === null) return undefined;
    this.index += match[0].length;
    return match;
  }

  since(start: number): string {
    return this.pattern.slice(start, this.index);
  }

  /** A set as the flags want it. */
  fold(set: CodeSet): CodeSet {
    if (!this.flags.ignoresCase) return set;
    let folded = this.#folded.get(set);
    if (folded === undefined) {
      folded = foldCase(set);
      this.#folded.set(set, folded);
    }
    return folded;
  }

  literal(code: number): RegexNode {
    return { kind: 'set', set: this.fold([code, code]) };
  }

  /** What `\d`, `\s` and `\w` stand for. */
  perlSet(letter: 'd' | 's' | 'w'): CodeSet {
    if (this.flags.isUnicode) return unicodePerlSet(letter);
    if (letter === 'd') return digits;
    if (letter === 'w') return wordCodes;
    return this.dialect === 'go' ? re2Spaces : spaces;
  }

  /** Refuses what needs backtracking, in words that say so. */
  refuse(feature: string, part: string): never {
    throw new RegexError(
      this.dialect === 'go'
        ? 'invalid or unsupported Perl syntax'
        : `${feature} cannot be run in linear time and is not supported`,
      part,
    );
  }
}

const unicodeWords = 'Alphabetic Mark Decimal_Number Connector_Punctuation Join_Control'.split(' ');
const perl = new Map<string, CodeSet>();

function unicodePerlSet(letter: 'd' | 's' | 'w'): CodeSet {
  let set = perl.get(letter);
  if (set === undefined) {
    const names = letter === 'd' ? ['Nd'] : letter === 's' ? ['White_Space'] : unicodeWords;
    set = unite(...names.map((name) => unicodeSet(name) ?? []));
    perl.set(letter, set);
  }
  return set;
}
