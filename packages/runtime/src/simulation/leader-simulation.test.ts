import { expect, test } from 'vitest';
import { simulateLeaders } from './leader-simulation.ts';

test('two leaders never overlap, whatever the network and the clocks do', async () => {
  let terms = 0;
  let faults = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const result = await simulateLeaders(seed);
    expect(result.violations).toEqual([]);
    terms += result.terms;
    faults += result.faults;
  }
  // The runs must be worth something: leadership changed hands often, under many faults.
  expect(terms).toBeGreaterThan(600);
  expect(faults).toBeGreaterThan(5_000);
});

test('the same seed gives the same run', async () => {
  expect(await simulateLeaders(42)).toEqual(await simulateLeaders(42));
});
