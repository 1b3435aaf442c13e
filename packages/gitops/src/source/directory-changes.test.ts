import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDirectory } from './directory-files.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-directory-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** All files of one version, at once as far as this process can see. */
function write(version: string, count: number): void {
  for (let index = 0; index < 6; index++) {
    const path = join(directory, `d${index % 2}`, `f${index}`);
    mkdirSync(join(directory, `d${index % 2}`), { recursive: true });
    if (index < count) writeFileSync(path, version);
    else rmSync(path, { force: true });
  }
}

test('a directory that changes while it is read is read as it was at one moment, or not at all', async () => {
  let version = 0;
  let isDone = false;
  let state = 7;
  // Bursts of changes with rests in between, whose lengths only the seed decides.
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const change = () => {
    if (isDone) return;
    version++;
    write(`v${version % 10}`, version % 3 === 0 ? 2 : 6);
    setTimeout(change, random() < 0.8 ? random() * 4 : 150);
  };
  change();
  let whole = 0;
  try {
    for (let count = 0; count < 40; count++) {
      try {
        const files = await readDirectory(directory);
        const versions = new Set(files.map(({ content }) => Buffer.from(content).toString()));
        expect([...versions]).toHaveLength(1);
        expect([2, 6]).toContain(files.length);
        whole++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'WG_GITOPS_ARCHIVE' });
      }
    }
  } finally {
    isDone = true;
  }
  expect(whole).toBeGreaterThan(0);
});

test('what is larger than it may be is refused', async () => {
  write('x'.repeat(100), 6);
  await expect(readDirectory(directory, 500)).rejects.toThrow('is larger than 500 bytes');
  expect(await readDirectory(directory, 600)).toHaveLength(6);
});
