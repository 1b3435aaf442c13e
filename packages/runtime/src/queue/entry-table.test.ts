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
});
