import { stringFunctions } from '../lua/lua-strings.ts';
import {
  expectNumber,
  expectText,
  isTrue,
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  parseNumber,
  toText,
  typeOf,
} from '../lua/lua-value.ts';
import type { BinaryOperator, LuaExpression, LuaStatement } from './lua-syntax.ts';

/** What the expressions of a template can see of the request. */
export type LuaWorld = Readonly<
  Record<'headers' | 'query_params' | 'uri_captures' | 'shared', LuaTable>
>;

/** The value of an expression for one request. */
export function evaluateLua(
  expression: LuaExpression,
  world: LuaWorld,
  budget: LuaBudget,
): LuaValue {
  return new LuaRun(world, budget).value(expression, undefined);
}

/** The locals of a block, and of those around it. */
interface Scope {
  readonly names: Map<string, LuaValue>;
  readonly outer: Scope | undefined;
}

/** How a block ended before its end. */
type Leaving =
  | { readonly kind: 'break' }
  | { readonly kind: 'return'; values: readonly LuaValue[] };

const library: Readonly<Record<string, LuaValue>> = {
  type: ([value]: readonly LuaValue[]) => [typeOf(value)],
  tostring: ([value]: readonly LuaValue[]) => [toText(value)],
  tonumber: ([value, base]: readonly LuaValue[]) => [parseNumber(value, base)],
  string: {
    get: (name) => (typeof name === 'string' ? stringFunctions.get(name)?.run : undefined),
    length: 0,
  },
};

class LuaRun {
  readonly #world: LuaWorld;
  readonly #budget: LuaBudget;

  constructor(world: LuaWorld, budget: LuaBudget) {
    this.#world = world;
    this.#budget = budget;
  }

