import { everyCode, negate } from './code-set.ts';
import { newline, wordCodes } from './named-sets.ts';
import { parseClass } from './parse-class.ts';
import { parseEscape } from './parse-escape.ts';
import { PatternReader, type RegexDialect, type RegexFlags } from './pattern-reader.ts';
import { RegexError } from './regex-error.ts';
import type { ParsedRegex, RegexNode } from './syntax-tree.ts';

/** Longer patterns are refused before they are read. */
const maxPattern = 65_536;
/** RE2 takes no larger count, nor a larger product of counts within each other. */
const maxRepeat = 1000;
const maxDepth = 250;

/** Reads a pattern. */
export function parseRegex(pattern: string, dialect: RegexDialect): ParsedRegex {
  if (pattern.length > maxPattern) throw new RegexError('expression too large', pattern);
  return new RegexParser(pattern, dialect).parse();
}

const emptyNode: RegexNode = { kind: 'empty' };
const notNewline = negate(newline);

class RegexParser {
  readonly #reader: PatternReader;
  readonly #names = new Map<string, number>();
  #groupCount = 0;
  #depth = 0;
  #hasUnicodeBoundary = false;

  constructor(pattern: string, dialect: RegexDialect) {
    this.#reader = new PatternReader(pattern, dialect);
  }

  parse(): ParsedRegex {
    const reader = this.#reader;
    const node = this.#choice();
    if (reader.index < reader.pattern.length) throw new RegexError('unexpected )', reader.pattern);
    return {
      node,
      groupCount: this.#groupCount,
      names: this.#names,
      wordSet: this.#hasUnicodeBoundary ? reader.perlSet('w') : wordCodes,
    };
  }

