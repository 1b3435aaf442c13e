import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventRecorder, SharedInformer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { FileTree } from '../artifact/file-tree.ts';
import { KustomizationPass } from './kustomization-pass.ts';
import { lookAgain, losesMost } from './second-look.ts';
import { Sources } from './source-lookup.ts';

let directory: string;
let storage: ArtifactStorage;
let fetcher: ArtifactFetcher;
let artifact: Artifact;
let files: FileTree;
/** What the source offers by now. */
let offered: Artifact | undefined;
const signal = new AbortController().signal;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-second-look-'));
  storage = new ArtifactStorage({ directory });
  fetcher = new ArtifactFetcher({ storage });
  artifact = await storage.publish(
    { kind: 'GitRepository', namespace: 'n', name: 's', file: 'x' },
    'main@sha1:x',
    [{ path: 'a.yaml', isExecutable: false, content: Buffer.from('a') }],
    { expected: [{ path: 'a.yaml', size: 1 }] },
  );
  files = await fetcher.fetch(artifact);
  offered = artifact;
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function look(used = files): Promise<void> {
  const object = {
    metadata: { name: 'app', namespace: 'n' },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 's' } },
  } as Kustomization;
  const source = { metadata: { name: 's', namespace: 'n' }, status: { artifact: offered } };
  const informer = { indexer: { getByKey: () => source } };
  const sources = new Sources(
    new Map([['GitRepository', informer as unknown as SharedInformer<KubeObject>]]),
  );
  const pass = new KustomizationPass(object, {} as EventRecorder, () => 0);
  return lookAgain(pass, { artifact, files: used }, { sources, fetcher }, signal);
}

test.each([
  [0, 0, false],
  [1, 1, true],
  [1, 2, false],
  [2, 3, true],
  [5, 10, false],
  [6, 10, true],
])('%i of %i is most: %s', (stale, all, expected) => {
  expect(losesMost(stale, all)).toBe(expected);
});

test('what is as it was lets things be deleted', async () => {
  await expect(look()).resolves.toBeUndefined();
});

test('what is no longer on the disk, or no longer the same, deletes nothing', async () => {
  writeFileSync(storage.onDisk(artifact.path), 'spoilt');
  await expect(look()).rejects.toMatchObject({
    reason: 'ArtifactFailed',
    message: expect.stringMatching(/^nothing is pruned: .* it cannot be verified: .*digest/),
  });
  // Nor is what was kept of it used again.
  await expect(fetcher.fetch(artifact)).rejects.toMatchObject({ code: 'WG_GITOPS_DIGEST' });
  rmSync(storage.onDisk(artifact.path));
  await expect(look()).rejects.toThrow('artifact not found');
});

test('what was built from other files than the artifact has deletes nothing', async () => {
  await expect(look(FileTree.of([]))).rejects.toThrow('it has other files than before');
  const other = FileTree.of([{ path: 'a.yaml', content: Buffer.from('b') }]);
  await expect(look(other)).rejects.toThrow('it has other files than before');
});

test('an artifact that its source no longer offers deletes nothing', async () => {
  offered = { ...artifact, digest: 'sha256:0' };
  await expect(look()).rejects.toThrow('its source no longer offers it');
  offered = undefined;
  await expect(look()).rejects.toThrow('its source no longer offers it');
});

test('an artifact that promises files that it does not have deletes nothing', async () => {
  artifact = { ...artifact, metadata: { 'waygate.dev/file-list': '2 sha256:0' } };
  offered = artifact;
  await expect(look()).rejects.toThrow('promises the files 2 sha256:0 and has 1 sha256:');
});
