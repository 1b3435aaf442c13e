import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitRepositoryKind } from '@waygate/gitops';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestRepository } from '../../packages/gitops/src/testing/git-repository.ts';
import { conditionOf, SourceCluster } from './source-cluster.ts';

// A disk for artifacts and for git's objects that is full at different moments: it is told, what was
// there is still served, and all is well once there is room.

const disk = mkdtempSync(join(tmpdir(), 'waygate-full-disk-'));
// Only root may mount one; without, there is nothing that can be filled.
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0;
const filler = join(disk, 'filler');
let repository: TestRepository;
let cluster: SourceCluster;

beforeAll(async () => {
  if (!mounted) return;
  repository = new TestRepository();
  cluster = await SourceCluster.start({ storageDirectory: disk, allowFileUrls: true });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  repository?.remove();
  if (mounted) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** Fills the disk but for so many bytes. */
function leave(bytes: number): void {
  rmSync(filler, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
}

test.skipIf(!mounted)('a full disk is told, the last artifact stays, and it heals', async () => {
  let commit = repository.commit({ 'a.yaml': 'a: 1', 'large.bin.txt': 'none' });
  await cluster.create(gitRepositoryKind, 'full', {
    url: repository.url,
    interval: '1h',
    ref: { branch: 'main' },
  });
  await cluster.untilStored(gitRepositoryKind, 'full', `main@sha1:${commit}`);
  let served = await cluster.filesOf(await cluster.get(gitRepositoryKind, 'full'));
  let refusals = 0;
  // What cannot be compressed is written twice: into a pack, and into an archive.
  for (const room of [0, 8_192, 120_000, 400_000, 700_000]) {
    const large = randomBytes(200_000).toString('hex');
    commit = repository.commit({ 'a.yaml': `a: ${room}`, 'large.bin.txt': large });
    leave(room);
    await cluster.request(gitRepositoryKind, 'full');
    const object = await cluster.get(gitRepositoryKind, 'full');
    if (conditionOf(object, 'Ready')?.status === 'True') {
      expect(object.status?.artifact?.revision).toBe(`main@sha1:${commit}`);
    } else {
      refusals++;
      expect(conditionOf(object, 'StorageOperationFailed')).toMatchObject({
        status: 'True',
        reason: 'ArchiveOperationFailed',
        message: expect.stringMatching(/no space left on device/i),
      });
      expect(await cluster.filesOf(object)).toEqual(served);
    }
    rmSync(filler, { force: true });
    await cluster.request(gitRepositoryKind, 'full');
    const healed = await cluster.untilStored(gitRepositoryKind, 'full', `main@sha1:${commit}`);
    served = await cluster.filesOf(healed);
    expect(served).toEqual({ 'a.yaml': `a: ${room}`, 'large.bin.txt': large });
  }
  expect(refusals).toBeGreaterThan(2);
});
