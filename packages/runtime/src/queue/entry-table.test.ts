import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryTable, type TableEntry } from './entry-table.ts';

interface Entry extends TableEntry<number> {
  /** Of one use: it must be found again for as long as the entry is in use. */
  mark: number;
}

const newTable = () => new EntryTable<number, Entry>((item) => ({ item, state: 0, mark: -1 }));

/** What the table may hold beside the entries in use. */
const mostIdle = (usedCount: number) => Math.max(usedCount * 15, usedCount + 1_024) + 1;

describe('EntryTable', () => {
  test('keeps what is in use, whatever it drops of the rest', () => {
    const command = fc.record({
      op: fc.constantFrom('take', 'take', 'release', 'releaseAll', 'takeMany'),
      item: fc.nat(5_000),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const table = newTable();
        const used = new Map<number, number>();
        const take = (item: number, mark: number) => {
          const entry = table.take(item);
          expect(entry.state).toBe(used.has(item) ? 1 : 0);
          entry.state = 1;
          entry.mark = mark;
          used.set(item, mark);
        };
        const release = (item: number) => {
          const entry = table.find(item)!;
          expect(entry.mark).toBe(used.get(item));
          entry.state = 0;
          used.delete(item);
          table.release(entry);
        };
        for (const [mark, { op, item }] of commands.entries()) {
          if (op === 'take') take(item, mark);
          else if (op === 'takeMany') for (let i = 0; i < 700; i++) take(item * 1_000 + i, mark);
          else if (op === 'release') {
            if (used.has(item)) release(item);
          } else for (const one of [...used.keys()]) release(one);
          expect(table.size).toBeGreaterThanOrEqual(used.size);
          expect(table.size - used.size).toBeLessThanOrEqual(mostIdle(used.size));
        }
        for (const [item, mark] of used) expect(table.find(item)?.mark).toBe(mark);
      }),
      { numRuns: 60 },
    );
  });

  test('new items take the places of idle ones', () => {
    const table = newTable();
    table.take(-1).state = 1;
    for (let item = 0; item < 200_000; item++) {
      const entry = table.take(item);
      entry.state = 1;
      entry.state = 0;
      table.release(entry);
    }
    expect(table.find(-1)?.state).toBe(1);
    expect(table.size).toBeLessThanOrEqual(1_100);
  });

  test('an item that comes back soon finds its entry', () => {
    const table = newTable();
    const entry = table.take(7);
    entry.state = 1;
    entry.state = 0;
    table.release(entry);
    expect(table.take(7)).toBe(entry);
  });

  test('an item that is an object is let go of', () => {
    const table = new EntryTable<object, TableEntry<object>>((item) => ({ item, state: 0 }));
    const item = {};
    const entry = table.take(item);
    table.expect(entry);
    table.release(entry);
    expect(table.size).toBe(0);
    expect(table.find(item)).toBeUndefined();
  });

  /** A table with so many items in use, from 0 on, and after those so many idle ones. */
  const filled = (usedCount: number, idleCount: number) => {
    const table = newTable();
    const items = Array.from({ length: usedCount + idleCount }, (_, item) => item);
    for (const item of items) table.take(item).state = 1;
    for (const item of items.slice(usedCount)) {
      const entry = table.find(item)!;
      entry.state = 0;
      table.release(entry);
    }
    return table;
  };

  test.each([
    ['more than half are idle', 2_000, 2_001, 4_001],
    ['half are idle', 2_000, 2_000, 4_001],
    ['few are idle', 0, 1_024, 1_025],
    ['more are idle than are allowed for', 500, 1_025, 1_525],
  ])('an item that is new when %s', (_, usedCount, idleCount, size) => {
    const table = filled(usedCount, idleCount);
    expect(table.size).toBe(usedCount + idleCount);
    table.take(-1).state = 1;
    expect(table.size).toBe(size);
    for (let item = 0; item < usedCount; item++) expect(table.find(item)?.state).toBe(1);
  });

  test('the oldest idle ones go first, round and round, and none that is expected is kept', () => {
    const table = filled(1_100, 1_200);
    table.expect(table.find(1_100));
    const isLeft = (item: number) => table.find(item) !== undefined;
    table.take(10_000).state = 1;
    expect([isLeft(1_100), isLeft(1_101)]).toEqual([false, true]);
    // An old one that went idle since has been passed: it waits for the next round.
    const passed = table.find(5)!;
    passed.state = 0;
    table.release(passed);
    table.take(10_001).state = 1;
    expect([isLeft(5), isLeft(1_101), isLeft(1_102)]).toEqual([true, false, true]);
    for (let item = 10_002; table.size < 2_305 && item < 12_000; item++) table.take(item).state = 1;
    for (let item = 0; item < 1_100; item++) if (item !== 5) expect(isLeft(item)).toBe(true);
  });

  test('when nearly all are idle they go together', () => {
    const table = filled(100, 1_500);
    expect(table.size).toBe(1_600);
    const last = table.find(99)!;
    table.expect(last);
    last.state = 0;
    table.release(last);
    expect(table.size).toBe(99);
    expect(table.find(99)).toBeUndefined();
    expect(table.find(98)?.state).toBe(1);
  });
});
