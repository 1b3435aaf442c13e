import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryLock } from './directory-lock.ts';
import type { StorageError } from './storage-error.ts';
import { isStateDirectory, makeStateDirectory } from './whole-file.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-lock-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('of many that want it at the same moment one has it, round after round', async () => {
  for (let round = 0; round < 40; round++) {
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => DirectoryLock.acquire(directory)),
    );
    const held = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(held).toHaveLength(1);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected')
        expect((attempt.reason as StorageError).code).toBe('WG_STORAGE_LOCKED');
    }
    await held[0]?.value.release();
  }
  expect(readdirSync(join(directory, 'lock')).length).toBeLessThan(4);
});

test('the one that has it is named, and no other port is advised', async () => {
  const lock = await DirectoryLock.acquire(directory);
  const error = await DirectoryLock.acquire(directory).catch((reason: StorageError) => reason);
  const { message, hint } = error as StorageError;
  expect(message).toContain(directory);
  expect(message).toContain(`process ${process.pid} (`);
  expect(message).toMatch(/since \d{4}-\d\d-\d\dT/);
  expect(`${message} ${hint}`).not.toMatch(/port/i);
  await lock.release();
  await (await DirectoryLock.acquire(directory)).release();
});

test('another way to the same directory leads to the same lock', async () => {
  const real = join(directory, 'real');
  mkdirSync(real);
  symlinkSync(real, join(directory, 'link'));
  const lock = await DirectoryLock.acquire(real);
  await expect(DirectoryLock.acquire(join(directory, 'link'))).rejects.toMatchObject({
    code: 'WG_STORAGE_LOCKED',
  });
  await lock.release();
});

test('a path that is too long for a socket is locked all the same', async () => {
  const deep = join(directory, 'd'.repeat(120), 'e'.repeat(120));
  mkdirSync(deep, { recursive: true });
  const lock = await DirectoryLock.acquire(deep);
  await expect(DirectoryLock.acquire(deep)).rejects.toMatchObject({ code: 'WG_STORAGE_LOCKED' });
  await lock.release();
  await (await DirectoryLock.acquire(deep)).release();
});

test('a state directory is closed to others, ignored by git, and known as one', () => {
  const state = join(directory, 'state');
  mkdirSync(state, { mode: 0o755 });
  makeStateDirectory(state);
  makeStateDirectory(state);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  expect(existsSync(join(state, '.gitignore'))).toBe(true);
  expect(isStateDirectory(state)).toBe(true);
  expect(isStateDirectory(directory)).toBe(false);
});

test('a directory with files of somebody else stays as it is', () => {
  mkdirSync(join(directory, 'src'));
  const { mode } = statSync(directory);
  makeStateDirectory(directory);
  expect(statSync(directory).mode).toBe(mode);
  expect(existsSync(join(directory, '.gitignore'))).toBe(false);
});
