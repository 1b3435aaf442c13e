/** A parsed regular expression. */
export type Regex =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly has: (code: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Regex[] }
  | { readonly kind: 'choice'; readonly options: readonly Regex[] }
  | {
      readonly kind: 'repeat';
      readonly part: Regex;
      readonly min: number;
      readonly max: number;
      /** As few as possible: of no matter to whether there is a match, only to where it ends. */
      readonly isLazy: boolean;
    }
  | { readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' }
  | { readonly kind: 'boundary'; readonly isNegated: boolean };

/** The expression cannot be parsed; the message is the one of Go's regexp package. */
export class RegexError extends Error {
  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``);
    this.name = 'RegexError';
  }
}

const MAX_REPEAT = 1000;

/** Parses the RE2 syntax, over UTF-16 code units. */
export function parseRegex(pattern: string): Regex {
  const parser = new RegexParser(pattern);
  return parser.parse();
}

class RegexParser {
  private readonly pattern: string;
  private index = 0;
  private ignoresCase = false;
  private isDotAll = false;
  private isMultiline = false;
  private depth = 0;

  constructor(pattern: string) {
    this.pattern = unquoted(pattern);
  }

  parse(): Regex {
    const result = this.choice();
    if (this.index < this.pattern.length) throw new RegexError('unexpected )', this.pattern);
    return result;
  }

  private peek(): string | undefined {
    return this.pattern[this.index];
  }

  private choice(): Regex {
    this.depth += 1;
    if (this.depth > 200) throw new RegexError('expression nests too deeply', this.pattern);
    const options = [this.sequence()];
    while (this.peek() === '|') {
      this.index += 1;
      options.push(this.sequence());
    }
    this.depth -= 1;
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  private sequence(): Regex {
    const parts: Regex[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; ) {
      parts.push(this.repeated());
      next = this.peek();
    }
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  private repeated(): Regex {
    const start = this.index;
    let part = this.atom();
    for (let count = 0; ; count += 1) {
      const from = this.index;
      const range = this.quantifier();
      if (range === undefined) return part;
      const isLazy = this.peek() === '?';
      if (isLazy) this.index += 1;
      const text = this.pattern.slice(from, this.index);
      if (count > 0) {
        throw new RegexError(
          'invalid nested repetition operator',
          this.pattern.slice(start, this.index),
        );
      }
      if (range.max !== Number.POSITIVE_INFINITY && range.max > MAX_REPEAT) {
        throw new RegexError('invalid repeat count', text);
      }
      part = { kind: 'repeat', part, ...range, isLazy };
    }
  }

  private quantifier(): { min: number; max: number } | undefined {
    switch (this.peek()) {
      case '*':
        this.index += 1;
        return { min: 0, max: Number.POSITIVE_INFINITY };
      case '+':
        this.index += 1;
        return { min: 1, max: Number.POSITIVE_INFINITY };
      case '?':
        this.index += 1;
        return { min: 0, max: 1 };
      case '{':
        return this.counted();
      default:
        return undefined;
    }
  }

  /** `{2}`, `{2,}` or `{2,5}`; anything else in braces is plain text. */
  private counted(): { min: number; max: number } | undefined {
    const match = /^\{(\d{1,5})(,(\d{1,5})?)?\}/.exec(
      this.pattern.slice(this.index, this.index + 16),
    );
    if (match === null) return undefined;
    this.index += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return { min, max: min };
    const max = match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3]);
    if (min > MAX_REPEAT || max < min) throw new RegexError('invalid repeat count', match[0]);
    return { min, max };
  }

  private atom(): Regex {
    const character = this.pattern[this.index]!;
    this.index += 1;
    switch (character) {
      case '(':
        return this.group();
      case '[':
        return { kind: 'set', has: this.set() };
      case '.':
        return { kind: 'set', has: this.isDotAll ? () => true : (code) => code !== 0x0a };
      case '^':
        return { kind: this.isMultiline ? 'lineStart' : 'start' };
      case '$':
        return { kind: this.isMultiline ? 'lineEnd' : 'end' };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw new RegexError('missing argument to repetition operator', character);
      default:
        return this.literal(character);
    }
  }

