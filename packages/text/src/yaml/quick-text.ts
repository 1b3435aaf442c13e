import { internedSlice } from './interned.ts';

/** Anything else, a tab or a carriage return among them, is for the parser proper. */
const plainText = /^[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff]*$/;

/** A colon further from the start of its key makes no key. */
const maxKey = 1000;

/**
 * The cursor of the quick parser. It knows lines and the scalars that end on theirs; every method
 * that may meet something it does not know says so, with undefined, false or a negative number.
 */
export class QuickText {
  readonly text: string;
  index = 0;
  line = 0;
  /** The column of the cursor, as of the last move to a line, an entry or a key. */
  column = 0;
  /** Whether the document is over; the column is then -1, so that every open collection ends. */
  isEnded = false;
  /** The key that `hasKey` has found, without quotes. */
  keyFrom = 0;
  keyTo = 0;
  keyStyle: 'plain' | 'double' | 'single' = 'plain';
  #keyColon = 0;
  readonly #length: number;

  static isPlain(text: string): boolean {
    return plainText.test(text);
  }

  /** Whether a document may follow another. */
  readonly #hasMany: boolean;
  #isAtMarker = false;

  constructor(text: string, hasMany: boolean) {
    this.text = text;
    this.#hasMany = hasMany;
    this.#length = text.length;
    // The first line is found as any other one is: as what comes after a break.
    this.index = -1;
    this.line = -1;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.index + ahead);
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.index) === 0x20) this.index += 1;
  }

  /** Whether the line holds nothing more; what may follow is a comment. Skips spaces. */
  isAtLineEnd(): boolean {
    const from = this.index;
    this.skipSpaces();
    if (this.index >= this.#length) return true;
    const code = this.text.charCodeAt(this.index);
    return code === 0x0a || (code === 0x23 && this.index > from);
  }

  /**
   * Goes from the end of a line to the next one that holds more than a comment. False where a
   * comment may be a schema, and where a document begins or ends.
   */
  nextLine(): boolean {
    const { text } = this;
    const length = this.#length;
    let { index } = this;
    for (;;) {
      if (text.charCodeAt(index) === 0x23) {
        if (isSchema(text, index)) return false;
        const end = text.indexOf('\n', index);
        index = end < 0 ? length : end;
      }
      if (index >= length) return this.#endAt(length);
      index += 1;
      this.line += 1;
      const start = index;
      while (text.charCodeAt(index) === 0x20) index += 1;
      const code = text.charCodeAt(index);
      if (code === 0x0a || code === 0x23 || index >= length) continue;
      this.index = index;
      this.column = index - start;
      if (index > start) return true;
      if (!isMarker(text, index, code)) return code !== 0x25;
      if (!this.#hasMany || !text.startsWith('---\n', index)) return false;
      this.#isAtMarker = true;
      return this.#endAt(index);
    }
  }

  #endAt(index: number): true {
    this.index = index;
    this.isEnded = true;
    this.column = -1;
    return true;
  }

  /** Steps over the `---` at the cursor, when the line holds nothing else. */
  skipMarker(): boolean {
    if (!this.text.startsWith('---\n', this.index)) return false;
    this.index += 3;
    return true;
  }

  /** Goes on to the document that begins at the cursor, if one does. */
  openDocument(): boolean {
    if (!this.#isAtMarker) return false;
    this.#isAtMarker = false;
    this.isEnded = false;
    return this.skipMarker();
  }

  /** Whether a `- ` is at the cursor. */
  isEntry(): boolean {
    if (this.text.charCodeAt(this.index) !== 0x2d) return false;
    const next = this.text.charCodeAt(this.index + 1);
    return next === 0x20 || next === 0x0a || this.index + 1 >= this.#length;
  }

  skipEntry(): void {
    const from = this.index;
    this.index += 1;
    this.skipSpaces();
    this.column += this.index - from;
  }

  /** Whether a key is at the cursor. */
  hasKey(): boolean {
    const { text, index } = this;
    const code = text.charCodeAt(index);
    let to: number;
    if (code === 0x22 || code === 0x27) {
      to = closingQuote(text, index, code);
      if (to < 0) return false;
      this.keyFrom = index + 1;
      this.keyTo = to;
      this.keyStyle = code === 0x22 ? 'double' : 'single';
      to += 1;
    } else {
      if (!canStart(code, text.charCodeAt(index + 1))) return false;
      to = index;
      let isAfterSpace = false;
      for (;;) {
        const each = text.charCodeAt(to);
        if (each === 0x0a || to >= this.#length) return false;
        if (each === 0x3a && isBlank(text.charCodeAt(to + 1))) break;
        if (each === 0x23 && isAfterSpace) return false;
        isAfterSpace = each === 0x20;
        to += 1;
      }
      this.keyFrom = index;
      this.keyTo = trimmed(text, index, to);
      this.keyStyle = 'plain';
    }
    while (text.charCodeAt(to) === 0x20) to += 1;
    this.#keyColon = to;
    return to - index < maxKey && text.charCodeAt(to) === 0x3a && isBlank(text.charCodeAt(to + 1));
  }

  skipKey(): void {
    this.index = this.#keyColon + 1;
  }

  /** The end of the plain scalar at the cursor. */
  plainEnd(): number {
    const { text, index } = this;
    const length = this.#length;
    if (!canStart(text.charCodeAt(index), text.charCodeAt(index + 1))) return -1;
    let to = index;
    let isAfterSpace = false;
    while (to < length) {
      const code = text.charCodeAt(to);
      if (code === 0x0a || (code === 0x23 && isAfterSpace)) break;
      if (code === 0x3a && isBlank(text.charCodeAt(to + 1))) return -1;
      isAfterSpace = code === 0x20;
      to += 1;
    }
    return trimmed(text, index, to);
  }

  /** The end of the plain scalar at the cursor, inside brackets. */
  flowPlainEnd(): number {
    const { text, index } = this;
    const length = this.#length;
    if (!canStart(text.charCodeAt(index), text.charCodeAt(index + 1))) return -1;
    let to = index;
    for (;;) {
      if (to >= length) return -1;
      const code = text.charCodeAt(to);
      if (code === 0x2c || code === 0x5d || code === 0x7d) break;
      if (code === 0x3a && isBlank(text.charCodeAt(to + 1))) break;
      // A line break, a comment, a bracket or a question mark.
      if (code === 0x0a || code === 0x23 || code === 0x5b || code === 0x7b || code === 0x3f) {
        return -1;
      }
      to += 1;
    }
    return trimmed(text, index, to);
  }

  /** The text between the quotes at the cursor, when nothing in it needs a second look. */
  quoted(): string | undefined {
    const { text, index } = this;
    const to = closingQuote(text, index, text.charCodeAt(index));
    if (to < 0) return undefined;
    this.index = to + 1;
    return to === index + 1 ? '' : internedSlice(text, index + 1, to);
  }

  /** A block after `|`, `|-` or `|+`, deeper than the column. The cursor ends before a line break. */
  literal(outer: number): string | undefined {
    const { text } = this;
    const length = this.#length;
    let index = this.index + 1;
    const chomping = text.charCodeAt(index);
    if (chomping === 0x2d || chomping === 0x2b) index += 1;
    if (text.charCodeAt(index) !== 0x0a) return undefined;
    let start = index + 1;
    while (text.charCodeAt(start) === 0x20) start += 1;
    const margin = start - index - 1;
    if (margin <= outer || margin === 0 || text.charCodeAt(start) === 0x0a || start >= length) {
      return undefined;
    }
    let value = '';
    let breaks = '';
    // Invariant: `index` is at the line break before the line that is looked at.
    while (index < length) {
      start = index + 1;
      while (start <= index + margin && text.charCodeAt(start) === 0x20) start += 1;
      if (start >= length) break;
      if (text.charCodeAt(start) === 0x0a) {
        breaks += '\n';
      } else {
        if (start <= index + margin) break;
        const found = text.indexOf('\n', start);
        value += breaks + text.slice(start, found < 0 ? length : found);
        breaks = found < 0 ? '' : '\n';
        start = found < 0 ? length : found;
      }
      index = start;
      this.line += 1;
    }
    this.index = Math.min(index, length);
    if (chomping === 0x2d) return value;
    return chomping === 0x2b ? value + breaks : value + breaks.slice(0, 1);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || Number.isNaN(code);
}

function isSchema(text: string, from: number): boolean {
  let index = from;
  while (text.charCodeAt(index) === 0x23) index += 1;
  while (/\s/.test(text[index] ?? '')) index += 1;
  return text.charCodeAt(index) === 0x7b;
}

function isMarker(text: string, index: number, code: number): boolean {
  if (code !== 0x2d && code !== 0x2e) return false;
  return text.charCodeAt(index + 1) === code && text.charCodeAt(index + 2) === code;
}

/** Whether a plain scalar may start so; a few that may are left to the parser proper. */
function canStart(code: number, next: number): boolean {
  switch (code) {
    case 0x2d: // -
      return !isBlank(next) && next !== 0x2c && next !== 0x5d && next !== 0x7d;
    case 0x20:
    case 0x0a:
    case 0x21: // !
    case 0x22: // "
    case 0x23: // #
    case 0x25: // %
    case 0x26: // &
    case 0x27: // '
    case 0x2a: // *
    case 0x2c: // ,
    case 0x3a: // :
    case 0x3e: // >
    case 0x3f: // ?
    case 0x40: // @
    case 0x5b: // [
    case 0x5d: // ]
    case 0x60: // `
    case 0x7b: // {
    case 0x7c: // |
    case 0x7d: // }
      return false;
    default:
      return !Number.isNaN(code);
  }
}

/** Where the quotes close, when that is on the line and nothing in between is escaped. */
function closingQuote(text: string, from: number, quote: number): number {
  for (let index = from + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return quote === 0x27 && text.charCodeAt(index + 1) === quote ? -1 : index;
    if (code === 0x0a || (code === 0x5c && quote === 0x22)) return -1;
  }
  return -1;
}

function trimmed(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) === 0x20) end -= 1;
  return end;
}
