import { quoteRune, quoteString } from '../go/quote.ts';
import { type TomlState as State, TomlCursor, type TomlKind } from './toml-cursor.ts';

export const eof = 0;
export const isBreak = (rune: number): boolean => rune === 0x0a || rune === 0x0d;
export const isDigit = (rune: number): boolean => rune >= 0x30 && rune <= 0x39;
export const isLetter = (rune: number): boolean => /^\p{L}$/u.test(String.fromCodePoint(rune));
const isHex = (rune: number) => rune < 0x80 && /[\da-f]/i.test(String.fromCharCode(rune));
export const code = (text: string): number => text.charCodeAt(0);

/** The tokens that are values of their own: texts, numbers, times and words. */
export abstract class TomlScalars extends TomlCursor {
  #hasEscapes = false;

  protected string(): State {
    const rune = this.next();
    if (rune === eof) return this.fail(`unexpected EOF; expected '"'`);
    if (isBreak(rune)) return this.failInLineBefore('strings cannot contain newlines');
    if (rune === code('\\'))
      return this.before(
        () => this.escape(),
        () => this.string(),
      );
    if (rune !== code('"')) return () => this.string();
    this.back();
    this.emit(this.#hasEscapes ? 'string-escaped' : 'string');
    this.#hasEscapes = false;
    this.next();
    this.ignore();
    return this.after.pop();
  }

  protected raw(): State {
    const rune = this.next();
    if (rune === eof) return this.fail(`unexpected EOF; expected "'"`);
    if (isBreak(rune)) return this.failInLineBefore('strings cannot contain newlines');
    if (rune !== code("'")) return () => this.raw();
    this.back();
    this.emit('raw');
    this.next();
    this.ignore();
    return this.after.pop();
  }

  /** A text of several lines; up to two quotes may stand before those that close it. */
  protected lines(quote: string): State {
    const again = () => this.lines(quote);
    const rune = this.next();
    if (rune === eof) {
      return this.fail(`unexpected EOF; expected ${quote === '"' ? `'"""'` : `"'''"`}`);
    }
    if (rune === code('\\') && quote === '"') {
      if (isBreak(this.next())) return again;
      this.back();
      return this.before(() => this.escape(), again);
    }
    if (rune !== code(quote) || !this.accept(quote)) return again;
    if (!this.accept(quote)) {
      this.back();
      return again;
    }
    if (this.peek() === code(quote)) {
      const current = this.current();
      const isEscaped = quote === '"' && current.endsWith('\\"""""');
      if (current.endsWith(quote.repeat(5)) && !isEscaped) {
        return this.fail(quote === '"' ? `unexpected '""""""'` : `unexpected "''''''"`);
      }
      this.back();
      this.back();
      return again;
    }
    for (let count = 0; count < 3; count++) this.back();
    this.#hasEscapes = false;
    this.emit(quote === '"' ? 'string-lines' : 'raw-lines');
    for (let count = 0; count < 3; count++) this.next();
    this.ignore();
    return this.after.pop();
  }

  protected escape(): State {
    this.#hasEscapes = true;
    const rune = this.next();
    const letter = String.fromCodePoint(rune);
    if ('ebtnfr"\\ \t'.includes(letter)) return this.after.pop();
    const digits = { x: 2, u: 4, U: 8 }[letter];
    if (digits === undefined) {
      const message = `invalid escape in string '\\${letter}'`;
      return this.isAtEnd() ? this.failInLineBefore(message) : this.push('error', message);
    }
    for (let count = 0; count < digits; count++) {
      if (isHex(this.next())) continue;
      const number = { 2: 'two', 4: 'four', 8: 'eight' }[digits];
      return this.fail(
        `expected ${number} hexadecimal digits after '\\${letter}', but got ${quoteString(this.current())} instead`,
      );
    }
    return this.after.pop();
  }

  protected number(first: number): State {
    let rune = this.next();
    if (first === code('0')) {
      const letter = String.fromCodePoint(rune);
      if (letter === 'b') return this.based(/[01]/, 'a binary');
      if (letter === 'o') return this.based(/[0-7]/, 'an octal');
      if (letter === 'x') return this.based(/[\da-fA-F]/, 'a hexadecimal');
      if (!isDigit(rune) && !'_.eE'.includes(letter)) return this.doneBefore('integer');
    }
    while (isDigit(rune)) rune = this.next();
    if (rune === code('-') || rune === code(':')) return this.run(/[\d\-:Tt .Zz+]/, 'datetime');
    if (rune === code('_')) return this.decimal();
    if (rune !== eof && '.eE'.includes(String.fromCodePoint(rune))) return this.float();
    return this.doneBefore('integer');
  }

  protected based(digit: RegExp, kind: string): State {
    const rune = this.peek();
    if (rune === eof || !digit.test(String.fromCodePoint(rune))) {
      this.fail(`not ${kind} number: '${this.current()}${String.fromCodePoint(rune)}'`);
    }
    return this.run(new RegExp(`${digit.source}|_`), 'integer');
  }

  /** A token of all runes that fit. */
  protected run(pattern: RegExp, kind: TomlKind): State {
    for (;;) {
      const rune = this.next();
      if (rune !== eof && pattern.test(String.fromCodePoint(rune))) continue;
      return this.doneBefore(kind);
    }
  }

  protected decimal(): State {
    for (;;) {
      const rune = this.next();
      if (isDigit(rune) || rune === code('_')) continue;
      if (rune !== eof && '.eE'.includes(String.fromCodePoint(rune))) return this.float();
      return this.doneBefore('integer');
    }
  }

  protected float(): State {
    return this.run(/[\d_.+\-eE]/, 'float');
  }

  protected signed(): State {
    const rune = this.next();
    const letter = String.fromCodePoint(rune);
    if (letter === 'i' || letter === 'n') {
      const isWhole =
        letter === 'i'
          ? this.accept('n') && this.accept('f')
          : this.accept('a') && this.accept('n');
      return isWhole ? this.done('float') : this.fail(`invalid float: '${this.current()}'`);
    }
    if (letter === '0') {
      const next = String.fromCodePoint(this.peek());
      if ('box'.includes(next)) {
        return this.fail(`cannot use sign with non-decimal numbers: '${this.current()}${next}'`);
      }
    }
    if (letter === '.') return this.fail("floats must start with a digit, not '.'");
    if (isDigit(rune)) return this.decimal();
    return this.fail(`expected a digit but got ${quoteRune(rune)}`);
  }

  protected word(): State {
    let word = '';
    for (let rune = this.next(); isLetter(rune); rune = this.next()) {
      word += String.fromCodePoint(rune);
    }
    this.back();
    if (word === 'true' || word === 'false') return this.done('bool');
    return this.fail(`expected value but found ${quoteString(word)} instead`);
  }
}
