import { expect, test } from 'vitest';
import { EventHistory, type HistoryLimits } from './event-history.ts';
import { MemoryJournal } from './journal.ts';
import { Store } from './store.ts';

function storeWith(history: Partial<HistoryLimits>, now: () => number = Date.now): Store {
  return new Store({ journal: new MemoryJournal(), history, now });
}

async function write(store: Store, size: number): Promise<void> {
  await store.write({
    collection: 'c',
    key: 'a',
    expected: store.getHead('c', 'a'),
    object: { metadata: { name: 'a' }, data: { fill: 'x'.repeat(size) } },
  });
}

test('a large object that changes often takes no more than its share', async () => {
  const store = storeWith({ bytes: 1_000_000 });
  for (let index = 0; index < 300; index++) {
    await write(store, 50_000);
    expect(store.history.bytes).toBeLessThanOrEqual(1_300_000);
  }
  expect(store.history.compactedResourceVersion).toBeGreaterThan(270);
  expect(store.history.since('c', store.history.compactedResourceVersion).length).toBeGreaterThan(
    15,
  );
});

test('one object larger than the limit is still told to watches', async () => {
  const store = storeWith({ bytes: 10_000 });
  await write(store, 50_000);
  await write(store, 50_000);
  expect(store.history.since('c', 1)).toHaveLength(1);
});

test('what is older than the limit goes, with all that is counted of it', async () => {
  let now = 0;
  const store = storeWith({ ageMs: 1000 }, () => now);
  for (let index = 0; index < 100; index++) {
    now += 100;
    await write(store, 10);
  }
  const { history } = store;
  expect(history.compactedResourceVersion).toBeGreaterThanOrEqual(86);
  expect(history.compactedResourceVersion).toBeLessThanOrEqual(90);
  history.compact(store.resourceVersion);
  expect(history.bytes).toBe(0);
});

test('the number of events is bounded', async () => {
  const store = storeWith({ events: 20 });
  for (let index = 0; index < 100; index++) await write(store, 10);
  const kept = store.history.since('c', store.history.compactedResourceVersion);
  expect(kept.length).toBeGreaterThanOrEqual(20);
  expect(kept.length).toBeLessThanOrEqual(25);
});

test('a history that is restored keeps to the limits too', () => {
  const history = new EventHistory({ events: 10 });
  const records = Array.from({ length: 50 }, (_, index) => ({
    resourceVersion: index + 1,
    collection: 'c',
    namespace: '',
    name: 'a',
    type: index === 0 ? ('ADDED' as const) : ('MODIFIED' as const),
    tail: Buffer.from('"metadata":{}}'),
  }));
  history.restore(records, 0);
  expect(history.compactedResourceVersion).toBe(40);
  expect(history.since('c', 40)).toHaveLength(10);
});
