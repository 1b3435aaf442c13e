import {
  CelFailure,
  type CelProgram,
  celOfJson,
  compileCel,
  fluxDeclarations,
} from '@waygate/text';
import { ApplyError } from '../apply-error.ts';

/** What one expression may cost, in the units of Kubernetes' own limits: some hundredths of a second. */
const expressionLimit = 200_000;
/** What all expressions of one reconciliation may. */
const reconcileLimit = 5_000_000;

/**
 * What the expressions of one reconciliation have left.
 *
 * ```ts
 * const budget = new ExpressionBudget(10);
 * budget.spend(4);
 * budget.left; // 6
 * ```
 */
export class ExpressionBudget {
  readonly limit: number;
  #left: number;

  constructor(limit = reconcileLimit) {
    this.limit = limit;
    this.#left = limit;
  }

  get left(): number {
    return this.#left;
  }

  spend(cost: number): void {
    this.#left = Math.max(0, this.#left - cost);
  }
}

/** A condition on objects, written in the Common Expression Language. */
export interface BooleanExpression {
  readonly text: string;
  /**
   * @throws ApplyError when it cannot be evaluated, is not a truth value, or costs more than it may
   */
  evaluate(variables: Readonly<Record<string, unknown>>, budget?: ExpressionBudget): boolean;
  /**
   * What it comes to, whatever that is: a variable for other expressions.
   *
   * @throws ApplyError when it cannot be evaluated, or costs more than it may
   */
  value(variables: Readonly<Record<string, unknown>>, budget?: ExpressionBudget): unknown;
}

const programs = new Map<string, CelProgram>();
const maxPrograms = 1000;

/**
 * Compiles an expression once for many evaluations.
 *
 * ```ts
 * const isReady = compileExpression("status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')");
 * ```
 *
 * @throws ApplyError `WG_APPLY_EXPRESSION`
 */
export function compileExpression(text: string): BooleanExpression {
  const program = programs.get(text) ?? compile(text);
  if (programs.size >= maxPrograms) programs.clear();
  programs.set(text, program);
  const run: BooleanExpression['value'] = (variables, budget = new ExpressionBudget()) => {
    const limit = Math.min(expressionLimit, budget.left);
    const look = (name: string) =>
      Object.hasOwn(variables, name) ? celOfJson(variables[name]) : undefined;
    const { value, cost, isOverLimit } = program.evaluate(look, limit);
    budget.spend(cost);
    if (isOverLimit) throw failure(`${beginning(text)}${limitText(limit, budget)}`);
    if (value instanceof CelFailure) throw failure(`${beginning(text)}${value.message}`);
    return value;
  };
  return {
    text,
    value: run,
    evaluate: (variables, budget) => {
      const value = run(variables, budget);
      if (typeof value === 'boolean') return value;
      throw failure(`failed to evaluate CEL expression as boolean: '${text}'`);
    },
  };
}

const beginning = (text: string) => `failed to evaluate the CEL expression '${text}': `;

function limitText(limit: number, budget: ExpressionBudget): string {
  return limit < expressionLimit
    ? `the expressions of one reconciliation may cost ${budget.limit} units together, and that is spent`
    : `it costs more than the ${expressionLimit} units that an expression may`;
}

function compile(text: string): CelProgram {
  const checked = compileCel(text, fluxDeclarations);
  if ('issues' in checked) {
    throw failure(`failed to parse the CEL expression '${text}': ${checked.issues}`);
  }
  const program = checked.program(fluxDeclarations);
  if (!(program instanceof CelFailure)) return program;
  throw failure(`failed to parse the CEL expression '${text}': ${program.message}`);
}

function failure(message: string): ApplyError {
  return new ApplyError('WG_APPLY_EXPRESSION', message);
}
