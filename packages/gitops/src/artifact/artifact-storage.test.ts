import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArtifactStorage } from './artifact-storage.ts';

let directory: string;
let nowMs: number;
let storage: ArtifactStorage;
const owner = { kind: 'Bucket', namespace: 'default', name: 'things' };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-storage-'));
  nowMs = Date.UTC(2026, 0, 1);
  storage = new ArtifactStorage({ directory, now: () => nowMs });
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const names = () => readdirSync(join(directory, 'bucket/default/things')).sort();

async function publish(file: string) {
  const artifact = await storage.publishBytes({ ...owner, file }, file, Buffer.from(file));
  const seconds = nowMs / 1000;
  utimesSync(storage.onDisk(artifact.path), seconds, seconds);
  return artifact;
}

describe('what was replaced', () => {
  test('is kept for a while after it was, however old it is', async () => {
    await publish('one');
    nowMs += 3_600_000;
    const two = await publish('two');
    nowMs += 1000;
    expect(await storage.collectGarbage(owner, two.path)).toBe(0);
    expect(names()).toEqual(['one.tar.gz', 'two.tar.gz']);
    nowMs += 60_000;
    expect(await storage.collectGarbage(owner, two.path)).toBe(1);
    expect(names()).toEqual(['two.tar.gz']);
  });

  test('is not kept beyond the number of records', async () => {
    for (const file of ['one', 'two', 'three']) {
      await publish(file);
      nowMs += 1000;
    }
    const four = await publish('four');
    await storage.link(four);
    expect(await storage.collectGarbage(owner, four.path)).toBe(2);
    expect(names()).toEqual(['four.tar.gz', 'latest.tar.gz', 'three.tar.gz']);
  });

  test('never includes what is current, even if it is the oldest', async () => {
    const one = await publish('one');
    nowMs += 600_000;
    await publish('two');
    nowMs += 600_000;
    await storage.collectGarbage(owner, one.path);
    expect(names()).toContain('one.tar.gz');
  });
});

test('what a crash left behind goes when it is old', async () => {
  const one = await publish('one');
  const left = join(directory, 'bucket/default/things/left.tmp');
  writeFileSync(left, '');
  utimesSync(left, nowMs / 1000, nowMs / 1000);
  await storage.collectGarbage(owner, one.path);
  expect(names()).toContain('left.tmp');
  nowMs += 3_700_000;
  expect(await storage.collectGarbage(owner, one.path)).toBe(0);
  expect(names()).toEqual(['one.tar.gz']);
});

test('a file is there whole or not at all', async () => {
  const failing = (async function* () {
    yield { path: 'a', isExecutable: false, content: Buffer.from('a') };
    throw new Error('the source went away');
  })();
  const name = { ...owner, file: 'x' };
  const expected = [{ path: 'a', size: 1 }];
  await expect(storage.publish(name, 'r', failing, { expected })).rejects.toThrow('went away');
  expect(names()).toEqual([]);
});

test.each([
  ['one is missing', [{ path: 'a', size: 1 }]],
  [
    'one is too many',
    [
      { path: 'a', size: 1 },
      { path: 'b', size: 1 },
      { path: 'c', size: 1 },
    ],
  ],
  [
    'one is shorter',
    [
      { path: 'a', size: 1 },
      { path: 'b', size: 0 },
    ],
  ],
])('is not there when of the files that the source has, %s', async (_what, read) => {
  const files = read.map(({ path, size }) => ({
    path,
    isExecutable: false,
    content: Buffer.alloc(size),
  }));
  const expected = ['a', 'b'].map((path) => ({ path, size: 1 }));
  await expect(
    storage.publish({ ...owner, file: 'x' }, 'r', files, { expected }),
  ).rejects.toMatchObject({ code: 'WG_GITOPS_ARCHIVE' });
  expect(names()).toEqual([]);
});

test('the name may come from what was read', async () => {
  let count = 0;
  const files = (async function* () {
    for (const path of ['a', 'b']) {
      count++;
      yield { path, isExecutable: false, content: Buffer.from(path) };
    }
  })();
  const artifact = await storage.publishAs(owner, files, () => ({
    file: `n${count}`,
    revision: `r${count}`,
    expected: ['a', 'b'].map((path) => ({ path, size: 1 })),
  }));
  expect(artifact).toMatchObject({ path: 'bucket/default/things/n2.tar.gz', revision: 'r2' });
  expect(await storage.verify(artifact)).toBe('ok');
});

test('bytes that are not those that were stored are found', async () => {
  const one = await publish('one');
  expect(await storage.verify(one)).toBe('ok');
  writeFileSync(storage.onDisk(one.path), 'other');
  expect(await storage.verify(one)).toBe('mismatch');
  rmSync(storage.onDisk(one.path));
  expect(await storage.verify(one)).toBe('missing');
});

test.each(['..', 'a/b', 'a\\b', 'a\0'])('%j is no part of a name', (part) => {
  expect(() => storage.pathOf({ ...owner, file: 'x', name: part })).toThrow('cannot name');
});

test('all of a source goes at once', async () => {
  expect(await storage.remove(owner)).toBe(false);
  await storage.link(await publish('one'));
  mkdirSync(join(directory, 'bucket/default/other'), { recursive: true });
  expect(await storage.remove(owner)).toBe(true);
  expect(readdirSync(join(directory, 'bucket/default'))).toEqual(['other']);
});

test.each(['sha256', 'sha384', 'sha512'] as const)(
  'digests are made with %s, and checked by it',
  async (digestAlgorithm) => {
    const chosen = new ArtifactStorage({ directory, digestAlgorithm });
    const bytes = Buffer.from('some bytes');
    const artifact = await chosen.publishBytes({ ...owner, file: 'x' }, 'x', bytes);
    const hash = createHash(digestAlgorithm).update(bytes).digest('hex');
    expect(artifact.digest).toBe(`${digestAlgorithm}:${hash}`);
    expect(await storage.verify(artifact)).toBe('ok');
    writeFileSync(storage.onDisk(artifact.path), 'other bytes');
    expect(await storage.verify(artifact)).toBe('mismatch');
  },
);
