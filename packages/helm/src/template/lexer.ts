import { isPrintable, quoteString } from '../go/quote.ts';
import { isKeyword, type Token, type TokenKind } from './token.ts';

const alphanumeric = /^[_\p{L}\p{Nd}]$/u;

/** Cuts the text of a template into tokens, one at a time. After an error there is only the end. */
export class Lexer {
  #text: string;
  #at = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  #isInside = false;
  #parens = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    return this.#isInside ? this.#insideAction() : this.#outside();
  }

  #token(kind: TokenKind): Token {
    const text = this.#text.slice(this.#start, this.#at);
    const token = { kind, at: this.#start, text, line: this.#startLine };
    if (kind === 'text' || kind === 'space' || kind === 'rawString') {
      this.#line += newlinesIn(text);
      this.#startLine = this.#line;
    }
    this.#start = this.#at;
    return token;
  }

  #ignore(): void {
    if (this.#at === this.#start) return;
    this.#line += newlinesIn(this.#text.slice(this.#start, this.#at));
    this.#startLine = this.#line;
    this.#start = this.#at;
  }

  #error(message: string): Token {
    const token: Token = { kind: 'error', at: this.#start, text: message, line: this.#startLine };
    this.#text = '';
    this.#at = 0;
    this.#start = 0;
    this.#isInside = false;
    return token;
  }

  #outside(): Token {
    for (;;) {
      const next = this.#text.indexOf('{{', this.#at);
      if (next < 0) {
        this.#at = this.#text.length;
        return this.#at > this.#start ? this.#token('text') : this.#eof();
      }
      const isTrimmed = this.#isLeftTrim(next + 2);
      let end = next;
      if (isTrimmed) while (end > this.#start && isSpaceAt(this.#text, end - 1)) end--;
      if (end > this.#start) {
        this.#at = end;
        const token = this.#token('text');
        this.#at = next;
        this.#ignore();
        return token;
      }
      this.#at = next;
      this.#ignore();
      const after = next + 2 + (isTrimmed ? 2 : 0);
      if (!this.#text.startsWith('/*', after)) return this.#leftDelim(next, after);
      this.#at = after;
      this.#ignore();
      const problem = this.#comment();
      if (problem !== undefined) return problem;
    }
  }

  #eof(): Token {
    return { kind: 'eof', at: this.#at, text: 'EOF', line: this.#startLine };
  }

  #leftDelim(at: number, after: number): Token {
    this.#at = at + 2;
    const token = this.#token('leftDelim');
    this.#isInside = true;
    this.#parens = 0;
    this.#at = after;
    this.#ignore();
    return token;
  }

  #comment(): Token | undefined {
    const end = this.#text.indexOf('*/', this.#at + 2);
    if (end < 0) return this.#error('unclosed comment');
    this.#at = end + 2;
    const isTrimmed = this.#isRightTrim(this.#at);
    if (!isTrimmed && !this.#text.startsWith('}}', this.#at)) {
      return this.#error('comment ends before closing delimiter');
    }
    this.#at += isTrimmed ? 4 : 2;
    if (isTrimmed) this.#skipSpaces();
    this.#ignore();
    return undefined;
  }

  #skipSpaces(): void {
    while (this.#at < this.#text.length && isSpaceAt(this.#text, this.#at)) this.#at++;
  }

  #isLeftTrim(at: number): boolean {
    return this.#text[at] === '-' && isSpaceAt(this.#text, at + 1);
  }

  /** ` -}}`: the white space and the dash belong to the delimiter. */
  #isRightTrim(at: number): boolean {
    return isSpaceAt(this.#text, at) && this.#text.startsWith('-}}', at + 1);
  }

  #rightDelim(isTrimmed: boolean): Token {
    if (isTrimmed) {
      this.#at += 2;
      this.#ignore();
    }
    this.#at += 2;
    const token = this.#token('rightDelim');
    if (isTrimmed) {
      this.#skipSpaces();
      this.#ignore();
    }
    this.#isInside = false;
    return token;
  }

  #insideAction(): Token {
    const code = this.#text.charCodeAt(this.#at);
    const isTrimmed = isSpace(code) && this.#isRightTrim(this.#at);
    if (isTrimmed || (code === rightBrace && this.#text.startsWith('}}', this.#at))) {
      return this.#parens === 0 ? this.#rightDelim(isTrimmed) : this.#error('unclosed left paren');
    }
    if (Number.isNaN(code)) return this.#error('unclosed action');
    if (isSpace(code)) return this.#space();
    if (code >= 0x80) return this.#beyondAscii();
    if (isNameCode(code) && !isDigit(code)) return this.#identifier();
    switch (this.#text[this.#at]) {
      case '=':
        this.#at++;
        return this.#token('assign');
      case ':':
        this.#at++;
        if (this.#text[this.#at] !== '=') return this.#error('expected :=');
        this.#at++;
        return this.#token('declare');
      case '|':
        this.#at++;
        return this.#token('pipe');
      case '"':
        return this.#quoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.#quoted("'", 'charConstant', 'unterminated character constant');
      case '`': {
        const end = this.#text.indexOf('`', this.#at + 1);
        if (end < 0) return this.#error('unterminated raw quoted string');
        this.#at = end + 1;
        return this.#token('rawString');
      }
      case '$':
        this.#at++;
        return this.#fieldOrVariable('variable');
      case '(':
        this.#at++;
        this.#parens++;
        return this.#token('leftParen');
      case ')':
        this.#at++;
        if (--this.#parens < 0) return this.#error('unexpected right paren');
        return this.#token('rightParen');
      case '.':
        if (this.#at + 1 < this.#text.length && !isDigit(this.#text.charCodeAt(this.#at + 1))) {
          this.#at++;
          return this.#fieldOrVariable('field');
        }
        return this.#number();
      case '+':
      case '-':
        return this.#number();
    }
    if (isDigit(code)) return this.#number();
    this.#at++;
    if (isPrintable(code)) return this.#token('char');
    return this.#error(`unrecognized character in action: ${runeName(String.fromCharCode(code))}`);
  }

  #beyondAscii(): Token {
    const rune = this.#rune();
    if (alphanumeric.test(rune)) return this.#identifier();
    this.#at += rune.length;
    return this.#error(`unrecognized character in action: ${runeName(rune)}`);
  }

  /** The character here, or '' at the end. */
  #rune(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #space(): Token {
    let count = 0;
    while (this.#at < this.#text.length && isSpaceAt(this.#text, this.#at)) {
      this.#at++;
      count++;
    }
    if (this.#text.startsWith('-}}', this.#at)) {
      this.#at--;
      if (count === 1) return this.#rightDelim(true);
    }
    return this.#token('space');
  }

  #quoted(quote: string, kind: TokenKind, problem: string): Token {
    this.#at++;
    for (;;) {
      let rune = this.#text[this.#at++];
      if (rune === '\\')
        rune =
          this.#text[this.#at++] === '\n' ? '\n' : this.#at > this.#text.length ? undefined : '\\';
      if (rune === undefined || rune === '\n') return this.#error(problem);
      if (rune === quote) return this.#token(kind);
    }
  }

  #identifier(): Token {
    this.#skipName();
    const word = this.#text.slice(this.#start, this.#at);
    if (!this.#isAtTerminator()) return this.#badCharacter();
    if (isKeyword(word)) return this.#token(word);
    return this.#token(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  #fieldOrVariable(kind: 'field' | 'variable'): Token {
    if (this.#isAtTerminator()) return this.#token(kind === 'variable' ? 'variable' : 'dot');
    this.#skipName();
    return this.#isAtTerminator() ? this.#token(kind) : this.#badCharacter();
  }

  #skipName(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (isNameCode(code)) this.#at++;
      else if (code >= 0x80 && alphanumeric.test(this.#rune())) this.#at += this.#rune().length;
      else return;
    }
  }

  #badCharacter(): Token {
    return this.#error(`bad character ${runeName(this.#rune())}`);
  }

  #isAtTerminator(): boolean {
    const rune = this.#text[this.#at];
    if (rune === undefined || isSpaceAt(this.#text, this.#at)) return true;
    return '.,|:)('.includes(rune) || this.#text.startsWith('}}', this.#at);
  }

  #number(): Token {
    if (!this.#scanNumber()) return this.#badNumber();
    const sign = this.#text[this.#at];
    if (sign !== '+' && sign !== '-') return this.#token('number');
    if (!this.#scanNumber() || this.#text[this.#at - 1] !== 'i') return this.#badNumber();
    return this.#token('complex');
  }

  #badNumber(): Token {
    return this.#error(
      `bad number syntax: ${quoteString(this.#text.slice(this.#start, this.#at))}`,
    );
  }

  #scanNumber(): boolean {
    this.#accept(/[+-]/y);
    let digits = /[0-9_]*/y;
    let exponent: RegExp | undefined = /[eE]/y;
    if (this.#accept(/0/y)) {
      if (this.#accept(/[xX]/y)) {
        digits = /[0-9a-fA-F_]*/y;
        exponent = /[pP]/y;
      } else if (this.#accept(/[oO]/y)) [digits, exponent] = [/[0-7_]*/y, undefined];
      else if (this.#accept(/[bB]/y)) [digits, exponent] = [/[01_]*/y, undefined];
    }
    this.#accept(digits);
    if (this.#accept(/\./y)) this.#accept(digits);
    if (exponent !== undefined && this.#accept(exponent)) {
      this.#accept(/[+-]/y);
      this.#accept(/[0-9_]*/y);
    }
    this.#accept(/i/y);
    const rune = this.#rune();
    if (!alphanumeric.test(rune)) return true;
    this.#at += rune.length;
    return false;
  }

  #accept(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return false;
    this.#at += found.length;
    return true;
  }
}

const rightBrace = 0x7d;

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13;
}

function isSpaceAt(text: string, at: number): boolean {
  return isSpace(text.charCodeAt(at));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Letters, digits and `_` of ASCII. */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    isDigit(code) ||
    code === 0x5f
  );
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** A character as `%#U` prints it; the end of the text is -1. */
function runeName(rune: string): string {
  if (rune === '') return 'U+FFFFFFFFFFFFFFFF';
  const given = rune.codePointAt(0)!;
  const code = given >= 0xd800 && given < 0xe000 ? 0xfffd : given;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return isPrintable(code) ? `${name} '${String.fromCodePoint(code)}'` : name;
}
