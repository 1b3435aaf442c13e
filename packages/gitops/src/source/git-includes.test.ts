import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GitRepository } from '../api/source-objects.ts';
import { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { includedFiles } from './git-includes.ts';

let directory: string;
let storage: ArtifactStorage;
const signal = new AbortController().signal;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-includes-'));
  storage = new ArtifactStorage({ directory });
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const repository = (name: string): GitRepository => ({
  metadata: { name, namespace: 'n' },
  spec: {
    url: 'https://example.com/x.git',
    interval: '1h',
    include: [{ repository: { name: 'lib' } }],
  },
});

test('files of another repository are taken whole, and never passed over', async () => {
  const lib = repository('lib');
  const artifact = await storage.publish(
    { kind: 'GitRepository', namespace: 'n', name: 'lib', file: 'x' },
    'main@sha1:x',
    [{ path: 'a.yaml', isExecutable: false, content: Buffer.from('a') }],
    { expected: [{ path: 'a.yaml', size: 1 }] },
  );
  const include = (found: GitRepository | undefined) =>
    includedFiles(repository('user'), () => found, new ArtifactFetcher({ storage }), signal);
  const { files } = await include({ ...lib, status: { artifact } });
  expect(files.map(({ path }) => path)).toEqual(['lib/a.yaml']);
  // It was there when the pass began, and is gone by now.
  for (const found of [undefined, lib]) {
    await expect(include(found)).rejects.toMatchObject({
      condition: 'IncludeUnavailable',
      retry: 'dependency',
    });
  }
  rmSync(storage.onDisk(artifact.path));
  await expect(include({ ...lib, status: { artifact } })).rejects.toThrow('artifact not found');
});
