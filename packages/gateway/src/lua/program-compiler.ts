import {
  described,
  ExpressionCompiler,
  type MakeFunction,
  noValues,
} from './expression-compiler.ts';
import { assignLocal, declareLocal, holdBoxes, type LuaBox, type LuaFrame } from './lua-frame.ts';
import { callValue, setValue } from './lua-operators.ts';
import {
  isTrue,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  toNumber,
} from './lua-value.ts';
import type {
  Block,
  FunctionBody,
  LocalVariable,
  ProgramExpression,
  ProgramStatement,
} from './program-syntax.ts';

/** How a statement ended: as others do, or by leaving its block. */
type Leaving = undefined | typeof leaveLoop | Jump | readonly LuaValue[];
type Run = (frame: LuaFrame) => Leaving;

const leaveLoop = Symbol('break');

/** On its way to a label of a block around. */
class Jump {
  readonly label: string;

  constructor(label: string) {
    this.label = label;
  }
}

/** Makes a function of a program that was read, with the globals that it sees. */
export function compileProgram(body: FunctionBody, globals: LuaTable, chunk: string): LuaFunction {
  return new Compiler(globals, chunk).function(body)([]);
}

class Compiler {
  readonly #globals: LuaTable;
  readonly #chunk: string;
  readonly #expressions: ExpressionCompiler;

  constructor(globals: LuaTable, chunk: string) {
    this.#globals = globals;
    this.#chunk = chunk;
    this.#expressions = new ExpressionCompiler(globals, chunk, (body) => this.function(body));
  }

  /** What makes a function each time that its expression is come by. */
  function(body: FunctionBody): MakeFunction {
    const run = this.#block(body.body);
    const { parameters, isVariadic } = body;
    const slots = body.slots();
    return (captured) => {
      const made: LuaFunction = (args, budget) => {
        budget.spend(1);
        const frame: LuaFrame = {
          slots: new Array(slots),
          captured,
          rest: isVariadic ? args.slice(parameters.length) : noValues,
          budget,
        };
        for (let index = 0; index < parameters.length; index += 1) {
          declareLocal(frame, parameters[index] as LocalVariable, args[index]);
        }
        const left = run(frame);
        return Array.isArray(left) ? left : noValues;
      };
      holdBoxes(made, captured);
      return made;
    };
  }

  #block({ statements, labels }: Block): Run {
    const runs = statements.map((statement) => this.#located(statement));
    const { length } = runs;
    return (frame) => {
      for (let at = 0; at < length; at += 1) {
        const left = (runs[at] as Run)(frame);
        if (left === undefined) continue;
        const target = left instanceof Jump ? labels.get(left.label) : undefined;
        if (target === undefined) return left;
        at = target - 1;
      }
      return undefined;
    };
  }

