import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { Controller } from './controller.ts';
import { done, failed, type ReconcileResult, requeue, requeueAfter } from './reconcile-result.ts';

const keys = ['a', 'b', 'c', 'd'] as const;

const step = fc.oneof(
  fc.record({
    op: fc.constant('enqueue' as const),
    key: fc.constantFrom(...keys),
    isLowPriority: fc.boolean(),
  }),
  fc.record({ op: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 200 }) }),
);
const behaviour = fc.record({
  tookMs: fc.integer({ min: 0, max: 120 }),
  outcome: fc.constantFrom('done', 'requeue', 'requeueAfter', 'failed', 'throw'),
});

test('whatever reconcile does, every change is seen by a later reconciliation, one at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(behaviour, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (steps, behaviours, maxConcurrentReconciles, usePriorityQueue) => {
        const clock = new FakeClock();
        const changed = new Map<string, number>();
        const seen = new Map<string, number>();
        const active = new Set<string>();
        let change = 0;
        let calls = 0;
        let overlaps = 0;
        const controller = new Controller({
          name: 'property',
          clock,
          maxConcurrentReconciles,
          usePriorityQueue,
          reconcile: async (key): Promise<ReconcileResult> => {
            if (active.has(key)) overlaps++;
            active.add(key);
            const read = change;
            const { tookMs, outcome } = behaviours[calls++] ?? { tookMs: 0, outcome: 'done' };
            if (tookMs > 0) await clock.sleep(tookMs);
            active.delete(key);
            if (outcome === 'throw') throw new Error('not now');
            seen.set(key, read);
            if (outcome === 'requeue') return requeue;
            if (outcome === 'requeueAfter') return requeueAfter(50);
            return outcome === 'failed' ? failed('never') : done;
          },
        });
        const stopping = new AbortController();
        const running = controller.run(stopping.signal);
        for (const one of steps) {
          if (one.op === 'advance') {
            await clock.advance(one.ms);
            continue;
          }
          changed.set(one.key, ++change);
          controller.enqueue(one.key, { isLowPriority: one.isLowPriority });
        }
        // Behaviours run out, and then everything succeeds: the back-off of each key ends.
        await clock.advance(10_000_000);
        for (const [key, at] of changed) expect(seen.get(key) ?? 0).toBeGreaterThanOrEqual(at);
        expect(overlaps).toBe(0);
        expect(controller.queue.length).toBe(0);
        for (const key of keys) expect(controller.queue.numRequeues(key)).toBe(0);
        stopping.abort();
        await clock.settle();
        await running;
        expect(clock.timerCount).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});
