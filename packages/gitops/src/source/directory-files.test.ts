import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStateDirectory } from '@waygate/text';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryReader, isSource, readDirectory } from './directory-files.ts';

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

test('of a thousand files only those are read again that changed', async () => {
  for (let index = 0; index < 1_000; index += 1)
    writeFileSync(join(directory, `${index}.txt`), `${index}\n`);
  const reader = new DirectoryReader(directory);
  const contents = async () =>
    new Map((await reader.read()).map(({ path, content }) => [path, content.toString()]));
  // What was written just now is not believed at once.
  await expect
    .poll(async () => {
      const before = reader.readCount;
      await reader.read();
      return reader.readCount - before;
    })
    .toBe(0);
  const before = reader.readCount;
  writeFileSync(join(directory, '7.txt'), 'another\n');
  rmSync(join(directory, '8.txt'));
  const changed = await contents();
  expect(changed.get('7.txt')).toBe('another\n');
  expect(changed.get('9.txt')).toBe('9\n');
  expect(changed.size).toBe(999);
  expect(reader.readCount - before).toBeLessThan(10);
  // The same length, at the same moment, and in the place of the other.
  writeFileSync(join(directory, '7.txt'), 'ANOTHER\n');
  expect((await contents()).get('7.txt')).toBe('ANOTHER\n');
});

test('of many files that changed just now all but the last few are read once', async () => {
  for (let index = 0; index < 200; index += 1)
    writeFileSync(join(directory, `${index}.txt`), `${index}\n`);
  const reader = new DirectoryReader(directory);
  expect(await reader.read()).toHaveLength(200);
  // On a slow machine only the last of them changed just now; a few are sooner read twice than waited for.
  expect(reader.readCount).toBeLessThanOrEqual(250);
});

test('what is left out is decided anew when an ignore file says something else', async () => {
  const reader = new DirectoryReader(directory);
  const paths = async () => (await reader.read()).map(({ path }) => path);
  writeFileSync(join(directory, 'a.md'), '');
  writeFileSync(join(directory, 'b.jpg'), '');
  expect(await paths()).toEqual(['a.md']);
  writeFileSync(join(directory, '.sourceignore'), '*.md\n');
  expect(await paths()).toEqual(['.sourceignore', 'b.jpg']);
  rmSync(join(directory, '.sourceignore'));
  expect(await paths()).toEqual(['a.md']);
});
