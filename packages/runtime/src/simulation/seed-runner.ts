import { simulateInformer } from './informer-simulation.ts';
import { simulateLeaders } from './leader-simulation.ts';

interface SimulationResult {
  readonly faults: number;
  readonly violations: readonly string[];
}

/** What can be simulated, by name. */
export const simulations: Readonly<Record<string, (seed: number) => Promise<SimulationResult>>> = {
  informer: simulateInformer,
  leaders: simulateLeaders,
};

/** Seeds `first`, `first + stride`, … below `end` of one simulation. */
export interface SeedRange {
  readonly name: string;
  readonly first: number;
  readonly end: number;
  readonly stride: number;
}

interface SeedFailure {
  readonly seed: number;
  readonly violations: readonly string[];
}

export interface SeedOutcome {
  readonly faults: number;
  readonly failures: readonly SeedFailure[];
}

/** What a thread says: that it has run some more, and at last what came of all. */
export type WorkerMessage = { readonly seeds: number } | { readonly outcome: SeedOutcome };

/** How many seeds are run between two reports. */
const seedsPerReport = 100;

/**
 * Runs the seeds of a range one after the other, until `mostFailures` have failed, and reports how many
 * more have been run from time to time.
 */
export async function runSeeds(
  range: SeedRange,
  mostFailures: number,
  onProgress: (seeds: number) => void = () => {},
): Promise<SeedOutcome> {
  const simulate = simulations[range.name]!;
  const failures: SeedFailure[] = [];
  let faults = 0;
  let unreported = 0;
  for (let seed = range.first; seed < range.end; seed += range.stride) {
    const { faults: met, violations } = await simulate(seed);
    faults += met;
    if (violations.length > 0) failures.push({ seed, violations });
    if (failures.length >= mostFailures) break;
    if (++unreported < seedsPerReport) continue;
    onProgress(unreported);
    unreported = 0;
  }
  return { faults, failures };
}
