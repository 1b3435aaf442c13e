import { compileExpression, ExpressionBudget } from '@waygate/apply';
import type { Kustomization } from '../api/kustomization-object.ts';
import { messageOf } from '../gitops-error.ts';
import type { ReadyExpression } from './dependencies.ts';
import { HealthWaits } from './health-wait.ts';

/** What is wrong with the expressions of a spec; undefined when all can be compiled. */
export function expressionProblem({ spec }: Kustomization): string | undefined {
  try {
    HealthWaits.ruleOf(spec);
    for (const { readyExpr } of spec.dependsOn ?? []) {
      if (readyExpr !== undefined && readyExpr !== '') compileExpression(readyExpr);
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Whether dependencies are ready by the expressions of who depends on them, within what the
 * expressions of one reconciliation may cost. What it returns throws an ApplyError when an expression
 * cannot be evaluated on these objects.
 */
export function readyExpressions(): ReadyExpression {
  const budget = new ExpressionBudget();
  return (expression, self, dep) => compileExpression(expression).evaluate({ self, dep }, budget);
}
