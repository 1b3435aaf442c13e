import { expect, test } from 'vitest';
import type { Session } from '../../../src/protocol/pages.ts';
import { offeredPages } from './page-list.ts';

const always = ['f /flow', 'r /routes', 't /trace', 'c /changes', 'v /preview', 'p /problems'];

test.each<[string, Partial<Session> | undefined, readonly string[]]>([
  ['nobody', undefined, always],
  ['somebody with nothing to migrate', {}, always],
  ['somebody with no migration', { hasMigration: false }, always],
  ['somebody with a migration', { hasMigration: true }, [...always, 'm /migration']],
])('pages for %s', (_name, session, pages) => {
  const offered = offeredPages(session as Session | undefined);
  expect(offered.map(({ letter, path }) => `${letter} ${path}`)).toEqual(pages);
});
