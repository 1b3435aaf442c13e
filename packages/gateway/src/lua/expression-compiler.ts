import type { LuaBox, LuaFrame } from './lua-frame.ts';
import { binaryValue, callValue, indexValue, unaryValue } from './lua-operators.ts';
import { LuaTableValue } from './lua-table.ts';
import { isTrue, type LuaFunction, type LuaTable, type LuaValue } from './lua-value.ts';
import type { FunctionBody, ProgramExpression } from './program-syntax.ts';

/** An expression that is ready to run. */
type Value = (frame: LuaFrame) => LuaValue;
/** One that may stand for several values. */
type Values = (frame: LuaFrame) => readonly LuaValue[];
/** Makes a function, given the locals around it that it uses. */
export type MakeFunction = (captured: readonly LuaBox[]) => LuaFunction;

export const noValues: readonly LuaValue[] = [];

/** What a table or function costs that a program makes. */
const objectBytes = 64;

/** Turns expressions into functions of the frame that they run in. */
export class ExpressionCompiler {
  readonly #globals: LuaTable;
  readonly #chunk: string;
  readonly #make: (body: FunctionBody) => MakeFunction;

  constructor(globals: LuaTable, chunk: string, make: (body: FunctionBody) => MakeFunction) {
    this.#globals = globals;
    this.#chunk = chunk;
    this.#make = make;
  }

  /** The first value of an expression. */
  value(expression: ProgramExpression): Value {
    switch (expression.kind) {
      case 'constant': {
        const { value } = expression;
        return () => value;
      }
      case 'local': {
        const { variable } = expression;
        const { slot } = variable;
        return variable.isCaptured
          ? (frame) => (frame.slots[slot] as LuaBox | undefined)?.value
          : (frame) => frame.slots[slot] as LuaValue;
      }
      case 'upvalue': {
        const { index } = expression;
        return (frame) => (frame.captured[index] as LuaBox).value;
      }
      case 'global': {
        const { name } = expression;
        return (frame) => indexValue(this.#globals, name, frame.budget);
      }
      case 'rest':
        return (frame) => frame.rest[0];
      case 'index': {
        const from = this.value(expression.from);
        const key = this.value(expression.key);
        const what = described(expression.from);
        return (frame) => {
          frame.budget.spend(1);
          return indexValue(from(frame), key(frame), frame.budget, what);
        };
      }
      case 'call': {
        const values = this.values(expression);
        return (frame) => values(frame)[0];
      }
      case 'and': {
        const [left, right] = [this.value(expression.left), this.value(expression.right)];
        return (frame) => {
          const value = left(frame);
          return isTrue(value) ? right(frame) : value;
        };
      }
      case 'or': {
        const [left, right] = [this.value(expression.left), this.value(expression.right)];
        return (frame) => {
          const value = left(frame);
          return isTrue(value) ? value : right(frame);
        };
      }
      case 'binary': {
        const [left, right] = [this.value(expression.left), this.value(expression.right)];
        const { operator } = expression;
        return (frame) => {
          frame.budget.spend(1);
          return binaryValue(operator, left(frame), right(frame), frame.budget);
        };
      }
      case 'unary': {
        const of = this.value(expression.of);
        const { operator } = expression;
        return (frame) => unaryValue(operator, of(frame), frame.budget);
      }
      case 'single':
        return this.value(expression.of);
      case 'function':
        return this.#closure(expression.body);
      case 'table':
        return this.#table(expression);
    }
  }

  /** All values of an expression that may stand for several. */
  values(expression: ProgramExpression): Values {
    if (expression.kind === 'rest') return (frame) => frame.rest;
    if (expression.kind !== 'call') {
      const value = this.value(expression);
      return (frame) => [value(frame)];
    }
    const { method, line } = expression;
    const callee = this.value(expression.callee);
    const args = this.list(expression.args);
    const what = method === undefined ? described(expression.callee) : `method '${method}'`;
    const where = `${this.#chunk}:${line}:`;
    if (method === undefined) {
      return (frame) => {
        frame.budget.spend(1);
        const called = callee(frame);
        const list = args(frame);
        frame.budget.where = where;
        return callValue(called, list, frame.budget, what);
      };
    }
    const owner = described(expression.callee);
    return (frame) => {
      frame.budget.spend(1);
      const self = callee(frame);
      const called = indexValue(self, method, frame.budget, owner);
      const list = [self, ...args(frame)];
      frame.budget.where = where;
      return callValue(called, list, frame.budget, what);
    };
  }

  /** A list of expressions, of which the last may stand for several values. */
  list(expressions: readonly ProgramExpression[]): Values {
    const last = expressions.at(-1);
    if (last === undefined) return () => noValues;
    if (expressions.length === 1) return this.values(last);
    const first = expressions.slice(0, -1).map((expression) => this.value(expression));
    const rest = this.values(last);
    return (frame) => {
      const list = first.map((value) => value(frame));
      const more = rest(frame);
      for (let index = 0; index < more.length; index += 1) list.push(more[index]);
      return list;
    };
  }

  #closure(body: FunctionBody): Value {
    const make = this.#make(body);
    const { captured } = body;
    return (frame) => {
      frame.budget.take(objectBytes);
      return make(
        captured.map((each) =>
          each.kind === 'local'
            ? (frame.slots[each.variable.slot] as LuaBox)
            : (frame.captured[each.index] as LuaBox),
        ),
      );
    };
  }

  #table({ entries }: ProgramExpression & { readonly kind: 'table' }): Value {
    const last = entries.at(-1);
    const isOpen = last !== undefined && last.key === undefined;
    const closed = (isOpen ? entries.slice(0, -1) : entries).map(({ key, value }) => ({
      key: key === undefined ? undefined : this.value(key),
      value: this.value(value),
    }));
    const rest = isOpen && last !== undefined ? this.values(last.value) : () => noValues;
    return (frame) => {
      frame.budget.take(objectBytes);
      const table = new LuaTableValue();
      let at = 1;
      for (const { key, value } of closed) {
        table.set(key === undefined ? at : key(frame), value(frame), frame.budget);
        if (key === undefined) at += 1;
      }
      for (const value of rest(frame)) {
        table.set(at, value, frame.budget);
        at += 1;
      }
      return table;
    };
  }
}

/** How errors name what an expression stands for. */
export function described(expression: ProgramExpression): string {
  switch (expression.kind) {
    case 'local':
      return `local '${expression.variable.name}'`;
    case 'upvalue':
      return `upvalue '${expression.variable.name}'`;
    case 'global':
      return `global '${expression.name}'`;
    case 'index':
      return expression.key.kind === 'constant' ? `field '${String(expression.key.value)}'` : '';
    default:
      return '';
  }
}
