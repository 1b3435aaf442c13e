import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Pages that are made from the code say what the code says: `npm run docs` makes them anew.

const root = dirname(dirname(fileURLToPath(import.meta.url)));

test('the generated pages are not stale', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/docs.mjs'), '--check'],
    {
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
