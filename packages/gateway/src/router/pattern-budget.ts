import { RegexBudget } from '@waygate/text';

/** Steps that each pattern has for itself: any that is not made to be costly takes far fewer. */
const stepsOfOwn = 8_000;
/** Steps that the patterns of one request which need more share: a tenth of a second or so. */
const stepsShared = 4_000_000;

/**
 * What matching patterns may cost for one request. One pattern is linear, but a tenant may have a
 * thousand, each made to cost as much as it can on the text that the same tenant then sends. When
 * what they share is gone, a pattern that needs more than its own counts as not matching; one that
 * does not is always decided, so that no neighbour's routes change.
 */
class PatternBudget extends RegexBudget {
  #own = 0;

  constructor() {
    super(stepsShared);
  }

  /** A new request begins. */
  renew(): void {
    this.left = stepsShared;
  }

  /** The budget for the next pattern of the request. */
  next(): this {
    this.#own = stepsOfOwn;
    return this;
  }

  override spend(steps: number): void {
    this.#own -= steps;
    if (this.#own < 0) {
      const more = -this.#own;
      this.#own = 0;
      super.spend(more);
    }
  }
}

/** Matching is never interrupted, so that one is enough for all requests. */
export const patternBudget = new PatternBudget();
