import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The page of events names reasons that the code has: a renamed one would mislead whoever searches for it.

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/reference/events.md'), 'utf8');
const reasons = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Za-z]+)`/g)])
  .map(([, reason = '']) => reason);

const code = ['cli', 'gitops', 'ingress', 'runtime']
  .flatMap((room) => sourcesBelow(join(root, 'packages', room, 'src')))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

function sourcesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(directory, path));
}

test('there are reasons on the page', () => {
  expect(reasons.length).toBeGreaterThan(20);
});

test.each(reasons)('%s is in the code', (reason) => {
  expect(code.includes(`${reason}'`) || code.includes(`${reason}\``)).toBe(true);
});
