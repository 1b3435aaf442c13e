import { estimateCost, type SizeOfPath } from './cost/estimate.ts';
import type { Range } from './cost/range.ts';
import type { CelDeclarations } from './declaration.ts';
import { Planner, PlanProblem, type StructMaker } from './run/plan.ts';
import { type CelVariables, CostLimitExceeded, Run, type Step } from './run/run.ts';
import type { CelExpression } from './syntax/ast.ts';
import { childrenOf } from './syntax/ast.ts';
import { parseCel } from './syntax/parser.ts';
import { checkTypes } from './types/checker.ts';
import type { CelType } from './types/type.ts';
import { literalProblems } from './validators.ts';
import { CelFailure, type CelResult } from './values/value.ts';

/** What came of an evaluation, and what it cost. */
export interface CelOutcome {
  /** A CelFailure when the expression could not be evaluated. */
  readonly value: CelResult;
  readonly cost: number;
  /** The expression was stopped because it cost more than it may. */
  readonly isOverLimit: boolean;
}

/** What one expression may cost when it is run, as in Kubernetes. */
export const callCostLimit = 1_000_000;

/**
 * An expression that has been read and whose types have been checked.
 *
 * ```ts
 * const checked = compileCel('object.spec.replicas > 3', fluxDeclarations);
 * 'issues' in checked ? [] : ['object', 'oldObject'].map((name) => checked.uses(name)); // [true, false]
 * ```
 */
export class CelExpressionChecked {
  readonly text: string;
  readonly type: CelType;
  readonly #expression: CelExpression;

  constructor(text: string, expression: CelExpression) {
    this.text = text;
    this.type = expression.type as CelType;
    this.#expression = expression;
  }

  /** Between how much and how much it may cost. */
  estimate(sizeOfPath?: SizeOfPath): Range {
    return estimateCost(this.#expression, sizeOfPath);
  }

  /** Whether a variable occurs in it. */
  uses(variable: string): boolean {
    const isUsed = (part: CelExpression): boolean =>
      (part.kind === 'identifier' && part.name.replace(/^\./, '') === variable) ||
      childrenOf(part).some(isUsed);
    return isUsed(this.#expression);
  }

  /** Makes it ready to run, or says which part of it never can. */
  program(declarations: CelDeclarations, makeStruct?: StructMaker): CelProgram | CelFailure {
    const planner = new Planner(declarations, makeStruct);
    try {
      const step = planner.plan(this.#expression);
      return new CelProgram(step, planner.slotCount);
    } catch (error) {
      if (error instanceof PlanProblem) return new CelFailure(error.message);
      throw error;
    }
  }
}

/**
 * An expression that can be run.
 *
 * ```ts
 * const declarations = CelDeclarations.of(kubernetesLibraries).with({ replicas: celTypes.intType });
 * const checked = compileCel('replicas > 3', declarations);
 * const program = 'issues' in checked ? undefined : checked.program(declarations);
 * program instanceof CelProgram && program.evaluate((name) => (name === 'replicas' ? 5n : undefined)).value; // true
 * ```
 */
export class CelProgram {
  readonly #step: Step;
  readonly #slotCount: number;

  constructor(step: Step, slotCount: number) {
    this.#step = step;
    this.#slotCount = slotCount;
  }

  evaluate(variables: CelVariables, limit = callCostLimit): CelOutcome {
    const run = new Run(variables, limit, this.#slotCount);
    try {
      const value = this.#step(run);
      return { value, cost: run.cost, isOverLimit: false };
    } catch (error) {
      if (!(error instanceof CostLimitExceeded)) throw error;
      return { value: new CelFailure(error.message), cost: run.cost, isOverLimit: true };
    }
  }
}

/**
 * Reads and checks an expression, or says what is wrong with it, place by place.
 *
 * ```ts
 * const checked = compileCel('1 + "a"', CelDeclarations.of(kubernetesLibraries));
 * 'issues' in checked && checked.issues.split('\n')[0]; // "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"
 * ```
 */
export function compileCel(
  text: string,
  declarations: CelDeclarations,
): CelExpressionChecked | { readonly issues: string } {
  const parsed = parseCel(text, declarations.macros);
  if ('issues' in parsed) return parsed;
  const { source, expression } = parsed;
  const issues = checkTypes(expression, declarations);
  if (issues.length > 0) return { issues: source.show(issues) };
  const problems = literalProblems(expression);
  if (problems.length > 0) return { issues: source.show(problems) };
  return new CelExpressionChecked(text, expression);
}
