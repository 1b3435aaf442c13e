import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PreviewStores } from './preview-stores.ts';

const stores = new PreviewStores();
afterEach(() => stores.close());

test('each person has a directory, the same each time, that is gone at the end', () => {
  const ada = stores.directoryOf({ key: 'ada' });
  expect(stores.directoryOf({ key: 'ada' })).toBe(ada);
  expect(stores.directoryOf({ key: 'bob' })).not.toBe(ada);
  expect(ada).toMatch(/waygate-previews-\w+\/[0-9a-f]{32}$/);
  stores.close();
  expect(existsSync(dirname(ada))).toBe(false);
  const later = stores.directoryOf({ key: 'ada' });
  expect(existsSync(later)).toBe(true);
  expect(dirname(later)).not.toBe(dirname(ada));
});

test('of sixteen people, and whoever looked longest ago goes first', () => {
  const people = Array.from({ length: 16 }, (_, index) => stores.directoryOf({ key: `p${index}` }));
  for (const directory of people) writeFileSync(join(directory, 'file'), '');
  expect(people.every((directory) => existsSync(join(directory, 'file')))).toBe(true);
  stores.directoryOf({ key: 'p0' });
  stores.directoryOf({ key: 'new' });
  expect(people.map((directory) => existsSync(directory))).toEqual([
    true,
    false,
    ...new Array(14).fill(true),
  ]);
});
