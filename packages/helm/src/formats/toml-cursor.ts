/** What a piece of a TOML text is. */
export type TomlKind =
  | 'error'
  | 'end'
  | 'comment'
  | 'text'
  | 'string'
  | 'string-escaped'
  | 'string-lines'
  | 'raw'
  | 'raw-lines'
  | 'bool'
  | 'integer'
  | 'float'
  | 'datetime'
  | 'array'
  | 'array-end'
  | 'table'
  | 'table-end'
  | 'tables'
  | 'tables-end'
  | 'key'
  | 'key-end'
  | 'inline'
  | 'inline-end';

export interface TomlToken {
  readonly kind: TomlKind;
  /** The text; of an error, its words. */
  readonly text: string;
  readonly line: number;
}

/** What is read next; undefined after an error or the end. */
export type TomlState = (() => TomlState) | undefined;

const eof = 0;

/** The text, the place in it, and the tokens that were cut from it and not yet taken. */
export abstract class TomlCursor {
  readonly #text: string;
  #start = 0;
  #at = 0;
  #line = 1;
  #isAtEnd = false;
  readonly #widths: number[] = [];
  readonly #tokens: TomlToken[] = [];
  /** What to read after a value or a name. */
  protected readonly after: TomlState[] = [];
  protected state: TomlState;

  constructor(text: string) {
    this.#text = text;
  }

  token(): TomlToken {
    for (;;) {
      const token = this.#tokens.shift();
      if (token !== undefined) return token;
      if (this.state === undefined) return { kind: 'end', text: '', line: this.#line };
      this.state = this.state();
    }
  }

  /** How many tokens wait: more than before, when what was read last is refused. */
  protected waiting(): number {
    return this.#tokens.length;
  }

  protected isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  protected next(): number {
    if (this.#at >= this.#text.length) {
      this.#isAtEnd = true;
      return eof;
    }
    const rune = this.#text.codePointAt(this.#at)!;
    if (rune >= 0xdc80 && rune <= 0xdcff) {
      this.fail(`invalid UTF-8 byte: 0x${(rune & 0xff).toString(16)}`);
      return 0xfffd;
    }
    const isLoneReturn = rune === 0x0d && this.#text.charCodeAt(this.#at + 1) !== 0x0a;
    const isControl =
      (rune < 0x20 && rune !== 0x09 && rune !== 0x0a && rune !== 0x0d) || rune === 0x7f;
    if (isControl || isLoneReturn) {
      const hex = rune.toString(16).padStart(2, '0');
      this.push('error', `TOML files cannot contain control characters: '0x${hex}'`);
      return 0xfffd;
    }
    if (rune === 0x0a) this.#line++;
    const width = rune > 0xffff ? 2 : 1;
    this.#widths.push(width);
    if (this.#widths.length > 8) this.#widths.shift();
    this.#at += width;
    return rune;
  }

  protected back(): void {
    if (this.#isAtEnd) {
      this.#isAtEnd = false;
      return;
    }
    this.#at -= this.#widths.pop() ?? 0;
    if (this.#text.charCodeAt(this.#at) === 0x0a) this.#line--;
  }

  protected accept(wanted: string): boolean {
    if (this.next() === wanted.charCodeAt(0)) return true;
    this.back();
    return false;
  }

  protected peek(): number {
    const rune = this.next();
    this.back();
    return rune;
  }

  protected skipBlanks(): void {
    while (isTomlBlank(this.next()));
    this.back();
    this.ignore();
  }

  protected ignore(): void {
    this.#start = this.#at;
  }

  protected current(): string {
    return this.#text.slice(this.#start, this.#at);
  }

  protected push(kind: TomlKind, text: string, line = this.#line): undefined {
    this.#tokens.push({ kind, text, line });
  }

  protected emit(kind: TomlKind): void {
    this.push(kind, this.current());
    this.ignore();
  }

  /** An error here; at the end of the text, in the line that the text ends with. */
  protected fail(message: string): undefined {
    const isAfterBreak = this.#isAtEnd && this.#text.charCodeAt(this.#at - 1) === 0x0a;
    return this.push('error', message, this.#line - (isAfterBreak ? 1 : 0));
  }

  protected failInLineBefore(message: string): undefined {
    return this.push('error', message, this.#line - 1);
  }

  protected before(state: TomlState, last: TomlState): TomlState {
    this.after.push(last);
    return state;
  }

  protected done(kind: TomlKind): TomlState {
    this.emit(kind);
    return this.after.pop();
  }

  /** Ends a token before the rune that was just read. */
  protected doneBefore(kind: TomlKind): TomlState {
    this.back();
    return this.done(kind);
  }

  protected ignoring(state: () => TomlState): TomlState {
    this.ignore();
    return state;
  }
}

export const isTomlBlank = (rune: number): boolean => rune === 0x20 || rune === 0x09;
