import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeadlineEntry, DeadlineQueue } from './deadline-queue.ts';

interface Waiting {
  readonly entry: DeadlineEntry;
  readyAtMs: number;
}

const isThere = (one: Waiting | undefined): one is Waiting => one !== undefined;
const entry = (): DeadlineEntry => ({ order: 0, place: -1 });

describe('DeadlineQueue', () => {
  test('gives entries in the order of a sorted list', () => {
    const at = fc.nat(50);
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ op: fc.constant('push' as const), at }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('delay' as const), at: fc.nat(12) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('pop' as const), at }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), at }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('earlier' as const), at }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300, size: 'max' }), (commands) => {
        const queue = new DeadlineQueue<DeadlineEntry>();
        let model: Waiting[] = [];
        for (const [now, { op, at }] of commands.entries()) {
          const chosen = model[at % Math.max(model.length, 1)];
          if (op === 'push' || op === 'delay') {
            const added = { entry: entry(), readyAtMs: op === 'push' ? at : now + 2 ** at };
            queue.push(added.entry, added.readyAtMs);
            model.push(added);
          } else if (op === 'pop') expect(queue.pop()).toBe(model.shift()?.entry);
          else if (chosen !== undefined && op === 'remove') {
            queue.remove(chosen.entry);
            model = model.filter((one) => one !== chosen);
          } else if (chosen !== undefined) {
            chosen.readyAtMs -= at + 1;
            queue.moveEarlier(chosen.entry, chosen.readyAtMs);
          }
          model.sort(
            (one, other) => one.readyAtMs - other.readyAtMs || one.entry.order - other.entry.order,
          );
          expect(queue.length).toBe(model.length);
          expect(queue.peek()).toBe(model[0]?.entry);
          for (const { entry: one, readyAtMs } of [model[0], model.at(-1)].filter(isThere))
            expect(queue.deadlineOf(one)).toBe(readyAtMs);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('keeps equal deadlines in the order in which they came', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const entries = Array.from({ length: 100 }, entry);
    for (const [index, one] of entries.entries()) queue.push(one, [5, 3, 9][index % 3]!);
    const byDeadline = [1, 0, 2].flatMap((rest) =>
      entries.filter((_, index) => index % 3 === rest),
    );
    expect(entries.map(() => queue.pop())).toEqual(byDeadline);
  });

  test('a run whose last entry was moved away still takes only later ones', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const [first, second, third] = [entry(), entry(), entry()];
    queue.push(first, 1);
    queue.push(second, 1);
    queue.moveEarlier(second, -31);
    queue.push(third, 0);
    expect([queue.pop(), queue.pop(), queue.pop()]).toEqual([second, third, first]);
  });

  test('entries that are removed out of turn do not pile up', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const first = entry();
    queue.push(first, 0);
    for (let index = 1; index <= 100_000; index++) {
      const passing = entry();
      queue.push(passing, index);
      queue.remove(passing);
    }
    expect(queue.length).toBe(1);
    expect(queue.slotCount).toBeLessThan(1_000);
    expect(queue.pop()).toBe(first);
  });
});
