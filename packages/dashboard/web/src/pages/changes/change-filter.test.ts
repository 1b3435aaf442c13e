import { expect, test } from 'vitest';
import { shopChanges } from '../../../testing/shop-changes.ts';
import { byDay, filterChanges } from './change-filter.ts';

const now = Date.UTC(2026, 5, 15, 12);
const rows = shopChanges(now);

function found(typed: string, kind = ''): string[] {
  return filterChanges(rows, typed, kind).map(({ id }) => id);
}

test('newest first, whatever order they came in', () => {
  const ids = filterChanges(rows.toReversed(), '', '').map(({ at }) => at);
  expect(ids).toEqual(ids.toSorted((one, other) => other - one));
  expect(ids.length).toBe(rows.length);
});

test.each([
  ['ns:payments', ''],
  ['author:grace', ''],
  ['commit:8f2c41d', ''],
  ['object:shop/cart', ''],
  ['', 'drift'],
])('%s %s finds some and not all', (typed, kind) => {
  const ids = found(typed, kind);
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.length).toBeLessThan(rows.length);
});

test('all words together, in any field', () => {
  expect(found('author:grace ns:nowhere')).toEqual([]);
  expect(found('GRACE')).toEqual(found('author:grace'));
});

test('days', () => {
  const days = byDay(filterChanges(rows, '', ''), now);
  expect(days[0]?.title).toBe('Today');
  expect(days.flatMap((day) => day.rows).length).toBe(rows.length);
});
