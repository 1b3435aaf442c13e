import type { CelExpression } from './ast.ts';

/** What is wrong with the arguments of a macro. */
export class MacroProblem {
  readonly offset: number;
  readonly message: string;

  constructor(offset: number, message: string) {
    this.offset = offset;
    this.message = message;
  }
}

/** A call that stands for a longer expression. */
export interface CelMacro {
  readonly name: string;
  readonly argCount: number;
  readonly isMember: boolean;
  /** Undefined when this is an ordinary call after all. */
  expand(
    offset: number,
    target: CelExpression | undefined,
    args: readonly CelExpression[],
  ): CelExpression | MacroProblem | undefined;
}

export function findMacro(
  macros: readonly CelMacro[],
  name: string,
  argCount: number,
  isMember: boolean,
): CelMacro | undefined {
  return macros.find(
    (macro) => macro.name === name && macro.argCount === argCount && macro.isMember === isMember,
  );
}

/** The name under which a loop keeps what it found so far; no expression can say it. */
export const accumulatorName = '@result';

/** Makes the parts of an expansion, all at the place of the call. */
export class Expansion {
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  literal(value: boolean | bigint): CelExpression {
    return { kind: 'literal', offset: this.#offset, value };
  }

  name(name: string): CelExpression {
    return { kind: 'identifier', offset: this.#offset, name };
  }

  get result(): CelExpression {
    return this.name(accumulatorName);
  }

  call(name: string, ...args: CelExpression[]): CelExpression {
    return { kind: 'call', offset: this.#offset, function: name, target: undefined, args };
  }

  member(name: string, target: CelExpression, ...args: CelExpression[]): CelExpression {
    return { kind: 'call', offset: this.#offset, function: name, target, args };
  }

  list(...elements: CelExpression[]): CelExpression {
    return { kind: 'list', offset: this.#offset, elements, optionals: new Set() };
  }

  map(): CelExpression {
    return { kind: 'map', offset: this.#offset, entries: [] };
  }

  loop(
    range: CelExpression,
    variables: readonly string[],
    parts: {
      readonly initial: CelExpression;
      readonly condition: CelExpression;
      readonly step: CelExpression;
      readonly result: CelExpression;
    },
    accumulator = accumulatorName,
  ): CelExpression {
    const [variable = '', variable2] = variables;
    return {
      kind: 'comprehension',
      offset: this.#offset,
      range,
      variable,
      variable2,
      accumulator,
      ...parts,
    };
  }

  /** A name for a value inside an expression: a loop without rounds. */
  bind(name: string, value: CelExpression, result: CelExpression): CelExpression {
    const parts = { initial: value, condition: this.literal(false), step: this.name(name), result };
    return this.loop(this.list(), ['#unused'], parts, name);
  }
}
