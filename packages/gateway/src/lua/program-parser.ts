import { FunctionScope } from './function-scope.ts';
import { type LuaToken, luaTokens } from './lua-token.ts';
import {
  binaryBinding,
  chainLimit,
  depthLimit,
  luaReserved,
  slotLimit,
  unaryBinding,
} from './operator-binding.ts';
import {
  type Block,
  isAssignable,
  type LocalVariable,
  type ParsedProgram,
  type ProgramCall,
  type ProgramExpression,
  type ProgramOperator,
  type ProgramStatement,
  type TableEntry,
} from './program-syntax.ts';
import { TokenReader } from './token-reader.ts';

/**
 * Reads a program of Lua 5.1, with LuaJIT's `goto`.
 *
 * @throws LuaProblem in Lua's own words, with the line
 */
export function parseProgram(source: string): ParsedProgram {
  return new ProgramParser(luaTokens(source)).program();
}

/**
 * Reads one expression, as the body of a function with these parameters.
 *
 * @throws LuaProblem in Lua's own words
 */
export function parseExpression(source: string, parameters: readonly string[]): ParsedProgram {
  return new ProgramParser(luaTokens(source)).expression(parameters);
}

class ProgramParser {
  readonly #in: TokenReader;
  readonly #globals = new Map<string, number>();
  readonly #calls: ProgramCall[] = [];
  readonly #assigned: ProgramExpression[] = [];
  #depth = 0;
  #scope = new FunctionScope(undefined, true);

  constructor(tokens: readonly LuaToken[]) {
    this.#in = new TokenReader(tokens);
  }

  program(): ParsedProgram {
    return this.#whole([], this.#block());
  }

  expression(names: readonly string[]): ParsedProgram {
    this.#scope.open();
    const parameters = names.map((name) => this.#declare(name));
    const values = [this.#expression(0)];
    this.#scope.close();
    const labels = new Map<string, number>();
    return this.#whole(parameters, { statements: [{ kind: 'return', line: 1, values }], labels });
  }

  #whole(parameters: readonly LocalVariable[], body: Block): ParsedProgram {
    if (this.#in.token.kind !== 'end') this.#in.expected('<eof>');
    const scope = this.#scope;
    return {
      body: { parameters, isVariadic: true, body, captured: [], slots: () => scope.slots },
      globals: this.#globals,
      calls: this.#calls,
      assigned: this.#assigned,
    };
  }

  #nested<Result>(read: () => Result): Result {
    if (this.#depth === depthLimit) this.#in.fail('chunk has too many syntax levels');
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #declare(name: string): LocalVariable {
    if (this.#scope.slots >= slotLimit) this.#in.fail('too many local variables');
    return this.#scope.declare(name);
  }

  /** Statements up to a word that ends them; `declare` puts names into the block first. */
  #block(declare: () => void = () => undefined): Block {
    return this.#nested(() => {
      this.#scope.open();
      declare();
      const block = this.#statements();
      this.#scope.close();
      return block;
    });
  }

  #statements(): Block {
    const statements: ProgramStatement[] = [];
    const labels = new Map<string, number>();
    while (!this.#isBlockEnd()) {
      if (this.#in.accept(';')) continue;
      if (this.#in.accept('::')) {
        const label = this.#in.name();
        if (labels.has(label)) this.#in.fail(`label '${label}' already defined`);
        labels.set(label, statements.length);
        this.#in.expect('::');
        continue;
      }
      const statement = this.#statement();
      statements.push(statement);
      if (statement.kind === 'return') break;
    }
    return { statements, labels };
  }

  #isBlockEnd(): boolean {
    return (
      this.#in.token.kind === 'end' ||
      ['end', 'else', 'elseif', 'until'].some((word) => this.#in.is(word))
    );
  }

