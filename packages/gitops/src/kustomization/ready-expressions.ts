import { compileExpression } from '@waygate/apply';
import type { Kustomization } from '../api/kustomization-object.ts';
import { messageOf } from '../gitops-error.ts';
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
 * Whether a dependency is ready by the expression of who depends on it.
 *
 * @throws ApplyError when it cannot be evaluated on these objects
 */
export function isReadyBy(expression: string, self: Kustomization, dep: Kustomization): boolean {
  return compileExpression(expression).evaluate({ self, dep });
}