  private literal(character: string): Regex {
    const code = character.charCodeAt(0);
    if (!this.ignoresCase) return { kind: 'set', has: (other) => other === code };
    const lower = character.toLowerCase().charCodeAt(0);
    const upper = character.toUpperCase().charCodeAt(0);
    return { kind: 'set', has: (other) => other === lower || other === upper };
  }

  private group(): Regex {
    const { ignoresCase, isDotAll, isMultiline } = this;
    if (this.peek() === '?') {
      const match = /^\?(?:P?<\w{1,64}>|([imsU-]{0,8}):|([imsU-]{1,8})\))/.exec(
        this.pattern.slice(this.index, this.index + 80),
      );
      if (match === null) {
        throw new RegexError(
          'invalid or unsupported Perl syntax',
          this.pattern.slice(this.index - 1, this.index + 2),
        );
      }
      this.index += match[0].length;
      const flags = match[1] ?? match[2] ?? '';
      this.setFlags(flags);
      if (match[2] !== undefined) return { kind: 'empty' };
    }
    const inside = this.choice();
    if (this.peek() !== ')') throw new RegexError('missing closing )', this.pattern);
    this.index += 1;
    Object.assign(this, { ignoresCase, isDotAll, isMultiline });
    return inside;
  }

  /** `i`, `s` and `m`, off behind a minus. Which of several matches is found does not matter here. */
  private setFlags(flags: string): void {
    const [on = '', off = ''] = flags.split('-');
    for (const [letters, isOn] of [
      [on, true],
      [off, false],
    ] as const) {
      if (letters.includes('i')) this.ignoresCase = isOn;
      if (letters.includes('s')) this.isDotAll = isOn;
      if (letters.includes('m')) this.isMultiline = isOn;
    }
  }

  private escape(): Regex {
    const character = this.peek();
    if (character === undefined)
      throw new RegexError('trailing backslash at end of expression', '');
    if (character === 'b' || character === 'B') {
      this.index += 1;
      return { kind: 'boundary', isNegated: character === 'B' };
    }
    if (character === 'A' || character === 'z') {
      this.index += 1;
      return { kind: character === 'A' ? 'start' : 'end' };
    }
    const named = this.classEscape();
    if (named !== undefined) return { kind: 'set', has: named };
    return this.literal(this.characterEscape());
  }

  private classEscape(): ((code: number) => boolean) | undefined {
    if (this.peek() === 'p' || this.peek() === 'P') return this.unicodeClass();
    const classes: Readonly<Record<string, (code: number) => boolean>> = {
      d: isDigit,
      D: (code) => !isDigit(code),
      w: isWord,
      W: (code) => !isWord(code),
      s: isSpace,
      S: (code) => !isSpace(code),
    };
    const name = this.peek() ?? '';
    if (!Object.hasOwn(classes, name)) return undefined;
    this.index += 1;
    return classes[name];
  }

  /** `\pL`, `\p{Greek}`, `\P{Lu}`: a category or a script. */
  private unicodeClass(): (code: number) => boolean {
    const match = /^[pP](?:([A-Z])|\{(\^?)([A-Za-z_]{1,32})\})/.exec(
      this.pattern.slice(this.index, this.index + 40),
    );
    const text = `\\${match?.[0] ?? this.peek()}`;
    const expression = match === null ? undefined : unicodeExpression(match[1] ?? match[3]!);
    if (expression === undefined) throw new RegexError('invalid character class range', text);
    this.index += text.length - 1;
    const isNegated = text.startsWith('\\P') !== (match?.[2] === '^');
    return (code) => expression.test(String.fromCharCode(code)) !== isNegated;
  }

  private characterEscape(): string {
    const character = this.pattern[this.index] ?? '';
    this.index += 1;
    const simple: Readonly<Record<string, string>> = {
      n: '\n',
      t: '\t',
      r: '\r',
      f: '\f',
      v: '\v',
      a: '\x07',
    };
    if (Object.hasOwn(simple, character)) return simple[character]!;
    if (character === 'x') {
      const match = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(
        this.pattern.slice(this.index),
      );
      if (match === null) throw new RegexError('invalid escape sequence', '\\x');
      this.index += match[0].length;
      return String.fromCharCode(Number.parseInt(match[1] ?? match[2]!, 16));
    }
    if (/[A-Za-z0-9]/.test(character))
      throw new RegexError('invalid escape sequence', `\\${character}`);
    return character;
  }

  private set(): (code: number) => boolean {
    const start = this.index - 1;
    const isNegated = this.peek() === '^';
    if (isNegated) this.index += 1;
    const tests: ((code: number) => boolean)[] = [];
    for (let isFirst = true; isFirst || this.peek() !== ']'; isFirst = false) {
      if (this.index >= this.pattern.length) {
        throw new RegexError('missing closing ]', this.pattern.slice(start));
      }
      tests.push(this.setItem());
    }
    this.index += 1;
    const has = (code: number): boolean => tests.some((test) => test(code));
    return isNegated ? (code) => !has(code) : has;
  }

  private setItem(): (code: number) => boolean {
    const posix = /^\[:(\^?)(alpha|digit|alnum|upper|lower|space|punct|word|xdigit):\]/.exec(
      this.pattern.slice(this.index, this.index + 16),
    );
    if (posix !== null) {
      this.index += posix[0].length;
      const test = POSIX[posix[2]!]!;
      return posix[1] === '^' ? (code) => !test(code) : test;
    }
    if (this.peek() === '\\') {
      this.index += 1;
      const named = this.classEscape();
      if (named !== undefined) return named;
      this.index -= 1;
    }
    const from = this.setCharacter();
    if (this.peek() !== '-' || this.pattern[this.index + 1] === ']') return this.range(from, from);
    this.index += 1;
    const to = this.setCharacter();
    if (to < from) {
      throw new RegexError(
        'invalid character class range',
        `${String.fromCharCode(from)}-${String.fromCharCode(to)}`,
      );
    }
    return this.range(from, to);
  }

  private setCharacter(): number {
    if (this.peek() === '\\') {
      this.index += 1;
      return this.characterEscape().charCodeAt(0);
    }
    const character = this.pattern[this.index] ?? '';
    this.index += 1;
    return character.charCodeAt(0);
  }

  private range(from: number, to: number): (code: number) => boolean {
    if (!this.ignoresCase) return (code) => code >= from && code <= to;
    return (code) => {
      const character = String.fromCharCode(code);
      const lower = character.toLowerCase().charCodeAt(0);
      const upper = character.toUpperCase().charCodeAt(0);
      return (lower >= from && lower <= to) || (upper >= from && upper <= to);
    };
  }
}

