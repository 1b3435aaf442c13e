import { expect, test } from 'vitest';
import { simulateInformer } from './informer-simulation.ts';

test('the cache ends up true, whatever the server and the network do', async () => {
  let changes = 0;
  let faults = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const result = await simulateInformer(seed);
    expect(result.violations, `npm run simulate -- --start ${seed} --seeds 1`).toEqual([]);
    changes += result.changes;
    faults += result.faults;
  }
  // The runs must be worth something.
  expect(changes).toBeGreaterThan(2_000);
  expect(faults).toBeGreaterThan(1_000);
});

test('the same seed gives the same run', async () => {
  expect(await simulateInformer(7)).toEqual(await simulateInformer(7));
});
