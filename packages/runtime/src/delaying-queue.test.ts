import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeadlineEntry, DeadlineQueue } from './deadline-queue.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { FakeClock } from './fake-clock.ts';

describe('DeadlineQueue', () => {
  test('gives entries in the order of a sorted list', () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ op: fc.constant('push' as const), at: fc.nat(50) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('pop' as const), at: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), at: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('earlier' as const), at: fc.nat(50) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
        const queue = new DeadlineQueue<DeadlineEntry>();
        let model: DeadlineEntry[] = [];
        const sort = () =>
          model.sort((one, other) => one.readyAtMs - other.readyAtMs || one.order - other.order);
        for (const [order, { op, at }] of commands.entries()) {
          const chosen = model[at % Math.max(model.length, 1)];
          if (op === 'push') {
            const entry = { readyAtMs: at, order, place: -1 };
            queue.push(entry);
            model.push(entry);
          } else if (op === 'pop') expect(queue.pop()).toBe(model.shift());
          else if (chosen !== undefined && op === 'remove') {
            queue.remove(chosen);
            model = model.filter((entry) => entry !== chosen);
          } else if (chosen !== undefined) queue.moveEarlier(chosen, chosen.readyAtMs - at - 1);
          sort();
          expect(queue.length).toBe(model.length);
          expect(queue.peek()).toBe(model[0]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

test('a run whose last entry was moved away still takes only later ones', () => {
  const entry = (order: number, readyAtMs: number) => ({
    readyAtMs,
    order,
    place: -1,
  });
  const queue = new DeadlineQueue<DeadlineEntry>();
  const [first, second, third] = [entry(0, 1), entry(1, 1), entry(2, 0)];
  queue.push(first);
  queue.push(second);
  queue.moveEarlier(second, -31);
  queue.push(third);
  expect([queue.pop(), queue.pop(), queue.pop()]).toEqual([second, third, first]);
});

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