/** `\Q…\E` is plain text, to the end when nothing closes it: each of its signs gets a backslash. */
function unquoted(pattern: string): string {
  if (!pattern.includes('\\Q')) return pattern;
  let text = '';
  for (let index = 0; index < pattern.length; index += 1) {
    if (pattern[index] !== '\\') text += pattern[index];
    else if (pattern[index + 1] === 'Q') {
      const end = pattern.indexOf('\\E', index + 2);
      const inside = pattern.slice(index + 2, end === -1 ? undefined : end);
      text += inside.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&');
      index = end === -1 ? pattern.length : end + 1;
    } else {
      text += pattern.slice(index, index + 2);
      index += 1;
    }
  }
  return text;
}

/** The platform knows the same categories and scripts as RE2. */
function unicodeExpression(name: string): RegExp | undefined {
  for (const property of [name, `Script=${name}`]) {
    try {
      return new RegExp(`^\\p{${property}}$`, 'u');
    } catch {
      // The next spelling may be known.
    }
  }
  return undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;

export function isWord(code: number): boolean {
  return isDigit(code) || isUpper(code) || isLower(code) || code === 0x5f;
}

const POSIX: Readonly<Record<string, (code: number) => boolean>> = {
  alpha: (code) => isUpper(code) || isLower(code),
  digit: isDigit,
  alnum: (code) => isDigit(code) || isUpper(code) || isLower(code),
  upper: isUpper,
  lower: isLower,
  space: (code) => isSpace(code) || code === 0x0b,
  punct: (code) => code > 0x20 && code < 0x7f && !isDigit(code) && !isUpper(code) && !isLower(code),
  word: isWord,
  xdigit: (code) =>
    isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66),
};