  #statement(): ProgramStatement {
    const { line } = this.#in.token;
    if (this.#in.accept('local')) return this.#local(line);
    if (this.#in.accept('if')) return this.#if(line);
    if (this.#in.accept('for')) return this.#for(line);
    if (this.#in.accept('function')) return this.#namedFunction(line);
    if (this.#in.accept('while')) {
      const condition = this.#expression(0);
      return { kind: 'while', line, condition, body: this.#loop(line, 'while', () => undefined) };
    }
    if (this.#in.accept('repeat')) return this.#repeat(line);
    if (this.#in.accept('do')) {
      const body = this.#block();
      this.#in.close('end', 'do', line);
      return { kind: 'do', line, body };
    }
    if (this.#in.accept('break')) {
      if (this.#scope.loops === 0) this.#in.fail(`no loop to break ${this.#in.near()}`);
      return { kind: 'break', line };
    }
    if (this.#in.is('goto') && this.#in.following?.kind === 'name') {
      this.#in.skip();
      return { kind: 'goto', line, label: this.#in.name() };
    }
    if (this.#in.accept('return')) {
      const values = this.#isBlockEnd() || this.#in.is(';') ? [] : this.#list();
      this.#in.accept(';');
      return { kind: 'return', line, values };
    }
    return this.#callOrAssign(line);
  }

  #local(line: number): ProgramStatement {
    if (this.#in.accept('function')) {
      const variable = this.#declare(this.#in.name());
      return { kind: 'localFunction', line, variable, value: this.#function(line, false) };
    }
    const names = [this.#in.name()];
    while (this.#in.accept(',')) names.push(this.#in.name());
    const values = this.#in.accept('=') ? this.#list() : [];
    return { kind: 'local', line, variables: names.map((name) => this.#declare(name)), values };
  }

  #namedFunction(line: number): ProgramStatement {
    let target = this.#named(this.#in.name());
    let isMethod = false;
    while (this.#in.is('.') || this.#in.is(':')) {
      isMethod = this.#in.accept(':');
      if (!isMethod) this.#in.expect('.');
      const key: ProgramExpression = { kind: 'constant', value: this.#in.name() };
      target = { kind: 'index', from: target, key };
      if (isMethod) break;
    }
    this.#assigned.push(target);
    return { kind: 'assign', line, targets: [target], values: [this.#function(line, isMethod)] };
  }

  #if(line: number): ProgramStatement {
    const branches: { condition: ProgramExpression; body: Block }[] = [];
    do {
      const condition = this.#expression(0);
      this.#in.expect('then');
      branches.push({ condition, body: this.#block() });
    } while (this.#in.accept('elseif'));
    const otherwise = this.#in.accept('else') ? this.#block() : undefined;
    this.#in.close('end', 'if', line);
    return { kind: 'if', line, branches, otherwise };
  }

  #for(line: number): ProgramStatement {
    const names = [this.#in.name()];
    if (this.#in.accept('=')) {
      const [from, to, step, ...more] = this.#list();
      if (from === undefined || to === undefined || more.length > 0) {
        return this.#in.expected(from === undefined || to === undefined ? ',' : 'do');
      }
      let variable: LocalVariable | undefined;
      const body = this.#loop(line, 'for', () => {
        variable = this.#declare(names[0] ?? '');
      });
      return { kind: 'count', line, variable: variable as LocalVariable, from, to, step, body };
    }
    while (this.#in.accept(',')) names.push(this.#in.name());
    if (!this.#in.is('in')) this.#in.fail(`'=' or 'in' expected ${this.#in.near()}`);
    this.#in.skip();
    const values = this.#list();
    let variables: readonly LocalVariable[] = [];
    const body = this.#loop(line, 'for', () => {
      variables = names.map((name) => this.#declare(name));
    });
    return { kind: 'each', line, variables, values, body };
  }

  #loop(line: number, opened: string, declare: () => void): Block {
    this.#in.expect('do');
    this.#scope.loops += 1;
    const body = this.#block(declare);
    this.#scope.loops -= 1;
    this.#in.close('end', opened, line);
    return body;
  }

  #repeat(line: number): ProgramStatement {
    return this.#nested(() => {
      this.#scope.open();
      this.#scope.loops += 1;
      const body = this.#statements();
      this.#scope.loops -= 1;
      this.#in.close('until', 'repeat', line);
      const condition = this.#expression(0);
      this.#scope.close();
      return { kind: 'repeat', line, condition, body };
    });
  }

  #callOrAssign(line: number): ProgramStatement {
    const first = this.#suffixed();
    if (!this.#in.is('=') && !this.#in.is(',')) {
      if (first.kind === 'call') return { kind: 'call', line, call: first };
      return isAssignable(first)
        ? this.#in.expected('=')
        : this.#in.fail(`syntax error ${this.#in.near()}`);
    }
    const targets: ProgramExpression[] = [first];
    while (this.#in.accept(',')) targets.push(this.#suffixed());
    this.#in.expect('=');
    if (!targets.every(isAssignable)) {
      this.#in.fail(`syntax error ${this.#in.near()}`);
    }
    this.#assigned.push(...targets);
    return { kind: 'assign', line, targets, values: this.#list() };
  }

  #list(): ProgramExpression[] {
    const list = [this.#expression(0)];
    while (this.#in.accept(',')) list.push(this.#expression(0));
    return list;
  }

  #expression(limit: number): ProgramExpression {
    return this.#nested(() => {
      let left = this.#unary();
      for (let length = 0; ; length += 1) {
        if (length === chainLimit) this.#in.fail('chunk has too many syntax levels');
        const { kind, text: operator } = this.#in.token;
        const isOperator = kind === 'sign' || kind === 'name';
        const bound = isOperator ? binaryBinding.get(operator) : undefined;
        if (bound === undefined || bound[0] <= limit) return left;
        this.#in.skip();
        const right = this.#expression(bound[1]);
        left =
          operator === 'and' || operator === 'or'
            ? { kind: operator, left, right }
            : { kind: 'binary', operator: operator as ProgramOperator, left, right };
      }
    });
  }

  #unary(): ProgramExpression {
    for (const operator of ['not', '#', '-'] as const) {
      if (this.#in.accept(operator)) {
        return { kind: 'unary', operator, of: this.#expression(unaryBinding) };
      }
    }
    return this.#simple();
  }

  #simple(): ProgramExpression {
    const token = this.#in.token;
    if (token.kind === 'number' || token.kind === 'text') {
      this.#in.skip();
      return { kind: 'constant', value: token.kind === 'number' ? token.value : token.text };
    }
    if (this.#in.accept('nil')) return { kind: 'constant', value: undefined };
    if (this.#in.accept('true')) return { kind: 'constant', value: true };
    if (this.#in.accept('false')) return { kind: 'constant', value: false };
    if (this.#in.accept('...')) {
      if (!this.#scope.isVariadic) this.#in.fail(`cannot use '...' outside a vararg function`);
      return { kind: 'rest' };
    }
    if (this.#in.is('{')) return this.#table();
    if (this.#in.accept('function')) return this.#function(token.line, false);
    return this.#suffixed();
  }

  #suffixed(): ProgramExpression {
    let from = this.#primary();
    for (let length = 0; ; length += 1) {
      if (length === chainLimit) this.#in.fail('chunk has too many syntax levels');
      const { line } = this.#in.token;
      if (this.#in.accept('.')) {
        from = { kind: 'index', from, key: { kind: 'constant', value: this.#in.name() } };
      } else if (this.#in.accept('[')) {
        const key = this.#expression(0);
        this.#in.expect(']');
        from = { kind: 'index', from, key };
      } else if (this.#in.accept(':')) {
        const method = this.#in.name();
        from = this.#call({ kind: 'call', callee: from, method, args: this.#arguments(), line });
      } else if (this.#in.is('(') || this.#in.is('{') || this.#in.token.kind === 'text') {
        const args = this.#arguments();
        from = this.#call({ kind: 'call', callee: from, method: undefined, args, line });
      } else {
        return from;
      }
    }
  }

  #call(call: ProgramCall): ProgramCall {
    this.#calls.push(call);
    return call;
  }

  #primary(): ProgramExpression {
    const { line } = this.#in.token;
    if (this.#in.accept('(')) {
      const of = this.#expression(0);
      this.#in.close(')', '(', line);
      return { kind: 'single', of };
    }
    const token = this.#in.token;
    if (token.kind !== 'name' || luaReserved.has(token.text)) {
      return this.#in.fail(`unexpected symbol ${this.#in.near()}`);
    }
    return this.#named(this.#in.name());
  }

  #named(name: string): ProgramExpression {
    const found = this.#scope.find(name);
    if (found === undefined) {
      if (!this.#globals.has(name)) this.#globals.set(name, this.#in.token.line);
      return { kind: 'global', name };
    }
    return found;
  }

  #arguments(): ProgramExpression[] {
    const token = this.#in.token;
    if (token.kind === 'text') {
      this.#in.skip();
      return [{ kind: 'constant', value: token.text }];
    }
    if (this.#in.is('{')) return [this.#table()];
    if (!this.#in.accept('('))
      return this.#in.fail(`function arguments expected ${this.#in.near()}`);
    const args = this.#in.is(')') ? [] : this.#list();
    this.#in.close(')', '(', token.line);
    return args;
  }

  #table(): ProgramExpression {
    const { line } = this.#in.token;
    this.#in.expect('{');
    const entries: TableEntry[] = [];
    while (!this.#in.is('}')) {
      entries.push(this.#entry());
      if (!this.#in.accept(',') && !this.#in.accept(';')) break;
    }
    this.#in.close('}', '{', line);
    return { kind: 'table', entries };
  }

  #entry(): TableEntry {
    if (this.#in.accept('[')) {
      const key = this.#expression(0);
      this.#in.expect(']');
      this.#in.expect('=');
      return { key, value: this.#expression(0) };
    }
    const next = this.#in.following;
    const token = this.#in.token;
    const isNamed = token.kind === 'name' && next?.kind === 'sign' && next.text === '=';
    if (isNamed && !luaReserved.has(token.text)) {
      const key: ProgramExpression = { kind: 'constant', value: this.#in.name() };
      this.#in.expect('=');
      return { key, value: this.#expression(0) };
    }
    return { key: undefined, value: this.#expression(0) };
  }

  #function(line: number, isMethod: boolean): ProgramExpression {
    this.#in.expect('(');
    const names: string[] = isMethod ? ['self'] : [];
    let isVariadic = false;
    while (!this.#in.is(')')) {
      isVariadic = this.#in.accept('...');
      if (isVariadic) break;
      names.push(this.#in.name());
      if (!this.#in.accept(',')) break;
    }
    this.#in.close(')', '(', line);
    const scope = new FunctionScope(this.#scope, isVariadic);
    this.#scope = scope;
    let parameters: readonly LocalVariable[] = [];
    const body = this.#block(() => {
      parameters = names.map((name) => this.#declare(name));
    });
    this.#scope = scope.outer ?? scope;
    this.#in.close('end', 'function', line);
    const { captured } = scope;
    const slots = () => scope.slots;
    return { kind: 'function', body: { parameters, isVariadic, body, captured, slots } };
  }
}
