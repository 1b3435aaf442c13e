import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@waygate/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bucket } from '../api/source-objects.ts';
import { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { bucketRevision } from './bucket-revision.ts';
import { BucketWorker } from './bucket-worker.ts';
import { SourcePass } from './source-pass.ts';
import type { SourceSecrets } from './source-secrets.ts';

// A bucket that does as it likes: what no decent server would show.

let server: Server;
let directory: string;
let objects: { key: string; etag: string; size?: number; gives?: string; givesEtag?: string }[];
let storage: ArtifactStorage;
const signal = new AbortController().signal;
const limits = { maxObjects: 10, maxObjectBytes: 100, maxBytes: 150 };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-bucket-'));
  storage = new ArtifactStorage({ directory });
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    if (url.searchParams.has('list-type')) {
      const shown = objects.map(
        ({ key, etag, size = 1 }) =>
          `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${etag}</ETag><Size>${size}</Size></Contents>`,
      );
      const all = `${shown.join('')}<EncodingType>url</EncodingType>`;
      response.end(`<ListBucketResult>${all}</ListBucketResult>`);
      return;
    }
    const key = decodeURIComponent(url.pathname).slice('/things/'.length);
    const found = objects.find((one) => one.key === key);
    if (found?.gives === undefined) response.writeHead(404).end();
    else response.setHeader('etag', found.givesEtag ?? found.etag).end(found.gives);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

async function update() {
  const { port } = server.address() as AddressInfo;
  const object: Bucket = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'Bucket',
    metadata: { name: 'b', namespace: 'default', generation: 1 },
    spec: { bucketName: 'things', endpoint: `127.0.0.1:${port}`, insecure: true, interval: '1h' },
  };
  const secrets = { read: async () => undefined } as unknown as SourceSecrets;
  const worker = new BucketWorker({ secrets, storage, clock: systemClock, limits });
  const pass = new SourcePass(object, () => 0);
  await worker.update(object, pass, signal);
  return pass.status.artifact!;
}

async function filesIn(artifact: Awaited<ReturnType<typeof update>>) {
  const tree = await new ArtifactFetcher({ storage }).fetch(artifact);
  return Object.fromEntries(tree.list().map((path) => [path, tree.readText(path)]));
}

test.each([
  ['../out', 'leads out of the bucket'],
  ['a/../../out', 'leads out of the bucket'],
  ['a/./b', 'leads out of the bucket'],
  ['a\\..\\out', 'leads out of the bucket'],
])('the key %j is refused', async (key, message) => {
  objects = [{ key, etag: 'e', gives: 'x' }];
  await expect(update()).rejects.toThrow(message);
  expect(readdirSync(directory)).toEqual([]);
});

test('a file cannot be a directory, nor two files one', async () => {
  objects = [
    { key: 'a', etag: 'e', gives: 'x' },
    { key: 'a/b', etag: 'e', gives: 'x' },
  ];
  await expect(update()).rejects.toThrow("'a' is an object, and 'a/b' is below it");
  objects = [
    { key: 'a/b', etag: 'e', gives: 'x' },
    { key: 'a//b', etag: 'e', gives: 'x' },
  ];
  await expect(update()).rejects.toThrow("two objects of the bucket are 'a/b'");
});

test('limits hold for what is shown and for what comes', async () => {
  objects = [{ key: 'a', etag: 'e', size: 101, gives: 'x' }];
  await expect(update()).rejects.toThrow('larger than 100 bytes');
  objects = ['a', 'b'].map((key) => ({ key, etag: 'e', size: 80, gives: 'x' }));
  await expect(update()).rejects.toThrow('larger than 150 bytes');
  objects = Array.from({ length: 11 }, (_one, index) => ({ key: `k${index}`, etag: 'e' }));
  await expect(update()).rejects.toThrow('more than 10 objects');
  // It says one byte and sends more.
  objects = [{ key: 'a', etag: 'e', size: 1, gives: 'x'.repeat(101) }];
  await expect(update()).rejects.toThrow('larger than 100 bytes');
});

test('what changes while it is read is taken as it is then, and the revision says so', async () => {
  objects = [
    { key: 'changed', etag: 'old', gives: 'new content', givesEtag: 'new' },
    { key: 'gone', etag: 'e' },
    { key: 'same', etag: 'e', gives: 'same' },
  ];
  const artifact = await update();
  const now = new Map([
    ['changed', 'new'],
    ['same', 'e'],
  ]);
  expect(artifact.revision).toBe(bucketRevision(now));
  expect(artifact.path).toBe(`bucket/default/b/${artifact.revision.slice(7)}.tar.gz`);
  expect(await filesIn(artifact)).toEqual({ '/changed': 'new content', '/same': 'same' });
});
