import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { DelayingQueue } from './delaying-queue.ts';

describe('DelayingQueue', () => {
  test('does what its model does', async () => {
    const item = fc.constantFrom('a', 'b', 'c');
    const command = fc.oneof(
      fc.record({
        op: fc.constant('addAfter' as const),
        item,
        ms: fc.integer({ min: -5, max: 40 }),
      }),
      fc.record({ op: fc.constant('add' as const), item, ms: fc.constant(0) }),
      fc.record({ op: fc.constant('advance' as const), item, ms: fc.nat(20) }),
      fc.record({ op: fc.constant('work' as const), item, ms: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const clock = new FakeClock();
        const queue = new DelayingQueue<string>({ clock });
        const ready: string[] = [];
        const waiting = new Map<string, number>();
        const add = (one: string) => {
          if (!ready.includes(one)) ready.push(one);
        };
        for (const { op, item: one, ms } of commands) {
          if (op === 'add') {
            queue.add(one);
            add(one);
          } else if (op === 'addAfter') {
            queue.addAfter(one, ms);
            const at = clock.monotonicMs() + ms;
            if (ms <= 0) add(one);
            else waiting.set(one, Math.min(waiting.get(one) ?? Number.POSITIVE_INFINITY, at));
          } else if (op === 'advance') {
            await clock.leap(ms);
            const due = [...waiting].filter(([, at]) => at <= clock.monotonicMs());
            due.sort(([, left], [, right]) => left - right);
            for (const [key] of due) {
              waiting.delete(key);
              add(key);
            }
          } else {
            const got = queue.tryGet();
            if (ready.length === 0) expect(got).toBeUndefined();
            else {
              // Items with one deadline may leave in either order; the model keeps them as a set.
              expect(ready).toContain(got);
              ready.splice(ready.indexOf(got!), 1);
              queue.done(got!);
            }
          }
          expect(queue.length).toBe(ready.length);
          expect(queue.waitingCount).toBe(waiting.size);
          for (const [key, at] of waiting) expect(queue.readyAtMs(key)).toBe(at);
        }
        queue.shutDown();
        expect(clock.timerCount).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('a delay of two months is waited out', async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    const twoMonthsMs = 60 * 24 * 3_600_000;
    queue.addAfter('a', twoMonthsMs);
    await clock.advance(twoMonthsMs - 1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });
});
