import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-replace-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a file keeps its rights, a link stays a link, and nothing is left beside them', () => {
  const file = join(directory, 'kustomization.yaml');
  const link = join(directory, 'link.yaml');
  writeFileSync(file, 'old');
  chmodSync(file, 0o640);
  symlinkSync('kustomization.yaml', link);
  const before = statSync(file).ino;
  replaceFile(link, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(statSync(file).ino).not.toBe(before);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(directory).sort()).toEqual(['kustomization.yaml', 'link.yaml']);
});

test('a new file is made, and one that cannot be is told of', () => {
  replaceFile(join(directory, 'new'), 'text');
  expect(readFileSync(join(directory, 'new'), 'utf8')).toBe('text');
  expect(() => replaceFile(join(directory, 'no/such'), 'text')).toThrow('ENOENT');
});
