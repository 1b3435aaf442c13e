import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');

// `private` is a promise of the compiler, `#` one of the language. A constructor knows only the former.
test('what is private is private at run time too', () => {
  const found = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^\w+\/src\/.*\.tsx?$/.test(path))
    .flatMap((path) =>
      readFileSync(join(packages, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /^\s+private (?!constructor\b)/.test(line)
            ? [`${path}:${index + 1}: ${line.trim()}`]
            : [],
        ),
    );
  expect(found).toEqual([]);
});
