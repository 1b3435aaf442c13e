import { oncePer } from '@waygate/text';
import type { Clock } from './clock.ts';

/**
 * How long a loop may run in microtasks before timers and sockets get their turn. A pause of the
 * garbage collector may come on top of it.
 */
const defaultBudgetMs = 3;
/** Reading the clock costs more than most of the steps it would measure. */
const stepsPerReading = 8;

/**
 * Keeps loops over settled promises from starving the event loop. While a turn is being given, every
 * loop that shares the keeper waits for it; else ten workers would take turns in starving it. So all
 * loops on one clock share one: `TurnKeeper.of`.
 *
 * ```ts
 * const turns = new TurnKeeper(systemClock);
 * for (let step = 0; step < 1_000_000; step++) {
 *   const turn = turns.step(); // undefined most of the time
 *   if (turn !== undefined) await turn;
 * }
 * ```
 */
export class TurnKeeper {
  /** The keeper of all loops on a clock. */
  static readonly of = oncePer((clock: Clock) => new TurnKeeper(clock));

  readonly #clock: Clock;
  readonly #budgetMs: number;
  #steps = 0;
  #turnStartedMs: number;
  #turn: Promise<void> | undefined;

  constructor(clock: Clock, budgetMs = defaultBudgetMs) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#turnStartedMs = clock.monotonicMs();
  }

  /** Counts one step of a loop. A promise means: wait for it before the next step. */
  step(): Promise<void> | undefined {
    if (this.#turn !== undefined) return this.#turn;
    if (++this.#steps % stepsPerReading !== 0) return undefined;
    return this.#read();
  }

  /** As `step`, for steps so heavy that each is worth a look at the clock. */
  heavyStep(): Promise<void> | undefined {
    return this.#turn ?? this.#read();
  }

  #read(): Promise<void> | undefined {
    if (this.#clock.monotonicMs() - this.#turnStartedMs < this.#budgetMs) return undefined;
    this.#turn = this.#clock.yield().then(() => {
      this.#turn = undefined;
      this.#turnStartedMs = this.#clock.monotonicMs();
    });
    return this.#turn;
  }
}
