import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStateDirectory } from '@waygate/text';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSource, readDirectory } from './directory-files.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-directory-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('state is never source, whatever its name and however deep it is', async () => {
  writeFileSync(join(directory, 'service.yaml'), 'kind: Service\n');
  for (const place of ['.waygate', 'deep/down/state']) {
    mkdirSync(join(directory, place, 'api'), { recursive: true });
    makeStateDirectory(join(directory, place));
    writeFileSync(join(directory, place, 'admin.token'), 'secret');
    writeFileSync(join(directory, place, 'api', 'ca.key'), 'secret');
  }
  writeFileSync(join(directory, 'deep', 'ingress.yaml'), 'kind: Ingress\n');
  const files = await readDirectory(directory);
  expect(files.map(({ path }) => path)).toEqual(['deep/ingress.yaml', 'service.yaml']);
  expect(isSource(directory, '.waygate')).toBe(false);
  expect(isSource(directory, 'deep')).toBe(true);
});
