import type { LeaderTiming } from './leader-timing.ts';
import { ModelLeaseStore } from './model-lease-store.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedCandidate } from './simulated-candidate.ts';
import { SimulationClock } from './simulation-clock.ts';

/** What one simulated election came to. It held when `violations` is empty. */
export interface LeaderSimulationResult {
  readonly seed: number;
  /** How often somebody began to lead. */
  readonly terms: number;
  /** Calls on the lock that met a fault. */
  readonly faults: number;
  readonly violations: readonly string[];
}

/** The defaults, and one that renews several times a second, which candidates cannot see. */
const timings: readonly LeaderTiming[] = [
  { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
  { leaseDurationMs: 5_500, renewDeadlineMs: 3_000, retryPeriodMs: 300 },
];
/** All in leases, as what goes wrong goes wrong around the end of one. */
const faultyLeases = 5;
const disturbanceEveryLeases = 0.6;
const longestPauseLeases = 2.7;
/** The longest pause, the slowest call, and time to elect somebody. */
const healingLeases = 6;
const stoppingLeases = 4;

/**
 * Runs three to five candidates on one model Lease: calls that are slow, refused, lost on the way
 * there or back, or applied long after the caller gave up; wall clocks that jump; processes that
 * stand still. It checks that
 * - no two processes that are running lead at the same instant, whatever happens;
 * - once the faults end, there is a leader again;
 * - after the stop, nobody leads, the lock is free, and no timer is left.
 *
 * The same seed gives the same run.
 *
 * ```ts
 * (await simulateLeaders(7)).violations; // []
 * ```
 */
export function simulateLeaders(seed: number): Promise<LeaderSimulationResult> {
  return new LeaderSimulation(seed).run();
}

class LeaderSimulation {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #timing: LeaderTiming;
  readonly #world = new SimulationClock(Date.UTC(2026, 0, 1));
  readonly #store: ModelLeaseStore;
  readonly #candidates: SimulatedCandidate[] = [];
  readonly #violations: string[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#timing = this.#random.pick(timings);
    this.#store = new ModelLeaseStore(this.#world, this.#random, this.#timing.leaseDurationMs);
  }

  async run(): Promise<LeaderSimulationResult> {
    const world = this.#world;
    const random = this.#random;
    const store = this.#store;
    const timing = this.#timing;
    const candidates = this.#candidates;
    for (let count = random.between(3, 5); count > 0; count--)
      candidates.push(new SimulatedCandidate(candidates.length, world, random, store, timing));
    for (const candidate of candidates) candidate.start();
    await this.#disturbFor(faultyLeases);
    store.isFaulty = false;
    if (!(await this.#runUntil(healingLeases, () => this.#isHealed)))
      this.#violate(`nobody leads ${healingLeases} leases after the faults ended`);
    for (const candidate of candidates) candidate.stop();
    await this.#runUntil(stoppingLeases, () => this.#isStopped);
    this.#checkEnd();
    return {
      seed: this.#seed,
      terms: candidates.reduce((sum, { terms }) => sum + terms, 0),
      faults: store.faults,
      violations: this.#violations,
    };
  }

  /** Somebody leads, and no more of the faults can come to light. */
  get #isHealed(): boolean {
    return (
      this.#store.openCalls === 0 &&
      this.#candidates.every(({ process }) => !process.isPaused) &&
      this.#candidates.some(({ isLeading }) => isLeading)
    );
  }

  get #isStopped(): boolean {
    return this.#world.timerCount === 0 && this.#candidates.every(({ isRunning }) => !isRunning);
  }

  async #disturbFor(leases: number): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    const endMs = world.monotonicMs() + leases * this.#timing.leaseDurationMs;
    const nextAtMs = () =>
      world.monotonicMs() +
      random.next() * 2 * disturbanceEveryLeases * this.#timing.leaseDurationMs;
    for (let atMs = nextAtMs(); atMs < endMs; atMs = nextAtMs()) {
      await this.#passUntil(atMs, () => false);
      this.#disturb();
    }
    await this.#passUntil(endMs, () => false);
  }

  #runUntil(leases: number, isReached: () => boolean): Promise<boolean> {
    const endMs = this.#world.monotonicMs() + leases * this.#timing.leaseDurationMs;
    return this.#passUntil(endMs, isReached);
  }

  /** Lets time pass, timer by timer. True when the condition came true before the end. */
  async #passUntil(endMs: number, isReached: () => boolean): Promise<boolean> {
    const world = this.#world;
    // What was just done to the candidates may set timers.
    await world.settle();
    for (
      let leftMs = endMs - world.monotonicMs();
      leftMs > 0;
      leftMs = endMs - world.monotonicMs()
    ) {
      if (isReached()) return true;
      await world.runNext(leftMs);
      this.#checkOverlap();
    }
    return isReached();
  }

  #disturb(): void {
    const random = this.#random;
    const candidate = random.pick(this.#candidates);
    const roll = random.next();
    if (roll < 0.3)
      candidate.process.pause(random.next() * longestPauseLeases * this.#timing.leaseDurationMs);
    else if (roll < 0.5) candidate.process.jumpWallClock((random.next() - 0.5) * 7_200_000);
    else if (roll < 0.8) candidate.process.jumpWallClock(random.between(-3, 3) * 1_000);
    else if (roll < 0.9 && candidate !== this.#candidates[0]) candidate.stop();
  }

  #checkOverlap(): void {
    let leader: SimulatedCandidate | undefined;
    for (const candidate of this.#candidates) {
      if (!candidate.isLeading || candidate.process.isPaused) continue;
      if (leader !== undefined)
        this.#violate(
          `${leader.identity} and ${candidate.identity} lead together at ${this.#world.monotonicMs()} ms`,
        );
      leader = candidate;
    }
  }

  #checkEnd(): void {
    for (const { isLeading, isRunning, identity } of this.#candidates) {
      if (isLeading) this.#violate(`${identity} leads after the stop`);
      if (isRunning) this.#violate(`${identity} did not stop`);
    }
    const holder = this.#store.holder;
    if (holder !== '') this.#violate(`the lock is still held by ${holder} after the stop`);
    if (this.#world.timerCount > 0) this.#violate(`${this.#world.timerCount} timers are left`);
  }

  #violate(message: string): void {
    this.#violations.push(
      `seed ${this.#seed}: ${message} (replay: simulateLeaders(${this.#seed}))`,
    );
  }
}
