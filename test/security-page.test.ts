import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// docs/security.md promises nothing without the test that holds it; so the tests it names must be there.

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');
const named = [...new Set(page.match(/[\w./-]+\.test\.ts/g))];
const tests = ['packages', 'test', 'conformance'].flatMap(testsBelow);

function testsBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : testsBelow(path);
    return entry.name.endsWith('.test.ts') ? [`/${path}`] : [];
  });
}

test('the page names tests', () => {
  expect(named.length).toBeGreaterThan(10);
});

test.each(named)('%s is there', (name) => {
  // A section may name the folder of its tests once, and the tests after it shortly.
  expect(tests.filter((path) => path.endsWith(`/${name}`))).not.toEqual([]);
});
