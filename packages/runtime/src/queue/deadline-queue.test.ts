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
    // As many as may be dead at a time, and the living one.
    expect(queue.slotCount).toBeLessThanOrEqual(66);
    expect(queue.pop()).toBe(first);
  });

  test('a few different delays cost no heap, however they come', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const delays = [64, 1, 16, 2, 128, 4, 32, 8];
    const entries = Array.from({ length: 400 }, entry);
    for (const [now, one] of entries.entries()) queue.push(one, now + delays[(now * 3) % 8]!);
    expect(entries.filter(({ place }) => place >= 0)).toEqual([]);
    expect(queue.slotCount).toBe(400);
  });

  test('there are eight runs, and what fits none of them goes to the heap', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const entries = Array.from({ length: 10 }, entry);
    for (const [index, one] of entries.entries()) queue.push(one, 10 - index);
    expect(entries.map(({ place }) => place)).toEqual([-2, -3, -4, -5, -6, -7, -8, -9, 1, 0]);
    expect(queue.slotCount).toBe(10);
    // The run whose last is the nearest before takes what comes later.
    const later = entry();
    queue.push(later, 5);
    expect(later.place).toBe(-2 - (8 + 5));
    expect(queue.deadlineOf(later)).toBe(5);
  });

  test('what left is nowhere, and its slot goes with those before it', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const [first, second, third] = [entry(), entry(), entry()];
    for (const [at, one] of [first, second, third].entries()) queue.push(one, at);
    queue.remove(second);
    expect([queue.length, queue.slotCount, second.place]).toEqual([2, 3, -1]);
    expect(queue.pop()).toBe(first);
    expect([queue.length, queue.slotCount, first.place]).toEqual([1, 1, -1]);
    expect(queue.pop()).toBe(third);
    expect([queue.pop(), queue.length, queue.slotCount]).toEqual([undefined, 0, 0]);
  });

  test('a run that was emptied begins anew, with any deadline', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    for (let round = 0; round < 3; round++) {
      const entries = Array.from({ length: 100 }, entry);
      for (const [at, one] of entries.entries()) queue.push(one, 1_000 * (3 - round) + at);
      expect(entries.every(({ place }) => place < -1)).toBe(true);
      expect(entries.map(() => queue.pop())).toEqual(entries);
    }
  });

  test('those that are left after many were removed keep their deadlines', () => {
    const queue = new DeadlineQueue<DeadlineEntry>();
    const entries = Array.from({ length: 300 }, entry);
    for (const [at, one] of entries.entries()) queue.push(one, at);
    const left = entries.filter((_, at) => at % 5 === 0);
    for (const [at, one] of entries.entries()) if (at % 5 !== 0) queue.remove(one);
    expect(left.map((one) => queue.deadlineOf(one))).toEqual(left.map((_, at) => at * 5));
    // The last deadline was one that is gone: what comes earlier than it finds another run.
    const early = entry();
    queue.push(early, 297);
    expect([...left.map(() => queue.pop()), queue.pop()]).toEqual([...left, early]);
  });
});
