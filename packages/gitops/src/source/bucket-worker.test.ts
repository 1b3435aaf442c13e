import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@waygate/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Artifact, Bucket } from '../api/source-objects.ts';
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
let listings: number;
let afterListing: (count: number) => void;
/** What else is in each listing. */
let further: string;
const signal = new AbortController().signal;
const limits = { maxObjects: 10, maxObjectBytes: 100, maxBytes: 150 };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-bucket-'));
  storage = new ArtifactStorage({ directory });
  listings = 0;
  afterListing = () => undefined;
  further = '';
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    if (url.searchParams.has('list-type')) {
      const shown = objects.map(
        ({ key, etag, size = 1 }) =>
          `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${etag}</ETag><Size>${size}</Size></Contents>`,
      );
      const all = `${shown.join('')}<EncodingType>url</EncodingType>${further}`;
      afterListing(++listings);
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

async function update(before?: Artifact): Promise<Artifact> {
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
  if (before !== undefined) pass.status.artifact = before;
  await worker.update(object, pass, signal);
  return pass.status.artifact!;
}

async function filesIn(artifact: Artifact) {
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
    { key: 'same', etag: 'e', size: 4, gives: 'same' },
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

test('what is gone when it is read is looked for in another listing', async () => {
  const same = { key: 'same', etag: 'e', size: 4, gives: 'same' };
  objects = [{ key: 'gone', etag: 'e' }, same];
  afterListing = (count) => {
    if (count === 2) objects = [same];
  };
  const artifact = await update();
  expect(await filesIn(artifact)).toEqual({ '/same': 'same' });
  // What is listed for good and never there is no reason for an artifact without it.
  afterListing = () => undefined;
  objects = [{ key: 'gone', etag: 'e' }, same];
  await expect(update()).rejects.toThrow("'gone' of the bucket changed while it was read");
});

test('an object that is shorter than it was listed is not taken', async () => {
  objects = [{ key: 'a', etag: 'e', size: 5, gives: 'abc' }];
  await expect(update()).rejects.toThrow('it has 3 bytes, and was listed with 5');
});

test('a bucket that lost most of its objects is listed twice', async () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, etag: key, gives: key }));
  objects = all;
  const before = await update();
  objects = all.slice(0, 2);
  listings = 0;
  expect(Object.keys(await filesIn(await update(before)))).toEqual(['/a', '/b']);
  expect(listings).toBe(2);
  // A server that for a moment shows less than it has.
  afterListing = () => {
    objects = all;
  };
  objects = all.slice(0, 2);
  const after = await update(before);
  expect(Object.keys(await filesIn(after))).toHaveLength(5);
});

test.each([
  ['does not say how it goes on', '<IsTruncated>true</IsTruncated>'],
  [
    'goes round in circles',
    '<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>',
  ],
  ['has fewer keys than it says', '<KeyCount>2</KeyCount>'],
  ['has an object without a size', '<Contents><Key>b</Key></Contents>'],
  ['has a key that cannot be read', '<Contents><Key>%ff</Key><Size>1</Size></Contents>'],
])('a listing that %s is none', async (_what, more) => {
  objects = [{ key: 'a', etag: 'e', gives: 'a' }];
  further = more;
  await expect(update()).rejects.toThrow('the listing of the bucket cannot be read');
});
