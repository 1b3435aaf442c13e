import type { DynamicObject } from '@waygate/schema';
import { ApplyError } from '../apply-error.ts';
import { type BooleanExpression, compileExpression, ExpressionBudget } from './expression.ts';
import { generationHealth } from './generation.ts';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';

/** How to tell the health of a kind that does not follow the conventions. */
export interface HealthExpressionTexts {
  readonly current: string;
  readonly inProgress?: string | undefined;
  readonly failed?: string | undefined;
}

/**
 * The health of an object by expressions on its fields: at work, failed, current, in this order.
 *
 * ```ts
 * const rule = new HealthExpressions({ current: "status.phase == 'Ready'" });
 * const widget = { apiVersion: 'acme.test/v1', kind: 'Widget', metadata: { name: 'a' } };
 * rule.health({ ...widget, status: { phase: 'Ready' } }).status; // 'Current'
 * rule.health({ ...widget, status: { phase: 'Busy' } }).status; // 'InProgress'
 * ```
 */
export class HealthExpressions {
  readonly #current: BooleanExpression;
  readonly #inProgress: BooleanExpression | undefined;
  readonly #failed: BooleanExpression | undefined;

  /** @throws ApplyError for an expression that cannot be compiled, or when `current` is missing */
  constructor(texts: HealthExpressionTexts) {
    if (texts.current === '') {
      throw new ApplyError('WG_APPLY_EXPRESSION', 'expression Current not specified');
    }
    this.#current = compileExpression(texts.current);
    this.#inProgress = optional(texts.inProgress);
    this.#failed = optional(texts.failed);
  }

  /** @throws ApplyError when an expression cannot be evaluated on this object */
  health(object: DynamicObject, budget = new ExpressionBudget()): HealthResult {
    const unseen = generationHealth(object);
    if (unseen !== undefined) return unseen;
    if (this.#inProgress?.evaluate(object, budget) === true) {
      return inProgress('InProgress', `the expression '${this.#inProgress.text}' holds`);
    }
    if (this.#failed?.evaluate(object, budget) === true) {
      return failedHealth('Failed', `the expression '${this.#failed.text}' holds`);
    }
    if (this.#current.evaluate(object, budget)) return current('Resource is current');
    return inProgress('InProgress', `the expression '${this.#current.text}' does not hold`);
  }
}

function optional(text: string | undefined): BooleanExpression | undefined {
  return text === undefined || text === '' ? undefined : compileExpression(text);
}
