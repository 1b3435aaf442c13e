import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// npm writes into the lock file only what it could fetch where it ran: a package made for another
// system that the registry did not hold that day is left out without a word. `npm ci` refuses such a
// file, and on that other system the compiler or the linter is missing.

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));

test('the lock file holds what every other system needs', () => {
  const { packages }: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const held = new Set(Object.keys(packages).map((place) => place.split('node_modules/').at(-1)));
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !held.has(name))
      .map((name) => `${place} wants ${name}`),
  );
  expect(missing).toEqual([]);
});
