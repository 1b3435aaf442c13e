import type { Expression, Literal, Operator, Predicate } from './expression.ts';

/** A text that is no expression: where it stopped making sense, and what should have stood there. */
export class ExpressionSyntaxError extends Error {
  /**
   * A route's expression is no expression. `offset` says where it stops making sense, `expected`
   * what should stand there.
   */
  readonly code = 'WG_GATEWAY_EXPRESSION_SYNTAX';
  readonly offset: number;
  readonly expected: string;

  constructor(offset: number, expected: string) {
    super(`expected ${expected} at offset ${offset}`);
    this.name = 'ExpressionSyntaxError';
    this.offset = offset;
    this.expected = expected;
  }
}

/** Nesting deeper than this is refused, so that no text can exhaust the stack. */
const maximumDepth = 200;
const operatorPattern =
  /(?:==|!=|~|\^=|=\^|>=|>|<=|<|in(?![A-Za-z0-9_.])|not\s+in(?![A-Za-z0-9_.])|contains(?![A-Za-z0-9_.]))/y;

/**
 * Parses an expression of the `expressions` router flavour. As in Kong, `||` binds tighter than `&&`.
 *
 * @example
 * parseExpression('http.host == "a.test" && http.path ^= "/api"');
 */
export function parseExpression(text: string): Expression {
  const parser = new Parser(text);
  const expression = parser.conjunction(0);
  parser.end();
  return expression;
}

class Parser {
  #offset = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  conjunction(depth: number): Expression {
    let left = this.#disjunction(depth);
    while (this.#take('&&')) left = { kind: 'and', left, right: this.#disjunction(depth) };
    return left;
  }

  end(): void {
    this.#skipSpace();
    if (this.#offset < this.#text.length) {
      throw new ExpressionSyntaxError(this.#offset, 'EOI or logical_operator');
    }
  }

  #disjunction(depth: number): Expression {
    let left = this.#term(depth);
    while (this.#take('||')) left = { kind: 'or', left, right: this.#term(depth) };
    return left;
  }

  #term(depth: number): Expression {
    if (depth > maximumDepth) throw new ExpressionSyntaxError(this.#offset, 'less nesting');
    if (this.#take('!')) {
      this.#expect('(', 'parenthesised_expression');
      const operand = this.conjunction(depth + 1);
      this.#expect(')', ')');
      return { kind: 'not', operand };
    }
    if (this.#take('(')) {
      const inner = this.conjunction(depth + 1);
      this.#expect(')', ')');
      return inner;
    }
    return this.#predicate();
  }

  #predicate(): Predicate {
    let isLower = false;
    let isAny = false;
    let field = this.#identifier('term');
    let open = 0;
    while (this.#take('(')) {
      if (field === 'lower') {
        isLower = true;
      } else if (field === 'any') {
        isAny = true;
      } else {
        throw new ExpressionSyntaxError(this.#offset, 'transform_func');
      }
      open += 1;
      field = this.#identifier('transform_func');
    }
    for (; open > 0; open -= 1) this.#expect(')', ')');
    const operator = this.#operator();
    return { kind: 'predicate', field, isLower, isAny, operator, literal: this.#literal() };
  }

  #operator(): Operator {
    const text = this.#match(operatorPattern);
    if (text === undefined) throw new ExpressionSyntaxError(this.#offset, 'binary_operator');
    return text.replace(/\s+/, ' ') as Operator;
  }

  #literal(): Literal {
    if (this.#match(/r#"/y) !== undefined) {
      const end = this.#text.indexOf('"#', this.#offset);
      if (end === -1) throw new ExpressionSyntaxError(this.#offset, 'the end of a raw string');
      const text = this.#text.slice(this.#offset, end);
      this.#offset = end + 2;
      return { type: 'string', text };
    }
    const quoted = this.#match(/"(?:[^"\\]|\\["\\nrt])*"/y);
    if (quoted !== undefined) return { type: 'string', text: unescapeText(quoted.slice(1, -1)) };
    const address = this.#match(
      /(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9A-Fa-f]{1,4}|:):[0-9A-Fa-f:]*)(?:\/\d{1,3})?/y,
    );
    if (address !== undefined) {
      const [ip = '', bits] = address.split('/');
      return bits === undefined
        ? { type: 'ip', address: ip }
        : { type: 'cidr', address: ip, bits: Number(bits) };
    }
    const number = this.#match(/-?(?:0x[0-9A-Fa-f]+|\d+)/y);
    if (number === undefined) throw new ExpressionSyntaxError(this.#offset, 'rhs');
    return { type: 'int', number: parseInteger(number) };
  }

  #identifier(expected: string): string {
    const name = this.#match(/[A-Za-z][A-Za-z0-9_.]*/y);
    if (name === undefined) throw new ExpressionSyntaxError(this.#offset, expected);
    return name;
  }

  #take(token: string): boolean {
    this.#skipSpace();
    if (!this.#text.startsWith(token, this.#offset)) return false;
    this.#offset += token.length;
    return true;
  }

  #expect(token: string, expected: string): void {
    if (!this.#take(token)) throw new ExpressionSyntaxError(this.#offset, expected);
  }

  #match(pattern: RegExp): string | undefined {
    this.#skipSpace();
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#offset += match[0].length;
    return match[0];
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#offset))) this.#offset += 1;
  }
}

function unescapeText(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\(.)/g, (_, character: string) => escapes[character] ?? character);
}

/** Decimal, `0x` hexadecimal, and octal with a leading zero. */
function parseInteger(text: string): bigint {
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  const isOctal = /^0[0-7]+$/.test(digits);
  const number = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
  return isNegative ? -number : number;
}
