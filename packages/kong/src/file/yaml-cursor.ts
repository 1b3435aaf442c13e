/** Where and why the text cannot be read, in the words of Go's YAML reader. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault';
  readonly line: number;
  readonly isInToken: boolean;

  constructor(message: string, line: number, isInToken: boolean) {
    super(message);
    this.line = line;
    this.isInToken = isInToken;
  }
}

export function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

export function isBreak(character: string): boolean {
  return character === '\n' || character === '\r';
}

export function isEnd(character: string): boolean {
  return character === '' || isBlank(character) || isBreak(character);
}

function isWord(character: string): boolean {
  return /^[0-9A-Za-z_-]$/.test(character);
}

/** A place in a text, and how to get over what has no structure of its own: scalars and names. */
export class YamlCursor {
  readonly text: string;
  index = 0;
  /** Counted from zero, as the column. */
  line = 0;
  column = 0;

  constructor(text: string) {
    this.text = text;
  }

  at(offset = 0): string {
    return this.text[this.index + offset] ?? '';
  }

  skip(count = 1): void {
    this.index += count;
    this.column += count;
  }

  skipBreak(): void {
    this.index += this.at() === '\r' && this.at(1) === '\n' ? 2 : 1;
    this.line += 1;
    this.column = 0;
  }

  fault(message: string): YamlFault {
    return new YamlFault(message, this.line, true);
  }

  isDocumentMark(mark: string): boolean {
    return this.column === 0 && this.text.startsWith(mark, this.index) && isEnd(this.at(3));
  }

  skipDirective(): void {
    const start = this.index + 1;
    this.skip();
    while (isWord(this.at())) this.skip();
    const name = this.text.slice(start, this.index);
    if (name === '') throw this.fault('could not find expected directive name');
    if (!isEnd(this.at())) throw this.fault('found unexpected non-alphabetical character');
    if (name !== 'YAML' && name !== 'TAG') throw this.fault('found unknown directive name');
    while (this.at() !== '' && !isBreak(this.at())) this.skip();
  }

  /** The name of an anchor or alias. */
  skipAnchor(): string {
    const start = this.index + 1;
    this.skip();
    while (isWord(this.at())) this.skip();
    const name = this.text.slice(start, this.index);
    if (name === '' || !(isEnd(this.at()) || '?:,]}%@`'.includes(this.at()))) {
      throw this.fault('did not find expected alphabetic or numeric character');
    }
    return name;
  }

  skipTag(): void {
    this.skip();
    if (this.at() === '<') {
      while (!isEnd(this.at()) && this.at() !== '>') this.skip();
      if (this.at() !== '>') throw this.fault("did not find the expected '>'");
      this.skip();
    } else while (/^[0-9A-Za-z_\-;/?:@&=+$.!~*'()%,[\]]$/.test(this.at())) this.skip();
    if (!isEnd(this.at())) throw this.fault('did not find expected whitespace or line break');
  }

  /** `indent` is that of the collection around the scalar. */
  skipBlockScalar(indent: number): void {
    this.skip();
    let increment = 0;
    while ('+-0123456789'.includes(this.at()) && this.at() !== '') {
      if (this.at() === '0') {
        throw this.fault('found an indentation indicator equal to 0');
      }
      if (/\d/.test(this.at())) increment = Number(this.at());
      this.skip();
    }
    while (isBlank(this.at())) this.skip();
    if (this.at() === '#') while (this.at() !== '' && !isBreak(this.at())) this.skip();
    if (this.at() !== '' && !isBreak(this.at())) {
      throw this.fault('did not find expected comment or line break');
    }
    if (isBreak(this.at())) this.skipBreak();
    this.#skipBlock(increment === 0 ? 0 : Math.max(indent, 0) + increment, indent);
  }

  /** Goes over the lines of a block scalar; without an indentation the first line decides it. */
  #skipBlock(given: number, around: number): void {
    let indent = given;
    let widest = 0;
    const skipBreaks = (): void => {
      for (;;) {
        while ((indent === 0 || this.column < indent) && this.at() === ' ') this.skip();
        widest = Math.max(widest, this.column);
        if ((indent === 0 || this.column < indent) && this.at() === '\t') {
          throw this.fault('found a tab character where an indentation space is expected');
        }
        if (!isBreak(this.at())) break;
        this.skipBreak();
      }
      if (indent === 0) indent = Math.max(widest, around + 1, 1);
    };
    skipBreaks();
    while (this.column === indent && this.at() !== '') {
      while (this.at() !== '' && !isBreak(this.at())) this.skip();
      if (this.at() === '') return;
      this.skipBreak();
      skipBreaks();
    }
  }

  skipQuoted(quote: string): void {
    this.skip();
    for (;;) {
      if (this.isDocumentMark('---') || this.isDocumentMark('...')) {
        throw this.fault('found unexpected document indicator');
      }
      const character = this.at();
      if (character === '') throw this.fault('found unexpected end of stream');
      if (isBreak(character)) this.skipBreak();
      else if (quote === "'" && character === quote && this.at(1) === quote) this.skip(2);
      else if (character === quote) break;
      else if (quote === '"' && character === '\\') this.#skipEscape();
      else this.skip();
    }
    this.skip();
  }

  #skipEscape(): void {
    if (isBreak(this.at(1))) {
      this.skip();
      this.skipBreak();
      return;
    }
    const lengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
    const length = lengths[this.at(1)];
    if (length === undefined) {
      if (!'0abt\tnvfre "\'/\\N_LP'.includes(this.at(1)) || this.at(1) === '') {
        throw this.fault('found unknown escape character');
      }
      this.skip(2);
      return;
    }
    this.skip(2);
    for (let count = 0; count < length; count += 1) {
      if (!/^[0-9A-Fa-f]$/.test(this.at(count))) {
        throw this.fault('did not find expected hexdecimal number');
      }
    }
    this.skip(length);
  }

  /** Says whether the scalar ended at a line break. */
  skipPlain(indent: number, isInFlow: boolean): boolean {
    let hasBreak = false;
    for (;;) {
      if (this.isDocumentMark('---') || this.isDocumentMark('...')) break;
      if (this.at() === '#') break;
      while (!isEnd(this.at()) && !this.#endsPlain(isInFlow)) {
        hasBreak = false;
        this.skip();
      }
      if (!(isBlank(this.at()) || isBreak(this.at()))) break;
      while (isBlank(this.at()) || isBreak(this.at())) {
        if (isBlank(this.at())) {
          if (hasBreak && this.column < indent && this.at() === '\t') {
            throw this.fault('found a tab character that violates indentation');
          }
          this.skip();
        } else {
          hasBreak = true;
          this.skipBreak();
        }
      }
      if (!isInFlow && this.column < indent) break;
    }
    return hasBreak;
  }
  #endsPlain(isInFlow: boolean): boolean {
    const character = this.at();
    if (character === ':') {
      const next = this.at(1);
      return isEnd(next) || (isInFlow && ',?[]{}'.includes(next));
    }
    return isInFlow && ',?[]{}'.includes(character);
  }
}
