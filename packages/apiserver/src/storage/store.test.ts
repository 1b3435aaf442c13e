import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoreEvent } from './event-history.ts';
import { MemoryJournal } from './journal.ts';
import { Store, StoreConflict } from './store.ts';

const object = (name: string, value: string) => ({
  metadata: { name, namespace: 'n' },
  data: { value },
});

test('a write on an old version loses', async () => {
  const store = new Store({ journal: new MemoryJournal() });
  const first = await store.write({
    collection: 'c',
    key: 'n/a',
    expected: undefined,
    object: object('a', '1'),
  });
  await store.write({ collection: 'c', key: 'n/a', expected: first, object: object('a', '2') });
  await expect(
    store.write({ collection: 'c', key: 'n/a', expected: first, object: object('a', '3') }),
  ).rejects.toBeInstanceOf(StoreConflict);
});

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  action: fc.constantFrom('put', 'delete'),
  value: fc.string({ maxLength: 4 }),
});

test('every past version within the history can be read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const store = new Store({ journal: new MemoryJournal() });
      const model = new Map<string, string>();
      const states = new Map<number, string>([[0, '[]']]);
      const events: StoreEvent[] = [];
      store.subscribe('c', (event) => events.push(event));
      for (const { name, action, value } of steps) {
        const key = `n/${name}`;
        const current = store.getHead('c', key);
        if (action === 'delete' && current === undefined) continue;
        await store.write({
          collection: 'c',
          key,
          expected: current,
          object: action === 'delete' ? undefined : object(name, value),
        });
        if (action === 'delete') model.delete(name);
        else model.set(name, value);
        states.set(store.resourceVersion, JSON.stringify([...model].sort()));
      }
      for (const [version, state] of states) {
        const entries =
          store.history.snapshot('c', store.collection('c'), version)?.toArray() ?? [];
        const seen = entries.map((entry) => [
          entry.name,
          (entry.object.data as { value: string }).value,
        ]);
        expect(JSON.stringify(seen.sort())).toBe(state);
      }
      const versions = events.map((event) => event.resourceVersion);
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions).size).toBe(versions.length);
    }),
    { numRuns: 60 },
  );
});
