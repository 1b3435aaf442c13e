import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const scripts = join(import.meta.dirname, '../scripts');

test.each(['build', 'docs', 'house', 'mutants', 'pack', 'screenshots'])(
  'npm run %s tells of a wrong flag in a sentence, and how it is used',
  (name) => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [join(scripts, `${name}.mjs`), '--nosuch'],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^Unknown option '--nosuch'\n\nusage: npm run ${name}[^]*\n$`),
    );
  },
);
