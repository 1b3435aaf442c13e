import { stringFunctions } from '../lua/lua-strings.ts';
import { LuaProblem, type LuaToken, luaTokens } from '../lua/lua-token.ts';
import { binaryBinding, luaReserved, unaryBinding } from '../lua/operator-binding.ts';
import type { BinaryOperator, LuaExpression, LuaStatement } from './lua-syntax.ts';

/** What an expression may name besides its own locals. */
const luaGlobals: ReadonlySet<string> = new Set([
  ...['headers', 'query_params', 'uri_captures', 'shared'],
  ...['type', 'tostring', 'tonumber', 'string'],
]);

const depthLimit = 64;

/**
 * Reads one expression of Lua.
 *
 * @throws LuaProblem that names what is not understood
 */
export function parseLua(source: string): LuaExpression {
  const parser = new LuaParser(luaTokens(source));
  return parser.whole();
}

class LuaParser {
  readonly #tokens: readonly LuaToken[];
  #at = 0;
  #depth = 0;
  #loops = 0;
  /** Names of locals, innermost last. */
  #scopes: Set<string>[] = [new Set()];

  constructor(tokens: readonly LuaToken[]) {
    this.#tokens = tokens;
  }

  whole(): LuaExpression {
    const expression = this.#expression(0);
    if (this.#token.kind !== 'end') this.#refuse();
    return expression;
  }

  get #token(): LuaToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', line: 1 };
  }

