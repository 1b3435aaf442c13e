import { expect, test } from 'vitest';
import { wanted, wantedInventories } from './commits.ts';
import { CrashRun, type StartHost } from './crash-run.ts';
import { InProcessHost } from './in-process-host.ts';
import { ProcessHost } from './process-host.ts';

// The controllers end at a step that the seed decides, again and again while commits go on. New ones
// start on what is in the API and on the disk. Once they are controllers of this process, whose
// requests end before they are sent or before their answer is seen: quick, so there are many. And once
// they are `waygate controller` in a process of its own, which is killed with SIGKILL at a request, a
// change of the disk, or while git runs.

const first = Number(process.env.WAYGATE_CRASH_SEED ?? 1);
const seeds = (count: number) => Array.from({ length: count }, (_one, index) => first + index);

async function survives(seed: number, startHost: StartHost): Promise<void> {
  await using run = await CrashRun.start(seed, startHost);
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
}

test.each(seeds(Number(process.env.WAYGATE_CRASH_SEEDS ?? 6)))('seed %i', (seed) =>
  survives(seed, (api, storageDirectory) => new InProcessHost(api, storageDirectory)),
);

test.each(seeds(Number(process.env.WAYGATE_KILL_SEEDS ?? 2)))('kill -9, seed %i', (seed) =>
  survives(seed, (api, storageDirectory) => ProcessHost.start(api, storageDirectory)),
);
