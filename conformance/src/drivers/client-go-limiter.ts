import {
  BucketRateLimiter,
  type Clock,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

export type LimiterData =
  | { readonly type: 'itemExponentialFailure'; readonly baseMs: number; readonly maxMs: number }
  | {
      readonly type: 'itemFastSlow';
      readonly fastMs: number;
      readonly slowMs: number;
      readonly maxFast: number;
    }
  | { readonly type: 'maxOf'; readonly limiters: readonly LimiterData[] }
  | { readonly type: 'withMaxWait'; readonly limiter: LimiterData; readonly maxMs: number }
  | { readonly type: 'bucket'; readonly qps: number; readonly burst: number }
  | { readonly type: 'defaultController' | 'defaultItemBased' }
  | {
      readonly type: 'step';
      readonly baseMs: number;
      readonly afterMs: number;
      readonly threshold: number;
    };

/** The limiter that a scenario describes. */
export function limiterFrom<K>(data: LimiterData, clock: Clock): RateLimiter<K> {
  switch (data.type) {
    case 'itemExponentialFailure':
      return new ItemExponentialFailureRateLimiter(data.baseMs, data.maxMs);
    case 'itemFastSlow':
      return new ItemFastSlowRateLimiter(data.fastMs, data.slowMs, data.maxFast);
    case 'maxOf':
      return new MaxOfRateLimiter(...data.limiters.map((one) => limiterFrom<K>(one, clock)));
    case 'withMaxWait':
      return new WithMaxWaitRateLimiter(limiterFrom<K>(data.limiter, clock), data.maxMs);
    case 'bucket':
      return new BucketRateLimiter(data.qps, data.burst, clock);
    case 'defaultController':
      return defaultControllerRateLimiter(clock);
    case 'defaultItemBased':
      return defaultItemBasedRateLimiter();
    case 'step': {
      let calls = 0;
      return {
        when: () => (++calls <= data.threshold ? data.baseMs : data.afterMs),
        forget: () => {},
        numRequeues: () => 0,
      };
    }
  }
}

/** Runs one scenario of `rate_limiters.json`. */
export function runRateLimiter(scenario: Scenario): Promise<Outcome> {
  return new RateLimiterRun(scenario).play(scenario.steps ?? []);
}

class RateLimiterRun extends ScenarioRun {
  private readonly limiter = limiterFrom<string>(this.config.limiter as LimiterData, this.clock);
  private distinct = 0;

  protected override perform(step: Step): unknown {
    switch (step.op) {
      case 'when':
        return Array.from({ length: (step.times as number | undefined) ?? 1 }, () =>
          this.limiter.when(this.itemOf(step)),
        );
      case 'forget':
        return this.limiter.forget(this.itemOf(step));
      case 'numRequeues':
        return this.limiter.numRequeues(this.itemOf(step));
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    if (step.op !== 'when') return super.check(step, result);
    if (step.expectMs === undefined) return undefined;
    const toleranceMs = (step.tolMs as number | undefined) ?? 0;
    const expectedMs = step.expectMs as number;
    const off = (result as number[]).find((ms) => !(Math.abs(ms - expectedMs) <= toleranceMs));
    return off === undefined ? undefined : differs(expectedMs, off);
  }

  private itemOf(step: Step): string {
    return step.item === '*distinct' ? `distinct-${this.distinct++}` : (step.item as string);
  }
}
