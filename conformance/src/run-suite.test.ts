import { expect, test } from 'vitest';
import type { CaseFiles } from './case-files.ts';
import { readJson } from './data-file.ts';
import { type Driver, fail, type Outcome, pass, skip } from './driver.ts';
import { toPage, toTable } from './report.ts';
import { runSuite } from './run-suite.ts';

const files: CaseFiles = {
  names: () => ['read.json', 'inner/list.json', 'inner/one.json', 'note.txt'],
  read: (name) => (name === 'inner/one.json' ? '{}' : '[1, 2]'),
};

function driverOf(outcomes: Record<string, () => Promise<Outcome>>): Driver {
  return {
    suite: 'made',
    async *cases(given) {
      readJson(given, 'read.json');
      for (const [id, run] of Object.entries(outcomes)) yield { id, feature: 'feature', run };
    },
  };
}

const outcomes = {
  good: async () => pass,
  bad: async () => fail('it is wrong'),
  listed: async () => fail('as known'),
  mended: async () => pass,
  throws: async (): Promise<Outcome> => Promise.reject(new Error('broken')),
  hangs: () => new Promise<Outcome>(() => {}),
  left: async () => skip('for another version'),
};

const options = {
  known: new Map([
    ['listed', 'a known gap'],
    ['mended', 'no longer'],
  ]),
  caseTimeoutMs: 20,
};

test('a case that throws or hangs fails, and so does what is not listed; nothing is hidden', async () => {
  const result = await runSuite(driverOf(outcomes), files, options);
  expect(result.unexpectedFailures.map(({ id }) => id)).toEqual(['bad', 'throws', 'hangs']);
  expect(result.unexpectedPasses).toEqual(['mended']);
  const unread = result.cases.filter(({ feature }) => feature === 'inner');
  expect(unread.map(({ id, outcome }) => [id, outcome.kind])).toEqual([
    ['inner/list/1', 'skip'],
    ['inner/list/2', 'skip'],
    ['inner/one', 'skip'],
  ]);
});

test('the page says why a case fails in the words that were written down for it', async () => {
  const result = await runSuite(driverOf(outcomes), files, options);
  const known = new Map([['made', new Map([['bad', 'the original is wrong there']])]]);
  expect(toPage([result], known)).toContain('- `bad`: the original is wrong there\n');
  expect(toPage([result], known)).not.toContain('- `throws`: the original');
});

test('percentages are of all cases, and never rounded up to all', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [
      `case ${index}`,
      async () => (index === 7 ? skip('for another version') : pass),
    ]),
  );
  const result = await runSuite(driverOf(many), { ...files, names: () => ['read.json'] }, options);
  expect(toTable([result])).toMatch(/\| made +\| +\| +2000 \| +1999 \| +0 \| +1 \| +99\.9 \|/);
  expect(toPage([result])).toContain('- 1 left out: for another version');
});
