import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followFile } from './follow-file.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-follow-'));
  file = join(directory, 'rules');
  writeFileSync(file, 'one');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a file is followed through saves, renames and its absence, until the end', async () => {
  const stop = new AbortController();
  const { text, changes } = await followFile(file, stop.signal);
  expect(text).toBe('one');
  const each = changes[Symbol.asyncIterator]();
  // What was changed before anybody watched is seen, too.
  writeFileSync(file, 'two');
  expect((await each.next()).value).toBe('two');
  let next = each.next();
  writeFileSync(file, 'three');
  expect((await next).value).toBe('three');
  next = each.next();
  rmSync(file);
  writeFileSync(join(directory, 'other'), 'four');
  renameSync(join(directory, 'other'), file);
  expect((await next).value).toBe('four');
  next = each.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('nothing is followed when it is over already, or not there', async () => {
  const { changes } = await followFile(file, AbortSignal.abort());
  const all: string[] = [];
  for await (const each of changes) all.push(each);
  expect(all).toEqual([]);
  await expect(followFile(join(directory, 'gone'), AbortSignal.abort())).rejects.toThrow('ENOENT');
});
