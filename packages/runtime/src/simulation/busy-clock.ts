import type { SeededRandom } from './seeded-random.ts';
import { SimulationClock } from './simulation-clock.ts';

/** A clock of a machine that is busy: time passes while programs run, not only while they wait. */
export class BusyClock extends SimulationClock {
  readonly #random: SeededRandom;
  readonly #probability: number;

  constructor(startMs: number, random: SeededRandom, probability: number) {
    super(startMs);
    this.#random = random;
    this.#probability = probability;
  }

  override monotonicMs(): number {
    if (this.#random.chance(this.#probability)) this.jump(this.#random.between(1, 20));
    return super.monotonicMs();
  }
}