  /** A statement whose errors say where it stands. */
  #located(statement: ProgramStatement): Run {
    const run = this.#statement(statement);
    const where = `${this.#chunk}:${statement.line}:`;
    return (frame) => {
      frame.budget.spend(1);
      try {
        return run(frame);
      } catch (error) {
        if (error instanceof LuaFailure) error.locate(where);
        throw error;
      }
    };
  }

  #statement(statement: ProgramStatement): Run {
    switch (statement.kind) {
      case 'local':
        return this.#local(statement.variables, statement.values);
      case 'localFunction': {
        const value = this.#expressions.value(statement.value);
        const { variable } = statement;
        return (frame) => {
          // It sees itself.
          declareLocal(frame, variable, undefined);
          assignLocal(frame, variable, value(frame));
          return undefined;
        };
      }
      case 'assign':
        return this.#assign(statement.targets, statement.values);
      case 'if':
        return this.#if(statement);
      case 'while': {
        const condition = this.#expressions.value(statement.condition);
        const body = this.#block(statement.body);
        return (frame) => {
          while (isTrue(condition(frame))) {
            frame.budget.spend(1);
            const left = body(frame);
            if (left === leaveLoop) break;
            if (left !== undefined) return left;
          }
          return undefined;
        };
      }
      case 'repeat': {
        const condition = this.#expressions.value(statement.condition);
        const body = this.#block(statement.body);
        return (frame) => {
          do {
            frame.budget.spend(1);
            const left = body(frame);
            if (left === leaveLoop) break;
            if (left !== undefined) return left;
          } while (!isTrue(condition(frame)));
          return undefined;
        };
      }
      case 'count':
        return this.#count(statement);
      case 'each':
        return this.#each(statement);
      case 'do':
        return this.#block(statement.body);
      case 'call': {
        const call = this.#expressions.values(statement.call);
        return (frame) => {
          call(frame);
          return undefined;
        };
      }
      case 'break':
        return () => leaveLoop;
      case 'goto': {
        const jump = new Jump(statement.label);
        return () => jump;
      }
      case 'return': {
        const values = this.#expressions.list(statement.values);
        return (frame) => values(frame);
      }
    }
  }

  #local(variables: readonly LocalVariable[], expressions: readonly ProgramExpression[]): Run {
    const [only] = variables;
    if (variables.length === 1 && expressions.length === 1 && only !== undefined) {
      const value = this.#expressions.value(expressions[0] as ProgramExpression);
      return (frame) => {
        declareLocal(frame, only, value(frame));
        return undefined;
      };
    }
    const values = this.#expressions.list(expressions);
    return (frame) => {
      const list = values(frame);
      variables.forEach((variable, index) => {
        declareLocal(frame, variable, list[index]);
      });
      return undefined;
    };
  }

  #assign(targets: readonly ProgramExpression[], expressions: readonly ProgramExpression[]): Run {
    const setters = targets.map((target) => this.#setter(target));
    const values = this.#expressions.list(expressions);
    return (frame) => {
      const places = setters.map((setter) => setter(frame));
      const list = values(frame);
      places.forEach((put, index) => {
        put(list[index]);
      });
      return undefined;
    };
  }

  /** Looks a place up first, and gives what puts a value there. */
  #setter(target: ProgramExpression): (frame: LuaFrame) => (value: LuaValue) => void {
    switch (target.kind) {
      case 'local': {
        const { variable } = target;
        return (frame) => (value) => assignLocal(frame, variable, value);
      }
      case 'upvalue': {
        const { index } = target;
        return (frame) => (value) => {
          (frame.captured[index] as LuaBox).value = value;
        };
      }
      case 'index': {
        const from = this.#expressions.value(target.from);
        const key = this.#expressions.value(target.key);
        const what = described(target.from);
        return (frame) => {
          const [table, at] = [from(frame), key(frame)];
          return (value) => setValue(table, at, value, frame.budget, what);
        };
      }
      default: {
        const name = target.kind === 'global' ? target.name : '';
        return (frame) => (value) => setValue(this.#globals, name, value, frame.budget);
      }
    }
  }

  #if(statement: ProgramStatement & { readonly kind: 'if' }): Run {
    const branches = statement.branches.map(({ condition, body }) => ({
      condition: this.#expressions.value(condition),
      body: this.#block(body),
    }));
    const otherwise =
      statement.otherwise === undefined ? () => undefined : this.#block(statement.otherwise);
    return (frame) => {
      for (const { condition, body } of branches) {
        if (isTrue(condition(frame))) return body(frame);
      }
      return otherwise(frame);
    };
  }

  #count(statement: ProgramStatement & { readonly kind: 'count' }): Run {
    const from = this.#expressions.value(statement.from);
    const to = this.#expressions.value(statement.to);
    const step = statement.step === undefined ? () => 1 : this.#expressions.value(statement.step);
    const body = this.#block(statement.body);
    const { variable } = statement;
    return (frame) => {
      const first = forNumber(from(frame), 'initial value');
      const last = forNumber(to(frame), 'limit');
      const by = forNumber(step(frame), 'step');
      for (let at = first; by > 0 ? at <= last : at >= last; at += by) {
        frame.budget.spend(1);
        declareLocal(frame, variable, at);
        const left = body(frame);
        if (left === leaveLoop) break;
        if (left !== undefined) return left;
      }
      return undefined;
    };
  }

  #each(statement: ProgramStatement & { readonly kind: 'each' }): Run {
    const values = this.#expressions.list(statement.values);
    const body = this.#block(statement.body);
    const { variables } = statement;
    return (frame) => {
      const [next, state, start] = values(frame);
      let control = start;
      for (;;) {
        frame.budget.spend(1);
        const list = callValue(next, [state, control], frame.budget);
        control = list[0];
        if (control === undefined) return undefined;
        for (let index = 0; index < variables.length; index += 1) {
          declareLocal(frame, variables[index] as LocalVariable, list[index]);
        }
        const left = body(frame);
        if (left === leaveLoop) return undefined;
        if (left !== undefined) return left;
      }
    };
  }
}

function forNumber(value: LuaValue, what: string): number {
  const number = toNumber(value);
  if (number !== undefined) return number;
  throw new LuaFailure(`'for' ${what} must be a number`);
}
