import type { CelResult } from '../values/value.ts';

/** Thrown when an expression costs more than it may; nothing in it can absorb that. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** What the names of an expression stand for; undefined when there is no such variable. */
export type CelVariables = (name: string) => CelResult | undefined;

/** One evaluation of an expression. */
export class Run {
  readonly variables: CelVariables;
  readonly limit: number;
  /** The variables of loops, each at the place that it was given when the expression was planned. */
  readonly slots: (CelResult | undefined)[];
  cost = 0;

  constructor(variables: CelVariables, limit: number, slotCount: number) {
    this.variables = variables;
    this.limit = limit;
    this.slots = new Array(slotCount);
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitExceeded();
  }
}

export type Step = (run: Run) => CelResult;
