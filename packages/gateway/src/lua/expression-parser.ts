import { FunctionScope } from './function-scope.ts';
import {
  binaryBinding,
  chainLimit,
  depthLimit,
  luaReserved,
  slotLimit,
  unaryBinding,
} from './operator-binding.ts';
import type {
  Block,
  LocalVariable,
  ProgramCall,
  ProgramExpression,
  ProgramOperator,
  TableEntry,
} from './program-syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** Reads the expressions of a program. The bodies of functions among them are read by `block`. */
export class ExpressionParser {
  readonly in: TokenReader;
  /** Global names that were met, with the line of the first time. */
  readonly globals = new Map<string, number>();
  /** All calls that were met, in the order in which they end. */
  readonly calls: ProgramCall[] = [];
  /** That of the innermost function that is being read. */
  scope = new FunctionScope(undefined, true);
  /** At most `depthLimit`. */
  #depth = 0;
  readonly #block: (declare: () => void) => Block;

  constructor(tokens: TokenReader, block: (declare: () => void) => Block) {
    this.in = tokens;
    this.#block = block;
  }

  /** What is read inside of something else: Lua has a limit, and so has the stack. */
  nested<Result>(read: () => Result): Result {
    if (this.#depth === depthLimit) this.in.fail('chunk has too many syntax levels');
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  declare(name: string): LocalVariable {
    if (this.scope.slots >= slotLimit) this.in.fail('too many local variables');
    return this.scope.declare(name);
  }

  /** Expressions with commas between them: one at least. */
  list(): ProgramExpression[] {
    const list = [this.expression(0)];
    while (this.in.accept(',')) list.push(this.expression(0));
    return list;
  }

  /** One expression, of operators that bind more than `limit`. */
  expression(limit: number): ProgramExpression {
    return this.nested(() => {
      let left = this.#unary();
      for (let length = 0; ; length += 1) {
        if (length === chainLimit) this.in.fail('chunk has too many syntax levels');
        const { kind, text: operator } = this.in.token;
        const isOperator = kind === 'sign' || kind === 'name';
        const bound = isOperator ? binaryBinding.get(operator) : undefined;
        if (bound === undefined || bound[0] <= limit) return left;
        this.in.skip();
        const right = this.expression(bound[1]);
        left =
          operator === 'and' || operator === 'or'
            ? { kind: operator, left, right }
            : { kind: 'binary', operator: operator as ProgramOperator, left, right };
      }
    });
  }

  #unary(): ProgramExpression {
    for (const operator of ['not', '#', '-'] as const) {
      if (this.in.accept(operator)) {
        return { kind: 'unary', operator, of: this.expression(unaryBinding) };
      }
    }
    return this.#simple();
  }

  #simple(): ProgramExpression {
    const token = this.in.token;
    if (token.kind === 'number' || token.kind === 'text') {
      this.in.skip();
      return { kind: 'constant', value: token.kind === 'number' ? token.value : token.text };
    }
    if (this.in.accept('nil')) return { kind: 'constant', value: undefined };
    if (this.in.accept('true')) return { kind: 'constant', value: true };
    if (this.in.accept('false')) return { kind: 'constant', value: false };
    if (this.in.accept('...')) {
      if (!this.scope.isVariadic)
        this.in.fail(`cannot use '...' outside a vararg function near '...'`);
      return { kind: 'rest' };
    }
    if (this.in.is('{')) return this.#table();
    if (this.in.accept('function')) return this.function(token.line, false);
    return this.suffixed();
  }

  /** A name or something in parentheses, with what is taken from it and what it is called with. */
  suffixed(): ProgramExpression {
    let from = this.#primary();
    for (let length = 0; ; length += 1) {
      if (length === chainLimit) this.in.fail('chunk has too many syntax levels');
      const { line } = this.in.token;
      if (this.in.accept('.')) {
        from = { kind: 'index', from, key: { kind: 'constant', value: this.in.name() } };
      } else if (this.in.accept('[')) {
        const key = this.expression(0);
        this.in.expect(']');
        from = { kind: 'index', from, key };
      } else if (this.in.accept(':')) {
        const method = this.in.name();
        from = this.#call({ kind: 'call', callee: from, method, args: this.#arguments(), line });
      } else if (this.in.is('(') || this.in.is('{') || this.in.token.kind === 'text') {
        const args = this.#arguments();
        from = this.#call({ kind: 'call', callee: from, method: undefined, args, line });
      } else {
        return from;
      }
    }
  }

  #call(call: ProgramCall): ProgramCall {
    this.calls.push(call);
    return call;
  }

  #primary(): ProgramExpression {
    const { line } = this.in.token;
    if (this.in.accept('(')) {
      const of = this.expression(0);
      this.in.close(')', '(', line);
      return { kind: 'single', of };
    }
    const token = this.in.token;
    if (token.kind !== 'name' || luaReserved.has(token.text)) {
      return this.in.fail(`unexpected symbol ${this.in.near()}`);
    }
    return this.named(this.in.name());
  }

  /** What a name stands for here: a local variable, or else a global one. */
  named(name: string): ProgramExpression {
    const found = this.scope.find(name);
    if (found === undefined) {
      if (!this.globals.has(name)) this.globals.set(name, this.in.token.line);
      return { kind: 'global', name };
    }
    return found;
  }

  #arguments(): ProgramExpression[] {
    const token = this.in.token;
    if (token.kind === 'text') {
      this.in.skip();
      return [{ kind: 'constant', value: token.text }];
    }
    if (this.in.is('{')) return [this.#table()];
    if (!this.in.accept('(')) return this.in.fail(`function arguments expected ${this.in.near()}`);
    const args = this.in.is(')') ? [] : this.list();
    this.in.close(')', '(', token.line);
    return args;
  }

  #table(): ProgramExpression {
    const { line } = this.in.token;
    this.in.expect('{');
    const entries: TableEntry[] = [];
    while (!this.in.is('}')) {
      entries.push(this.#entry());
      if (!this.in.accept(',') && !this.in.accept(';')) break;
    }
    this.in.close('}', '{', line);
    return { kind: 'table', entries };
  }

  #entry(): TableEntry {
    if (this.in.accept('[')) {
      const key = this.expression(0);
      this.in.expect(']');
      this.in.expect('=');
      return { key, value: this.expression(0) };
    }
    const next = this.in.following;
    const token = this.in.token;
    const isNamed = token.kind === 'name' && next?.kind === 'sign' && next.text === '=';
    if (isNamed && !luaReserved.has(token.text)) {
      const key: ProgramExpression = { kind: 'constant', value: this.in.name() };
      this.in.expect('=');
      return { key, value: this.expression(0) };
    }
    return { key: undefined, value: this.expression(0) };
  }

  /** A function from its parameters on. */
  function(line: number, isMethod: boolean): ProgramExpression {
    this.in.expect('(');
    const names: string[] = isMethod ? ['self'] : [];
    let isVariadic = false;
    while (!this.in.is(')')) {
      isVariadic = this.in.accept('...');
      if (isVariadic) break;
      names.push(this.in.name());
      if (!this.in.accept(',')) break;
    }
    this.in.close(')', '(', line);
    const scope = new FunctionScope(this.scope, isVariadic);
    this.scope = scope;
    let parameters: readonly LocalVariable[] = [];
    const body = this.#block(() => {
      parameters = names.map((name) => this.declare(name));
    });
    this.scope = scope.outer ?? scope;
    this.in.close('end', 'function', line);
    const { captured } = scope;
    const slots = () => scope.slots;
    return { kind: 'function', body: { parameters, isVariadic, body, captured, slots } };
  }
}
