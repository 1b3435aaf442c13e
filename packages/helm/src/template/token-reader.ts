import { Lexer } from './lexer.ts';
import type { Source } from './node.ts';
import { printToken, type Token, type TokenKind } from './token.ts';

/** A template that does not parse. The message is Go's: `template: NAME:LINE: TEXT`. */
export class ParseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ParseError';
  }
}

/** The tokens of a template, of which some may be put back, and the words for what is wrong with them. */
export class TokenReader {
  readonly source: Source;
  /** The line that the action began in which is being parsed; 0 outside of one. */
  actionLine = 0;
  readonly #lexer: Lexer;
  /** The tokens that were put back, the next one last. */
  readonly #pending: Token[] = [];
  /** The line of the token that was read from the text last: where errors are said to be. */
  #line = 1;

  constructor(source: Source) {
    this.source = source;
    this.#lexer = new Lexer(source.text);
  }

  fail(message: string): never {
    throw new ParseError(`template: ${this.source.name}:${this.#line}: ${message}`);
  }

  unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') this.fail(`unexpected ${printToken(token)} in ${context}`);
    let extra = '';
    if (this.actionLine !== 0 && this.actionLine !== token.line) {
      const started = ` started at ${this.source.name}:${this.actionLine}`;
      extra = token.text.endsWith(' action') ? started : ` in action${started}`;
    }
    this.fail(token.text + extra);
  }

  next(): Token {
    const pending = this.#pending.pop();
    if (pending !== undefined) return pending;
    const token = this.#lexer.next();
    this.#line = token.line;
    return token;
  }

  /** Puts a token back: it is the next one then. */
  putBack(token: Token): void {
    this.#pending.push(token);
  }

  peek(): Token {
    const token = this.next();
    this.#pending.push(token);
    return token;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.kind !== 'space') return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.#pending.push(token);
    return token;
  }

  expect(kind: TokenKind, context: string): Token {
    const token = this.nextNonSpace();
    if (token.kind !== kind) this.unexpected(token, context);
    return token;
  }
}