  #next(): LuaToken {
    const token = this.#token;
    this.#at += 1;
    return token;
  }

  #refuse(): never {
    const { kind, text } = this.#token;
    throw new LuaProblem(kind === 'end' ? 'it ends too early' : `'${text}' is not understood`);
  }

  /** Whether the next token is this sign or reserved word. */
  #is(text: string): boolean {
    const token = this.#token;
    return token.text === text && (token.kind === 'sign' || token.kind === 'name');
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (this.#accept(text)) return;
    const found = this.#token.kind === 'end' ? 'it ends' : `'${this.#token.text}' stands`;
    throw new LuaProblem(`${found} where '${text}' is expected`);
  }

  #nested<Result>(read: () => Result): Result {
    if (this.#depth === depthLimit) throw new LuaProblem('it is nested too deeply');
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #expression(limit: number): LuaExpression {
    return this.#nested(() => {
      let left = this.#unary();
      for (;;) {
        const { kind, text: operator } = this.#token;
        const isOperator = kind === 'sign' || kind === 'name';
        const [toLeft, toRight] = (isOperator && binaryBinding.get(operator)) || [0, 0];
        if (toLeft <= limit) return left;
        this.#at += 1;
        const right = this.#expression(toRight);
        left =
          operator === 'and' || operator === 'or'
            ? { kind: operator, left, right }
            : { kind: 'binary', operator: operator as BinaryOperator, left, right };
      }
    });
  }

  #unary(): LuaExpression {
    for (const operator of ['not', '#', '-'] as const) {
      if (this.#accept(operator)) {
        return { kind: 'unary', operator, of: this.#expression(unaryBinding) };
      }
    }
    return this.#suffixed();
  }

  #suffixed(): LuaExpression {
    let from = this.#primary();
    // A literal takes fields, methods and calls only in parentheses.
    if (from.kind === 'constant' || from.kind === 'function') return from;
    for (;;) {
      if (this.#accept('.')) {
        from = this.#member(from, this.#name());
      } else if (this.#accept('[')) {
        const key = this.#expression(0);
        this.#expect(']');
        from = { kind: 'index', from, key };
      } else if (this.#accept(':')) {
        const name = this.#name();
        knownFunction(name);
        from = { kind: 'method', from, name, args: this.#arguments() };
        checkLiterals(name, [from.from, ...from.args]);
      } else if (this.#is('(') || this.#token.kind === 'text') {
        const args = this.#arguments();
        const name = stringFunctionOf(from);
        if (name !== undefined) checkLiterals(name, args);
        from = { kind: 'call', callee: from, args };
      } else {
        return from;
      }
    }
  }

  /** `string.name` is looked up here, so that an unknown one is refused. */
  #member(from: LuaExpression, name: string): LuaExpression {
    if (from.kind === 'global' && from.name === 'string') knownFunction(name);
    return { kind: 'index', from, key: { kind: 'constant', value: name } };
  }

  #arguments(): LuaExpression[] {
    const token = this.#token;
    if (token.kind === 'text') {
      this.#at += 1;
      return [{ kind: 'constant', value: token.text }];
    }
    this.#expect('(');
    const args = this.#is(')') ? [] : this.#list();
    this.#expect(')');
    return args;
  }

  #list(): LuaExpression[] {
    const list = [this.#expression(0)];
    while (this.#accept(',')) list.push(this.#expression(0));
    return list;
  }

  #primary(): LuaExpression {
    const token = this.#token;
    if (token.kind === 'number') {
      this.#at += 1;
      return { kind: 'constant', value: token.value };
    }
    if (token.kind === 'text') {
      this.#at += 1;
      return { kind: 'constant', value: token.text };
    }
    if (this.#accept('nil')) return { kind: 'constant', value: undefined };
    if (this.#accept('true')) return { kind: 'constant', value: true };
    if (this.#accept('false')) return { kind: 'constant', value: false };
    if (this.#accept('(')) {
      const of = this.#expression(0);
      this.#expect(')');
      return { kind: 'single', of };
    }
    if (this.#accept('function')) return this.#function();
    if (token.kind !== 'name' || luaReserved.has(token.text)) this.#refuse();
    const name = this.#name();
    if (this.#isLocal(name)) return { kind: 'local', name };
    if (luaGlobals.has(name)) return { kind: 'global', name };
    throw new LuaProblem(`the name '${name}' is not known`);
  }

  #name(): string {
    const token = this.#token;
    if (token.kind !== 'name' || luaReserved.has(token.text)) this.#refuse();
    return this.#next().text;
  }

  #isLocal(name: string): boolean {
    return this.#scopes.some((scope) => scope.has(name));
  }

  #function(): LuaExpression {
    this.#expect('(');
    const parameters: string[] = [];
    while (!this.#is(')')) {
      parameters.push(this.#name());
      if (!this.#accept(',')) break;
    }
    this.#expect(')');
    const loops = this.#loops;
    this.#loops = 0;
    const body = this.#block(parameters);
    this.#loops = loops;
    this.#expect('end');
    return { kind: 'function', parameters, body };
  }

  #block(names: readonly string[] = []): LuaStatement[] {
    return this.#nested(() => {
      this.#scopes.push(new Set(names));
      const statements: LuaStatement[] = [];
      while (!['end', 'else', 'elseif'].some((word) => this.#is(word))) {
        if (this.#accept(';')) continue;
        const statement = this.#statement();
        statements.push(statement);
        if (statement.kind === 'return' || statement.kind === 'break') break;
      }
      this.#scopes.pop();
      return statements;
    });
  }

  #statement(): LuaStatement {
    if (this.#accept('local')) return this.#local();
    if (this.#accept('if')) return this.#if();
    if (this.#accept('for')) return this.#for();
    if (this.#accept('while')) {
      const condition = this.#expression(0);
      return { kind: 'while', condition, body: this.#loop() };
    }
    if (this.#accept('do')) {
      const body = this.#block();
      this.#expect('end');
      return { kind: 'do', body };
    }
    if (this.#loops > 0 && this.#accept('break')) return { kind: 'break' };
    if (this.#accept('return')) {
      const isBare = ['end', 'else', 'elseif', ';'].some((word) => this.#is(word));
      const values = isBare ? [] : this.#list();
      this.#accept(';');
      return { kind: 'return', values };
    }
    return this.#callOrAssign();
  }

  #local(): LuaStatement {
    if (this.#accept('function')) {
      const name = this.#name();
      this.#declare(name);
      return { kind: 'local', names: [name], values: [this.#function()] };
    }
    const names = [this.#name()];
    while (this.#accept(',')) names.push(this.#name());
    const values = this.#accept('=') ? this.#list() : [];
    for (const name of names) this.#declare(name);
    return { kind: 'local', names, values };
  }

  #declare(name: string): void {
    this.#scopes.at(-1)?.add(name);
  }

  #if(): LuaStatement {
    const branches: { condition: LuaExpression; body: LuaStatement[] }[] = [];
    do {
      const condition = this.#expression(0);
      this.#expect('then');
      branches.push({ condition, body: this.#block() });
    } while (this.#accept('elseif'));
    const otherwise = this.#accept('else') ? this.#block() : [];
    this.#expect('end');
    return { kind: 'if', branches, otherwise };
  }

  #for(): LuaStatement {
    const name = this.#name();
    this.#expect('=');
    const [from, to, step, ...more] = this.#list();
    if (from === undefined || to === undefined || more.length > 0) this.#refuse();
    return { kind: 'for', name, from, to, step, body: this.#loop([name]) };
  }

  #loop(names: readonly string[] = []): LuaStatement[] {
    this.#expect('do');
    this.#loops += 1;
    const body = this.#block(names);
    this.#loops -= 1;
    this.#expect('end');
    return body;
  }

  #callOrAssign(): LuaStatement {
    const first = this.#suffixed();
    if (first.kind === 'call' || first.kind === 'method') return { kind: 'call', call: first };
    const targets: LuaExpression[] = [first];
    while (this.#accept(',')) targets.push(this.#suffixed());
    this.#expect('=');
    const names = targets.map((target) => {
      if (target.kind === 'local') return target.name;
      throw new LuaProblem('only local names can be assigned to');
    });
    return { kind: 'assign', names, values: this.#list() };
  }
}

function knownFunction(name: string): void {
  if (!stringFunctions.has(name)) {
    throw new LuaProblem(`the function '${name}' is not known`);
  }
}

function stringFunctionOf(callee: LuaExpression): string | undefined {
  const isOfString =
    callee.kind === 'index' && callee.from.kind === 'global' && callee.from.name === 'string';
  return isOfString && callee.key.kind === 'constant' ? String(callee.key.value) : undefined;
}

/** A pattern or format that stands in the template itself is checked with it. */
function checkLiterals(name: string, args: readonly LuaExpression[]): void {
  const problem = stringFunctions.get(name)?.check?.(
    args.map((argument) => {
      const plain = argument.kind === 'single' ? argument.of : argument;
      return plain.kind === 'constant' ? plain.value : undefined;
    }),
  );
  if (problem !== undefined) throw new LuaProblem(problem);
}
