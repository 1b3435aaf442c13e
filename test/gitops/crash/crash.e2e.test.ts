import { expect, test } from 'vitest';
import { wanted, wantedInventories } from './commits.ts';
import { CrashRun } from './crash-run.ts';

// The controllers end at a request that the seed decides, before it is sent or before its answer is
// seen, again and again while commits go on. New ones start on what is in the API and on the disk.

const first = Number(process.env.WAYGATE_CRASH_SEED ?? 1);
const count = Number(process.env.WAYGATE_CRASH_SEEDS ?? 6);

test.each(Array.from({ length: count }, (_one, index) => first + index))(
  'seed %i',
  async (seed) => {
    await using run = await CrashRun.start(seed);
    const { crashes, ...outcome } = await run.play();
    expect(outcome, crashes.join('\n')).toEqual({
      // Nothing is missing, and nothing is left that nobody wants.
      owned: wanted,
      inventories: wantedInventories,
      // Nothing was deleted that should not have been, or written for nothing.
      writesOfKept: 1,
      livesOfKept: 1,
      livesOfMoved: 1,
      isForeignThere: true,
      leftOfDeleted: [],
    });
  },
);