  #choice(): RegexNode {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new RegexError('expression nests too deeply', this.#reader.pattern);
    }
    const options = [this.#sequence()];
    while (this.#reader.take('|')) options.push(this.#sequence());
    this.#depth -= 1;
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  #sequence(): RegexNode {
    const reader = this.#reader;
    const parts: RegexNode[] = [];
    for (;;) {
      if (reader.flags.isVerbose) this.#skipVerbose();
      const next = reader.peek();
      if (next === undefined || next === '|' || next === ')') break;
      if (reader.dialect !== 'rust' && reader.take('\\Q')) this.#quoted(parts);
      else {
        const atom = this.#atom();
        // In RE2 what follows a flag repeats the part before it.
        const part = atom === flagNode && reader.dialect === 'go' ? (parts.pop() ?? atom) : atom;
        const repeated = this.#repeated(part);
        if (repeated !== flagNode) parts.push(repeated);
      }
    }
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'sequence', parts };
  }

  /** `\Q…\E` is plain text, to the end when nothing closes it; what follows repeats its last character. */
  #quoted(parts: RegexNode[]): void {
    const reader = this.#reader;
    const closing = reader.pattern.indexOf('\\E', reader.index);
    const end = closing === -1 ? reader.pattern.length : closing;
    while (reader.index < end) parts.push(reader.literal(reader.takeCode()));
    if (closing !== -1) reader.index += 2;
    const last = parts.pop();
    if (last !== undefined) parts.push(this.#repeated(last));
  }

  #repeated(atom: RegexNode): RegexNode {
    const reader = this.#reader;
    let part = atom;
    let previous = 0;
    for (let count = 0; ; count += 1) {
      if (reader.flags.isVerbose) this.#skipVerbose();
      const from = reader.index;
      const range = this.#quantifier();
      if (range === undefined) return part;
      if (atom === flagNode)
        throw new RegexError('missing argument to repetition operator', reader.since(from));
      const isLazy = reader.take('?') !== reader.flags.isUngreedy;
      const text = reader.since(from);
      if (count > 0 && reader.dialect !== 'rust') {
        throw new RegexError('invalid nested repetition operator', reader.since(previous));
      }
      if (reader.dialect === 'pcre' && reader.peek() === '+') {
        reader.refuse('a possessive quantifier', `${text}+`);
      }
      previous = from;
      part = { kind: 'repeat', part, ...range, isLazy };
      if (reader.dialect === 'go' && text.startsWith('{') && repeatProduct(part) > maxRepeat) {
        throw new RegexError('invalid repeat count', text);
      }
    }
  }

  #quantifier(): { min: number; max: number } | undefined {
    const reader = this.#reader;
    if (reader.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (reader.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (reader.take('?')) return { min: 0, max: 1 };
    return reader.peek() === '{' ? this.#counted() : undefined;
  }

  /** `{2}`, `{2,}` or `{2,5}`; other text in braces is plain but in Rust. */
  #counted(): { min: number; max: number } | undefined {
    const reader = this.#reader;
    const match = reader.takeMatch(counts);
    if (match === undefined) {
      if (reader.dialect !== 'rust') return undefined;
      throw new RegexError('repetition quantifier expects a valid decimal', '{');
    }
    const min = Number(match[1]);
    const max =
      match[2] === undefined
        ? min
        : match[3] === undefined
          ? Number.POSITIVE_INFINITY
          : Number(match[3]);
    const isTooMany =
      reader.dialect === 'go' && (min > maxRepeat || (max > maxRepeat && max < Infinity));
    if (isTooMany || max < min) throw new RegexError('invalid repeat count', match[0]);
    return { min, max };
  }

  #atom(): RegexNode {
    const reader = this.#reader;
    const { flags } = reader;
    switch (reader.peek()) {
      case '(':
        reader.index += 1;
        return this.#group();
      case '[':
        reader.index += 1;
        return { kind: 'set', set: parseClass(reader) };
      case '.':
        reader.index += 1;
        return { kind: 'set', set: flags.isDotAll ? everyCode : notNewline };
      case '^':
        reader.index += 1;
        return { kind: 'place', place: flags.isMultiline ? 'lineStart' : 'start' };
      case '$':
        reader.index += 1;
        return { kind: 'place', place: this.#endPlace() };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?': {
        const sign = reader.takeMatch(repeatSign)?.[0] as string;
        throw new RegexError('missing argument to repetition operator', sign);
      }
      case '{':
        if (reader.dialect === 'rust') {
          throw new RegexError('missing argument to repetition operator', '{');
        }
        return this.#braces();
      default:
        return reader.literal(reader.takeCode());
    }
  }

  #braces(): RegexNode {
    const reader = this.#reader;
    const start = reader.index;
    if (reader.takeMatch(counts) !== undefined) {
      reader.take('?');
      throw new RegexError('missing argument to repetition operator', reader.since(start));
    }
    return reader.literal(reader.takeCode());
  }

  #endPlace(): 'lineEnd' | 'end' | 'endOrNewline' {
    const { flags, dialect } = this.#reader;
    if (flags.isMultiline) return 'lineEnd';
    return dialect === 'pcre' ? 'endOrNewline' : 'end';
  }

  #escape(): RegexNode {
    const reader = this.#reader;
    reader.index += 1;
    // The end of a quotation that never began.
    if (reader.dialect === 'pcre' && reader.take('E')) return emptyNode;
    const node = parseEscape(reader);
    if (node.kind === 'place' && /[bB]/.test(reader.peek(-1) as string)) {
      this.#hasUnicodeBoundary ||= reader.flags.isUnicode;
    }
    return node;
  }

  #group(): RegexNode {
    const reader = this.#reader;
    const { flags } = reader;
    if (reader.dialect === 'pcre' && reader.peek() === '*') reader.refuse('a verb', '(*');
    let index = 0;
    if (reader.peek() !== '?') {
      this.#groupCount += 1;
      index = this.#groupCount;
    } else {
      const opened = this.#special();
      if (opened === 'flags') return flagNode;
      if (opened === 'comment') return emptyNode;
      index = opened;
    }
    const part = this.#choice();
    if (!reader.take(')')) throw new RegexError('missing closing )', reader.pattern);
    reader.flags = flags;
    return index === 0 ? part : { kind: 'group', part, index };
  }

  /** What begins with `(?`: the index of a named group, 0 for one that does not capture. */
  #special(): number | 'flags' | 'comment' {
    const reader = this.#reader;
    const start = reader.index - 1;
    if (reader.dialect === 'pcre' && reader.takeMatch(comment) !== undefined) return 'comment';
    const name = reader.takeMatch(reader.dialect === 'pcre' ? pcreName : namedGroup);
    if (name !== undefined) return this.#named(name[1] ?? (name[2] as string), reader.since(start));
    if (reader.dialect === 'pcre' && reader.startsWith('?R')) return this.#unsupported(start);
    const match = reader.takeMatch(flagGroup);
    if (match === undefined) return this.#unsupported(start);
    this.#setFlags(match[1] as string, start);
    return match[2] === ':' ? 0 : 'flags';
  }

  #unsupported(start: number): never {
    const reader = this.#reader;
    const rest = reader.pattern.slice(start, start + 4);
    if (/^\(\?<?[=!]/.test(rest)) {
      reader.refuse('look-around', /^\(\?<?[=!]/.exec(rest)?.[0] ?? rest);
    }
    if (rest.startsWith('(?>')) reader.refuse('an atomic group', '(?>');
    if (rest.startsWith('(?P=')) reader.refuse('a reference to a group', rest);
    if (/^\(\?(?:[R&(|+]|-?\d|P>)/.test(rest) && reader.dialect === 'pcre') {
      reader.refuse('a recursive, conditional or renumbering group', rest.slice(0, 3));
    }
    if (/^\(\?P?</.test(rest) && reader.dialect === 'go') {
      const end = reader.pattern.indexOf('>', start);
      const part = reader.pattern.slice(start, end === -1 ? undefined : end + 1);
      throw new RegexError('invalid named capture', part);
    }
    throw new RegexError('invalid or unsupported Perl syntax', rest.slice(0, 3));
  }

  #named(name: string, part: string): number {
    if (this.#names.has(name)) {
      throw new RegexError(
        this.#reader.dialect === 'go' ? 'duplicate capture group name' : 'invalid named capture',
        this.#reader.dialect === 'go' ? name : part,
      );
    }
    this.#groupCount += 1;
    this.#names.set(name, this.#groupCount);
    return this.#groupCount;
  }

  /** The letters stand between `(?`, which is at `start`, and a colon or a bracket. */
  #setFlags(text: string, start: number): void {
    const { dialect } = this.#reader;
    const flags: { -readonly [Key in keyof RegexFlags]: boolean } = { ...this.#reader.flags };
    let isOn = true;
    const wrong = (length: number): RegexError => {
      const part = this.#reader.pattern.slice(start, start + 2 + length);
      return new RegexError('invalid or unsupported Perl syntax', part);
    };
    [...text].forEach((letter, index) => {
      if (letter === '-' && isOn) isOn = false;
      else if (letter === 'i') flags.ignoresCase = isOn;
      else if (letter === 's') flags.isDotAll = isOn;
      else if (letter === 'm') flags.isMultiline = isOn;
      else if (letter === 'U') flags.isUngreedy = isOn;
      else if (letter === 'x' && dialect !== 'go') flags.isVerbose = isOn;
      else if (letter === 'u' && dialect === 'rust') flags.isUnicode = isOn;
      else throw wrong(index + 1);
    });
    if (text.endsWith('-')) throw wrong(text.length + 1);
    this.#reader.flags = flags;
  }

  #skipVerbose(): void {
    this.#reader.takeMatch(verboseSpace);
  }
}

/** A `(?i)` is no part that can be repeated. */
const flagNode: RegexNode = { kind: 'empty' };

const repeatSign = /[*+?]\??/y;
const counts = /\{(\d{1,5})(,(\d{1,5})?)?\}/y;
const namedGroup = /\?P?<([A-Za-z_][A-Za-z0-9_]{0,127})>/y;
const pcreName = /\?(?:P?<([A-Za-z_][A-Za-z0-9_]{0,127})>|'([A-Za-z_][A-Za-z0-9_]{0,127})')/y;
const flagGroup = /\?([A-Za-z-]{0,12})([:)])/y;
const comment = /\?#[^)]*\)/y;
const verboseSpace = /(?:\s|#[^\n]*(?:\n|$))*/y;

/** The product of the counts on the way to the most repeated part. */
function repeatProduct(node: RegexNode): number {
  switch (node.kind) {
    case 'sequence':
      return Math.max(1, ...node.parts.map(repeatProduct));
    case 'choice':
      return Math.max(1, ...node.options.map(repeatProduct));
    case 'group':
      return repeatProduct(node.part);
    case 'repeat': {
      const most = node.max === Number.POSITIVE_INFINITY ? node.min : node.max;
      // Signs that are no counts, such as a star, multiply nothing.
      return Math.max(most, 1) * repeatProduct(node.part);
    }
    default:
      return 1;
  }
}
