import type { CelExpression, MapEntryExpression, StructField } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { type LiteralReading, readFloat, readInt, readQuoted, readUint } from './literal.ts';
import { type CelMacro, findMacro, MacroProblem } from './macro.ts';
import { type CelIssue, CelSource, countCodePoints } from './source.ts';
import { balance, call, isTooDeep, maxDepth, qualifiedName } from './tree.ts';

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
/** Words that are tokens of their own, and so no names of fields. */
const keywords = new Set(['true', 'false', 'null', 'in']);

/** An expression may have this many code points. */
const maxSize = 100_000;
/** Brackets may be nested this deep. */
const maxNesting = 250;

const operandStart =
  "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const relations = ['<', '<=', '>=', '>', '==', '!='];
const literalKinds = ['int', 'uint', 'float', 'string', 'bytes'];

class Unparsable {}

interface ParsedExpression {
  readonly source: CelSource;
  readonly expression: CelExpression;
}

/** Reads an expression, with its macros expanded, or says what is wrong with it. */
export function parseCel(
  text: string,
  macros: readonly CelMacro[],
): ParsedExpression | { readonly issues: string } {
  const source = new CelSource(text);
  const size = countCodePoints(text);
  if (size > maxSize) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxSize}`;
    return { issues: `ERROR: <input>:-1:0: ${message}` };
  }
  const issues: CelIssue[] = [];
  const parser = new Parser(tokenize(source, issues), issues, macros);
  const expression = parser.parse();
  if (issues.length > 0 || expression === undefined) return { issues: source.show(issues) };
  return { source, expression };
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: CelIssue[];
  readonly #macros: readonly CelMacro[];
  #at = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[], issues: CelIssue[], macros: readonly CelMacro[]) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#macros = macros;
  }

  parse(): CelExpression | undefined {
    try {
      const expression = this.#expression();
      this.#expectEnd();
      if (isTooDeep(expression)) this.#issue(0, `expression recursion limit exceeded: ${maxDepth}`);
      return expression;
    } catch (error) {
      if (error instanceof Unparsable) return undefined;
      throw error;
    }
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #is(symbol: string): boolean {
    const { kind, text } = this.#token;
    return text === symbol && (kind === 'symbol' || (kind === 'identifier' && keywords.has(text)));
  }

  #next(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  #take(symbol: string): Token | undefined {
    return this.#is(symbol) ? this.#next() : undefined;
  }

  #issue(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  #fail(message: string): never {
    this.#issue(this.#token.offset, `Syntax error: ${message}`);
    throw new Unparsable();
  }

  #expect(symbol: string, among = `'${symbol}'`): Token {
    const token = this.#take(symbol);
    if (token !== undefined) return token;
    const { text } = this.#token;
    return among === `'${symbol}'` && symbol !== ':'
      ? this.#fail(`missing ${among} at '${text}'`)
      : this.#fail(`mismatched input '${text}' expecting ${among}`);
  }

  #expectEnd(): void {
    if (this.#token.kind === 'end') return;
    const isLast = this.#at === this.#tokens.length - 2;
    this.#fail(
      `${isLast ? 'extraneous' : 'mismatched'} input '${this.#token.text}' expecting <EOF>`,
    );
  }

  #expression(): CelExpression {
    this.#nesting += 1;
    if (this.#nesting > maxNesting) {
      this.#issue(this.#token.offset, `expression recursion limit exceeded: ${maxNesting}`);
      throw new Unparsable();
    }
    const condition = this.#logical('||');
    const operator = this.#take('?');
    let expression = condition;
    if (operator !== undefined) {
      const truthy = this.#logical('||');
      this.#expect(':');
      const falsy = this.#expression();
      expression = call(operator.offset, '_?_:_', [condition, truthy, falsy]);
    }
    this.#nesting -= 1;
    return expression;
  }

  /** A chain of `&&` or `||`, as a balanced tree: long chains stay shallow. */
  #logical(symbol: '||' | '&&'): CelExpression {
    const operand = () => (symbol === '||' ? this.#logical('&&') : this.#relation());
    const terms = [operand()];
    const offsets: number[] = [];
    for (let token = this.#take(symbol); token !== undefined; token = this.#take(symbol)) {
      offsets.push(token.offset);
      terms.push(operand());
    }
    return terms.length === 1
      ? (terms[0] as CelExpression)
      : balance(`_${symbol}_`, terms, offsets);
  }

  #relation(): CelExpression {
    let left = this.#sum();
    for (;;) {
      const symbol = [...relations, 'in'].find((each) => this.#is(each));
      if (symbol === undefined) return left;
      const { offset } = this.#next();
      left = call(offset, symbol === 'in' ? '@in' : `_${symbol}_`, [left, this.#sum()]);
    }
  }

  #sum(): CelExpression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/', '%'], () => this.#unary()));
  }

  #chain(symbols: readonly string[], operand: () => CelExpression): CelExpression {
    let left = operand();
    for (;;) {
      const symbol = symbols.find((each) => this.#is(each));
      if (symbol === undefined) return left;
      const { offset } = this.#next();
      left = call(offset, `_${symbol}_`, [left, operand()]);
    }
  }

  #unary(): CelExpression {
    for (const symbol of ['!', '-']) {
      const first = this.#token;
      let count = 0;
      // A single minus before a number is its sign.
      while (this.#is(symbol) && !(symbol === '-' && count === 0 && this.#isSignOfNumber())) {
        this.#next();
        count += 1;
      }
      if (count === 0) continue;
      const operand = this.#member();
      return count % 2 === 0 ? operand : call(first.offset, `${symbol}_`, [operand]);
    }
    return this.#member();
  }

  #isSignOfNumber(): boolean {
    const next = this.#tokens[this.#at + 1];
    return next?.kind === 'int' || next?.kind === 'float';
  }

  #member(): CelExpression {
    let operand = this.#primary();
    for (;;) {
      const token = this.#token;
      if (this.#take('.') !== undefined) operand = this.#selection(operand, token.offset);
      else if (this.#take('[') !== undefined) operand = this.#index(operand, token.offset);
      else if (this.#is('{') && qualifiedName(operand) !== undefined) {
        operand = this.#struct(qualifiedName(operand) as string);
      } else return operand;
    }
  }

  #selection(operand: CelExpression, offset: number): CelExpression {
    const isOptional = this.#take('?') !== undefined;
    const name = this.#fieldName();
    if (isOptional) {
      const field: CelExpression = { kind: 'literal', offset, value: name };
      return call(offset, '_?._', [operand, field]);
    }
    const open = this.#take('(');
    if (open === undefined) return { kind: 'select', offset, operand, field: name, isTest: false };
    return this.#call(open.offset, name, operand, this.#args());
  }

  #fieldName(): string {
    const { kind, text } = this.#token;
    if (kind === 'quotedIdentifier') {
      this.#next();
      return text.slice(1, -1);
    }
    if (kind !== 'identifier' || keywords.has(text)) {
      this.#fail(`no viable alternative at input '.${kind === 'end' ? '' : text}'`);
    }
    this.#next();
    return text;
  }

  #index(operand: CelExpression, offset: number): CelExpression {
    const isOptional = this.#take('?') !== undefined;
    const index = this.#expression();
    this.#expect(']');
    return call(offset, isOptional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #args(): CelExpression[] {
    const args: CelExpression[] = [];
    if (this.#take(')') !== undefined) return args;
    do args.push(this.#expression());
    while (this.#take(',') !== undefined);
    this.#expect(')', "{')', ','}");
    return args;
  }

  #call(
    offset: number,
    name: string,
    target: CelExpression | undefined,
    args: readonly CelExpression[],
  ): CelExpression {
    const macro = findMacro(this.#macros, name, args.length, target !== undefined);
    if (macro !== undefined) {
      const expanded = macro.expand(offset, target, args);
      if (!(expanded instanceof MacroProblem)) return expanded ?? call(offset, name, args, target);
      this.#issue(expanded.offset, expanded.message);
    }
    return call(offset, name, args, target);
  }

  #primary(): CelExpression {
    const token = this.#token;
    const { kind, text, offset } = token;
    if (this.#is('-') && this.#isSignOfNumber()) {
      this.#next();
      return this.#literal(this.#next(), offset, true);
    }
    if (literalKinds.includes(kind)) return this.#literal(this.#next(), offset, false);
    if (this.#take('(') !== undefined) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#take('[') !== undefined) return this.#list(offset);
    if (this.#take('{') !== undefined) return this.#map(offset);
    if (kind === 'identifier' && ['true', 'false', 'null'].includes(text)) {
      this.#next();
      return { kind: 'literal', offset, value: text === 'null' ? null : text === 'true' };
    }
    const isRooted = this.#take('.') !== undefined;
    if (this.#token.kind === 'identifier' && !keywords.has(this.#token.text)) {
      return this.#identifier(isRooted);
    }
    const after = this.#tokens[this.#at - 1];
    const closing = after?.text === '(' ? "')', " : '';
    return this.#fail(
      `mismatched input '${this.#token.text}' expecting {'[', '{', '(', ${closing}'.', ${operandStart}}`,
    );
  }

  #identifier(isRooted: boolean): CelExpression {
    const { text, offset } = this.#next();
    if (reserved.has(text)) this.#issue(offset, `reserved identifier: ${text}`);
    const name = isRooted ? `.${text}` : text;
    const open = this.#take('(');
    if (open === undefined) return { kind: 'identifier', offset, name };
    return this.#call(open.offset, name, undefined, this.#args());
  }

  #literal(token: Token, offset: number, isNegative: boolean): CelExpression {
    const readings: Record<string, () => LiteralReading> = {
      int: () => readInt(token.text, isNegative),
      uint: () => readUint(token.text),
      float: () => readFloat(token.text, isNegative),
    };
    const reading = readings[token.kind]?.() ?? readQuoted(token.text);
    if ('value' in reading) return { kind: 'literal', offset, value: reading.value };
    this.#issue(offset, reading.problem);
    return { kind: 'literal', offset, value: null };
  }

  #list(offset: number): CelExpression {
    const elements: CelExpression[] = [];
    const optionals = new Set<number>();
    while (!this.#is(']')) {
      if (this.#is(',') && elements.length === 0) {
        this.#next();
        break;
      }
      if (this.#take('?') !== undefined) optionals.add(elements.length);
      elements.push(this.#expression());
      if (this.#take(',') === undefined) break;
    }
    this.#expect(']', "{']', ','}");
    return { kind: 'list', offset, elements, optionals };
  }

  #map(offset: number): CelExpression {
    const entries: MapEntryExpression[] = [];
    while (!this.#is('}')) {
      if (this.#is(',') && entries.length === 0) {
        this.#next();
        break;
      }
      const isOptional = this.#take('?') !== undefined;
      const key = this.#expression();
      const colon = this.#expect(':');
      entries.push({ offset: colon.offset, key, value: this.#expression(), isOptional });
      if (this.#take(',') === undefined) break;
    }
    this.#expect('}', "{'}', ','}");
    return { kind: 'map', offset, entries };
  }

  #struct(typeName: string): CelExpression {
    const { offset } = this.#next();
    const fields: StructField[] = [];
    while (!this.#is('}')) {
      const isOptional = this.#take('?') !== undefined;
      const name = this.#fieldName();
      const colon = this.#expect(':');
      fields.push({ offset: colon.offset, name, value: this.#expression(), isOptional });
      if (this.#take(',') === undefined) break;
    }
    this.#expect('}', "{'}', ','}");
    return { kind: 'struct', offset, typeName, fields };
  }
}
