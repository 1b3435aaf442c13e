import type { CelType } from '../types/type.ts';
import type { CelValue } from '../values/value.ts';

interface Node {
  /** Where it begins, in code points: the operator of an operation, the bracket of a call. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

interface LiteralExpression extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface IdentifierExpression extends Node {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface SelectExpression extends Node {
  readonly kind: 'select';
  readonly operand: CelExpression;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly isTest: boolean;
  /** The name of a variable or type with dots that this turned out to be; set by the checker. */
  resolved?: string;
}

export interface CallExpression extends Node {
  readonly kind: 'call';
  function: string;
  target: CelExpression | undefined;
  readonly args: readonly CelExpression[];
  /** The overloads that fit the types of the arguments; set by the checker. */
  overloads?: readonly string[];
}

export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly elements: readonly CelExpression[];
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntryExpression {
  readonly offset: number;
  readonly key: CelExpression;
  readonly value: CelExpression;
  readonly isOptional: boolean;
}

export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntryExpression[];
}

export interface StructField {
  readonly offset: number;
  readonly name: string;
  readonly value: CelExpression;
  readonly isOptional: boolean;
}

export interface StructExpression extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** A loop over a range that keeps a value, which every macro over lists and maps becomes. */
export interface ComprehensionExpression extends Node {
  readonly kind: 'comprehension';
  readonly range: CelExpression;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: CelExpression;
  readonly condition: CelExpression;
  readonly step: CelExpression;
  readonly result: CelExpression;
}

export type CelExpression =
  | LiteralExpression
  | IdentifierExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression;

/** The parts of an expression, in the order in which they are written. */
export function childrenOf(expression: CelExpression): readonly CelExpression[] {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined
        ? expression.args
        : [expression.target, ...expression.args];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
  }
}

/** A copy whose parts can be checked on their own. */
export function copyExpression(expression: CelExpression): CelExpression {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return { ...expression };
    case 'select':
      return { ...expression, operand: copyExpression(expression.operand) };
    case 'call':
      return {
        ...expression,
        target: expression.target && copyExpression(expression.target),
        args: expression.args.map(copyExpression),
      };
    case 'list':
      return { ...expression, elements: expression.elements.map(copyExpression) };
    case 'map':
      return {
        ...expression,
        entries: expression.entries.map((entry) => ({
          ...entry,
          key: copyExpression(entry.key),
          value: copyExpression(entry.value),
        })),
      };
    case 'struct':
      return {
        ...expression,
        fields: expression.fields.map((field) => ({
          ...field,
          value: copyExpression(field.value),
        })),
      };
    case 'comprehension':
      return {
        ...expression,
        range: copyExpression(expression.range),
        initial: copyExpression(expression.initial),
        condition: copyExpression(expression.condition),
        step: copyExpression(expression.step),
        result: copyExpression(expression.result),
      };
  }
}