  /** The first value of an expression. */
  value(expression: LuaExpression, scope: Scope | undefined): LuaValue {
    this.#budget.spend(1);
    switch (expression.kind) {
      case 'constant':
        return expression.value;
      case 'local':
        return scopeOf(scope, expression.name)?.names.get(expression.name);
      case 'global':
        return expression.name in library
          ? library[expression.name]
          : this.#world[expression.name as keyof LuaWorld];
      case 'index':
        return this.#index(this.value(expression.from, scope), this.value(expression.key, scope));
      case 'call':
      case 'method':
        return this.#call(expression, scope)[0];
      case 'and': {
        const left = this.value(expression.left, scope);
        return isTrue(left) ? this.value(expression.right, scope) : left;
      }
      case 'or': {
        const left = this.value(expression.left, scope);
        return isTrue(left) ? left : this.value(expression.right, scope);
      }
      case 'binary':
        return this.#binary(
          expression.operator,
          this.value(expression.left, scope),
          this.value(expression.right, scope),
        );
      case 'unary':
        return unary(expression.operator, this.value(expression.of, scope));
      case 'single':
        return this.value(expression.of, scope);
      case 'function':
        return this.#closure(expression.parameters, expression.body, scope);
    }
  }

  /** A list of expressions, of which the last may stand for several values. */
  #values(list: readonly LuaExpression[], scope: Scope | undefined): LuaValue[] {
    const values: LuaValue[] = [];
    list.forEach((expression, index) => {
      const isMany = expression.kind === 'call' || expression.kind === 'method';
      if (isMany && index === list.length - 1) values.push(...this.#call(expression, scope));
      else values.push(this.value(expression, scope));
    });
    return values;
  }

  #index(from: LuaValue, key: LuaValue): LuaValue {
    if (typeof from === 'object') return from.get(key);
    if (typeof from === 'string') {
      return typeof key === 'string' ? stringFunctions.get(key)?.run : undefined;
    }
    throw new LuaFailure(`a ${typeOf(from)} value has no fields`);
  }

  #call(
    expression: LuaExpression & { readonly kind: 'call' | 'method' },
    scope: Scope | undefined,
  ): readonly LuaValue[] {
    let callee: LuaValue;
    let first: LuaValue[] = [];
    if (expression.kind === 'method') {
      const from = this.value(expression.from, scope);
      callee = this.#index(from, expression.name);
      first = [from];
    } else {
      callee = this.value(expression.callee, scope);
    }
    const args = [...first, ...this.#values(expression.args, scope)];
    if (typeof callee !== 'function') {
      throw new LuaFailure(`a ${typeOf(callee)} value cannot be called`);
    }
    const called = callee;
    return this.#budget.nest(() => called(args, this.#budget));
  }

  #closure(
    parameters: readonly string[],
    body: readonly LuaStatement[],
    outer: Scope | undefined,
  ): LuaFunction {
    return (args) => {
      const names = new Map(parameters.map((name, index) => [name, args[index]]));
      const leaving = this.#block(body, { names, outer });
      return leaving?.kind === 'return' ? leaving.values : [];
    };
  }

  #block(body: readonly LuaStatement[], scope: Scope): Leaving | undefined {
    for (const statement of body) {
      const leaving = this.#statement(statement, scope);
      if (leaving !== undefined) return leaving;
    }
    return undefined;
  }

  #statement(statement: LuaStatement, scope: Scope): Leaving | undefined {
    this.#budget.spend(1);
    switch (statement.kind) {
      case 'local': {
        // A function sees itself, whatever else is declared sees what was there before.
        const isFunction = statement.values[0]?.kind === 'function';
        if (isFunction) scope.names.set(statement.names[0] ?? '', undefined);
        const values = this.#values(statement.values, scope);
        statement.names.forEach((name, index) => {
          scope.names.set(name, values[index]);
        });
        return undefined;
      }
      case 'assign': {
        const values = this.#values(statement.values, scope);
        statement.names.forEach((name, index) => {
          scopeOf(scope, name)?.names.set(name, values[index]);
        });
        return undefined;
      }
      case 'if': {
        for (const { condition, body } of statement.branches) {
          if (isTrue(this.value(condition, scope))) return this.#block(body, inside(scope));
        }
        return this.#block(statement.otherwise, inside(scope));
      }
      case 'while': {
        while (isTrue(this.value(statement.condition, scope))) {
          const leaving = this.#block(statement.body, inside(scope));
          if (leaving?.kind === 'return') return leaving;
          if (leaving !== undefined) break;
        }
        return undefined;
      }
      case 'for':
        return this.#for(statement, scope);
      case 'do':
        return this.#block(statement.body, inside(scope));
      case 'call':
        this.value(statement.call, scope);
        return undefined;
      case 'break':
        return { kind: 'break' };
      case 'return':
        return { kind: 'return', values: this.#values(statement.values, scope) };
    }
  }

  #for(loop: LuaStatement & { readonly kind: 'for' }, scope: Scope): Leaving | undefined {
    const number = (of: LuaExpression) => expectNumber(this.value(of, scope), 'for');
    const [from, to] = [number(loop.from), number(loop.to)];
    const step = loop.step === undefined ? 1 : number(loop.step);
    for (let at = from; step > 0 ? at <= to : at >= to; at += step) {
      this.#budget.spend(1);
      const leaving = this.#block(loop.body, inside(scope, [[loop.name, at]]));
      if (leaving?.kind === 'return') return leaving;
      if (leaving !== undefined) break;
    }
    return undefined;
  }

  #binary(operator: BinaryOperator, left: LuaValue, right: LuaValue): LuaValue {
    switch (operator) {
      case '==':
        return left === right;
      case '~=':
        return left !== right;
      case '<':
        return isBefore(left, right);
      case '>':
        return isBefore(right, left);
      case '<=':
        return !isBefore(right, left) && isComparable(left, right);
      case '>=':
        return !isBefore(left, right) && isComparable(left, right);
      case '..': {
        const text = expectText(left, "'..'") + expectText(right, "'..'");
        this.#budget.take(text.length);
        return text;
      }
      default:
        return arithmetic(operator, expectNumber(left, operator), expectNumber(right, operator));
    }
  }
}

function inside(outer: Scope, names: readonly [string, LuaValue][] = []): Scope {
  return { names: new Map(names), outer };
}

function scopeOf(scope: Scope | undefined, name: string): Scope | undefined {
  let at = scope;
  while (at !== undefined && !at.names.has(name)) at = at.outer;
  return at;
}

function unary(operator: 'not' | '#' | '-', value: LuaValue): LuaValue {
  if (operator === 'not') return !isTrue(value);
  if (operator === '-') return -expectNumber(value, "'-'");
  if (typeof value === 'string' || typeof value === 'object') return value.length;
  throw new LuaFailure(`a ${typeOf(value)} value has no length`);
}

/** NaN is neither before nor behind anything. */
function isComparable(left: LuaValue, right: LuaValue): boolean {
  return !Number.isNaN(left) && !Number.isNaN(right);
}

function isBefore(left: LuaValue, right: LuaValue): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  throw new LuaFailure(`${typeOf(left)} and ${typeOf(right)} cannot be compared`);
}

function arithmetic(operator: BinaryOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left - Math.floor(left / right) * right;
    default:
      return left ** right;
  }
}
