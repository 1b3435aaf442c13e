import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// The pages lead a reader to files; those must be there, and the walk must not go in circles.

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  ...readdirSync(join(root, 'packages')).map((room) => `packages/${room}/README.md`),
  ...filesIn('docs'),
  ...filesIn('docs/adr'),
  ...filesIn('docs/compatibility'),
  ...filesIn('docs/reference'),
];

function filesIn(directory: string): string[] {
  return readdirSync(join(root, directory))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${directory}/${name}`);
}

const read = (page: string) => readFileSync(join(root, page), 'utf8');

describe('the walk of a commit to a request', () => {
  const walk = read('docs/architecture.md').split('## From a commit to a request')[1] ?? '';
  const stops = [...walk.matchAll(/^\d+\. \[`([^`]+)`\]\(\.\.\/([^)]+)\)/gm)];

  test('has its stops, in order, each under its own path', () => {
    expect(stops.length).toBeGreaterThan(25);
    expect(stops.map(([stop]) => Number.parseInt(stop, 10))).toEqual(stops.map((_, at) => at + 1));
    for (const [, shown, target] of stops) expect(target).toBe(shown);
  });

  test('visits none twice', () => {
    const paths = stops.map(([, path]) => path);
    expect(paths).toEqual([...new Set(paths)]);
  });
});

test('every decision is in the index', () => {
  const index = read('docs/adr/README.md');
  const decisions = readdirSync(join(root, 'docs/adr')).filter((name) => name !== 'README.md');
  expect(decisions.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

test.each(pages)('what %s links to is there', (page) => {
  const targets = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, to]) => to!);
  const own = targets.filter((to) => !/^[a-z]+:/.test(to));
  expect(own.filter((to) => !existsSync(join(root, dirname(page), to)))).toEqual([]);
});

// `packages/…`, `test/…` and the like in backquotes, as recipes and decisions name them; NAME and KIND are
// for the reader to fill in.
test.each(pages)('what %s names by its path is there', (page) => {
  const named = [
    ...read(page).matchAll(
      /`((?:packages|test|scripts|docs|bench|examples|deploy|conformance)\/[\w./-]+)`/g,
    ),
  ].map(([, path]) => path!);
  expect(named.filter((path) => !/NAME|KIND/.test(path) && !existsSync(join(root, path)))).toEqual(
    [],
  );
});
