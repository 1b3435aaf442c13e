import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedPrefetch } from './ordered-prefetch.ts';

test('keeps the order, and never has more under way than it may', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      async (turns, concurrency) => {
        let underWay = 0;
        let most = 0;
        const results: number[] = [];
        const indexes = turns.map((_turn, index) => index);
        const all = orderedPrefetch(indexes, concurrency, async (index) => {
          most = Math.max(most, ++underWay);
          for (let turn = 0; turn < (turns[index] ?? 0); turn++) await Promise.resolve();
          underWay--;
          return index;
        });
        for await (const one of all) results.push(one);
        expect(results).toEqual(indexes);
        expect(most).toBeLessThanOrEqual(concurrency);
      },
    ),
    { numRuns: 50 },
  );
});

test('a failure shows when its turn comes', async () => {
  const seen: number[] = [];
  const all = orderedPrefetch([1, 2, 3], 3, async (item) => {
    if (item === 2) throw new Error('two');
    return item;
  });
  await expect(
    (async () => {
      for await (const one of all) seen.push(one);
    })(),
  ).rejects.toThrow('two');
  expect(seen).toEqual([1]);
});
