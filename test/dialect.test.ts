import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');

/** Lines of the rooms' files that a rule does not allow. */
function linesWith(rule: RegExp, files: RegExp): string[] {
  return readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => files.test(path))
    .flatMap((path) =>
      readFileSync(join(packages, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          rule.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
}

// `private` is a promise of the compiler, `#` one of the language. A constructor knows only the former.
test('what is private is private at run time too', () => {
  expect(linesWith(/^\s+private (?!constructor\b)/, /^\w+\/src\/.*\.tsx?$/)).toEqual([]);
});

// On a busy machine the clock goes on while the code does not: what costs little says so in CPU time.
test('no test ends sooner than a clock says', () => {
  const rule = /expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess/;
  expect(linesWith(rule, /^\w+\/(?:src|web)\/.*\.test\.ts$/)).toEqual([]);
});
