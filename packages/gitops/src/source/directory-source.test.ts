import { mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { GitOpsControllers } from '../gitops-controllers.ts';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { configMap } from '../testing/controllers.ts';
import { DirectorySource } from './directory-source.ts';

let cluster: TestCluster;
let home: string;
let directory: string;
const stopping = new AbortController();
const running: Promise<unknown>[] = [];

beforeEach(async () => {
  cluster = await startTestCluster(await startTestServer());
  home = mkdtempSync(join(tmpdir(), 'waygate-storage-'));
  directory = mkdtempSync(join(tmpdir(), 'waygate-files-'));
});

afterEach(async () => {
  stopping.abort();
  await Promise.allSettled(running);
  await cluster[Symbol.asyncDispose]();
  for (const each of [home, directory]) rmSync(each, { recursive: true, force: true });
});

test('what somebody is still writing is not offered by halves', async () => {
  const { client } = cluster;
  const controllers = new GitOpsControllers({
    client,
    storageDirectory: home,
    controllers: ['source'],
    onError: () => undefined,
  });
  running.push(controllers.run(stopping.signal));
  await controllers.ready;
  const { storage } = controllers;
  let offers = 0;
  let isWriting = false;
  // While the first file of a save is packed, the second is written.
  const slow = {
    async publishWhole(...args: Parameters<ArtifactStorage['publishWhole']>) {
      if (isWriting) {
        isWriting = false;
        const seen = noticed('b.yaml');
        writeFileSync(join(directory, 'b.yaml'), configMap('b', 'two'));
        await seen;
      }
      return storage.publishWhole(...args);
    },
    collectGarbage(...args: Parameters<ArtifactStorage['collectGarbage']>) {
      offers += 1;
      return storage.collectGarbage(...args);
    },
  } as ArtifactStorage;
  writeFileSync(join(directory, 'a.yaml'), configMap('a', 'one'));
  const place = { name: 'src', namespace: 'default' };
  const source = new DirectorySource({ client, storage: slow, directory, ...place });
  running.push(source.run(stopping.signal));
  await expect.poll(() => offers).toBe(1);

  isWriting = true;
  writeFileSync(join(directory, 'a.yaml'), configMap('a', 'two'));
  await expect.poll(() => offers).toBe(2);
  // Nothing has come since: the second was of both files.
  expect(await source.publish(stopping.signal)).toBe(false);
});

/** Resolves when a watch has told of a file; those of one directory are told together. */
function noticed(file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(directory, (_event, name) => {
      if (name !== file) return;
      watcher.close();
      setImmediate(resolve);
    });
  });
}
