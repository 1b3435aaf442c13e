import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can stop between its steps. */
export type Steps<T> = Generator<undefined, T>;

/** How many entities are looked at between two stops. */
const stepSize = 64;

/** Says, for each entity, whether now is the time to stop. */
export class StepCounter {
  #count = 0;

  isDue(): boolean {
    this.#count += 1;
    if (this.#count < stepSize) return false;
    this.#count = 0;
    return true;
  }
}

/**
 * Does all of the work now.
 *
 * ```ts
 * const options = { current: new KongEntities(), newId: () => 'a' };
 * atOnce(buildTargetSteps({ _format_version: '3.0' }, options)).problems; // []
 * ```
 */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export interface TurnOptions {
  readonly signal?: AbortSignal;
  /** The longest time that the work takes before it lets others have a turn. 8 ms. */
  readonly turnMs?: number;
}

/**
 * Does the work in short turns: comparing a hundred thousand entities at once takes seconds.
 *
 * ```ts
 * await inTurns(createPlanSteps(new KongEntities(), new KongEntities()), { turnMs: 4 }); // { operations: [] }
 * ```
 */
export async function inTurns<T>(steps: Steps<T>, options: TurnOptions = {}): Promise<T> {
  const { signal, turnMs = 8 } = options;
  let startedMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - startedMs < turnMs) continue;
    await nextTurn();
    signal?.throwIfAborted();
    startedMs = performance.now();
  }
}
