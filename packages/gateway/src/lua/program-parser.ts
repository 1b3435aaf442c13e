import { ExpressionParser } from './expression-parser.ts';
import { LuaProblem, type LuaToken, luaTokens } from './lua-token.ts';
import {
  type Block,
  isAssignable,
  type LocalVariable,
  type ParsedProgram,
  type ProgramExpression,
  type ProgramStatement,
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

/** Reads the statements of a program. */
class ProgramParser {
  readonly #in: TokenReader;
  readonly #expressions: ExpressionParser;
  readonly #assigned: ProgramExpression[] = [];
  /** Jumps of the function that is being read whose label was not met in a block around them. */
  #jumps: { readonly label: string; readonly line: number }[] = [];

  constructor(tokens: readonly LuaToken[]) {
    this.#in = new TokenReader(tokens);
    this.#expressions = new ExpressionParser(this.#in, (declare) => this.#function(declare));
  }

  program(): ParsedProgram {
    return this.#whole([], this.#function());
  }

  expression(names: readonly string[]): ParsedProgram {
    this.#expressions.scope.open();
    const parameters = names.map((name) => this.#expressions.declare(name));
    const values = [this.#expressions.expression(0)];
    this.#expressions.scope.close();
    const labels = new Map<string, number>();
    return this.#whole(parameters, { statements: [{ kind: 'return', line: 1, values }], labels });
  }

  #whole(parameters: readonly LocalVariable[], body: Block): ParsedProgram {
    if (this.#in.token.kind !== 'end') this.#in.expected('<eof>');
    const scope = this.#expressions.scope;
    return {
      body: { parameters, isVariadic: true, body, captured: [], slots: () => scope.slots },
      globals: this.#expressions.globals,
      calls: this.#expressions.calls,
      assigned: this.#assigned,
    };
  }

  /** The statements of a function: it jumps nowhere but within itself. */
  #function(declare: () => void = () => undefined): Block {
    const outer = this.#jumps;
    this.#jumps = [];
    const block = this.#block(declare);
    const [lost] = this.#jumps;
    if (lost !== undefined) throw new LuaProblem(`undefined label '${lost.label}'`, lost.line);
    this.#jumps = outer;
    return block;
  }

  /** Statements up to a word that ends them; `declare` puts names into the block first. */
  #block(declare: () => void = () => undefined): Block {
    return this.#expressions.nested(() => {
      this.#expressions.scope.open();
      declare();
      const block = this.#statements();
      this.#expressions.scope.close();
      return block;
    });
  }

  #statements(): Block {
    const statements: ProgramStatement[] = [];
    const labels = new Map<string, number>();
    const outer = this.#jumps.length;
    while (!this.#isBlockEnd()) {
      if (this.#in.accept(';')) continue;
      if (this.#in.accept('::')) {
        const label = this.#in.name();
        if (labels.has(label)) this.#in.fail(`duplicate label '${label}'`);
        labels.set(label, statements.length);
        this.#in.expect('::');
        continue;
      }
      const statement = this.#statement();
      statements.push(statement);
      if (statement.kind === 'return') break;
    }
    this.#jumps = this.#jumps.filter(({ label }, at) => at < outer || !labels.has(label));
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
      const condition = this.#expressions.expression(0);
      return { kind: 'while', line, condition, body: this.#loop(line, 'while', () => undefined) };
    }
    if (this.#in.accept('repeat')) return this.#repeat(line);
    if (this.#in.accept('do')) {
      const body = this.#block();
      this.#in.close('end', 'do', line);
      return { kind: 'do', line, body };
    }
    if (this.#in.accept('break')) {
      if (this.#expressions.scope.loops === 0) this.#in.fail(`no loop to break ${this.#in.near()}`);
      return { kind: 'break', line };
    }
    if (this.#in.is('goto') && this.#in.following?.kind === 'name') {
      this.#in.skip();
      const label = this.#in.name();
      this.#jumps.push({ label, line });
      return { kind: 'goto', line, label };
    }
    if (this.#in.accept('return')) {
      const values = this.#isBlockEnd() || this.#in.is(';') ? [] : this.#expressions.list();
      this.#in.accept(';');
      return { kind: 'return', line, values };
    }
    return this.#callOrAssign(line);
  }

  #local(line: number): ProgramStatement {
    if (this.#in.accept('function')) {
      const variable = this.#expressions.declare(this.#in.name());
      return {
        kind: 'localFunction',
        line,
        variable,
        value: this.#expressions.function(line, false),
      };
    }
    const names = [this.#in.name()];
    while (this.#in.accept(',')) names.push(this.#in.name());
    const values = this.#in.accept('=') ? this.#expressions.list() : [];
    return {
      kind: 'local',
      line,
      variables: names.map((name) => this.#expressions.declare(name)),
      values,
    };
  }

  #namedFunction(line: number): ProgramStatement {
    let target = this.#expressions.named(this.#in.name());
    let isMethod = false;
    while (this.#in.is('.') || this.#in.is(':')) {
      isMethod = this.#in.accept(':');
      if (!isMethod) this.#in.expect('.');
      const key: ProgramExpression = { kind: 'constant', value: this.#in.name() };
      target = { kind: 'index', from: target, key };
      if (isMethod) break;
    }
    this.#assigned.push(target);
    return {
      kind: 'assign',
      line,
      targets: [target],
      values: [this.#expressions.function(line, isMethod)],
    };
  }

  #if(line: number): ProgramStatement {
    const branches: { condition: ProgramExpression; body: Block }[] = [];
    do {
      const condition = this.#expressions.expression(0);
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
      const [from, to, step, ...more] = this.#expressions.list();
      if (from === undefined || to === undefined || more.length > 0) {
        return this.#in.expected(from === undefined || to === undefined ? ',' : 'do');
      }
      let variable: LocalVariable | undefined;
      const body = this.#loop(line, 'for', () => {
        variable = this.#expressions.declare(names[0] ?? '');
      });
      return { kind: 'count', line, variable: variable as LocalVariable, from, to, step, body };
    }
    while (this.#in.accept(',')) names.push(this.#in.name());
    if (!this.#in.is('in')) this.#in.fail(`'=' or 'in' expected ${this.#in.near()}`);
    this.#in.skip();
    const values = this.#expressions.list();
    let variables: readonly LocalVariable[] = [];
    const body = this.#loop(line, 'for', () => {
      variables = names.map((name) => this.#expressions.declare(name));
    });
    return { kind: 'each', line, variables, values, body };
  }

  #loop(line: number, opened: string, declare: () => void): Block {
    this.#in.expect('do');
    this.#expressions.scope.loops += 1;
    const body = this.#block(declare);
    this.#expressions.scope.loops -= 1;
    this.#in.close('end', opened, line);
    return body;
  }

  #repeat(line: number): ProgramStatement {
    return this.#expressions.nested(() => {
      this.#expressions.scope.open();
      this.#expressions.scope.loops += 1;
      const body = this.#statements();
      this.#expressions.scope.loops -= 1;
      this.#in.close('until', 'repeat', line);
      const condition = this.#expressions.expression(0);
      this.#expressions.scope.close();
      return { kind: 'repeat', line, condition, body };
    });
  }

  #callOrAssign(line: number): ProgramStatement {
    const first = this.#expressions.suffixed();
    if (!this.#in.is('=') && !this.#in.is(',')) {
      if (first.kind === 'call') return { kind: 'call', line, call: first };
      return isAssignable(first)
        ? this.#in.expected('=')
        : this.#in.fail(`syntax error ${this.#in.near()}`);
    }
    const targets: ProgramExpression[] = [first];
    while (this.#in.accept(',')) targets.push(this.#expressions.suffixed());
    this.#in.expect('=');
    if (!targets.every(isAssignable)) this.#in.fail(`syntax error ${this.#in.near()}`);
    this.#assigned.push(...targets);
    return { kind: 'assign', line, targets, values: this.#expressions.list() };
  }
}
