import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@waygate/runtime';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ArtifactFetcher } from './artifact-fetcher.ts';
import { ArtifactStorage } from './artifact-storage.ts';

let directory: string;
let storage: ArtifactStorage;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-fetcher-'));
  storage = new ArtifactStorage({ directory });
  storage.baseUrl = 'http://127.0.0.1:1';
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const publish = (file: string, bytes: number) =>
  storage.publish(
    { kind: 'GitRepository', namespace: 'n', name: 's', file },
    file,
    [{ path: 'a', isExecutable: false, content: Buffer.alloc(bytes, file) }],
    { expected: [{ path: 'a', size: bytes }] },
  );

test('what its server no longer gives is taken from here as soon as it is here', async () => {
  const artifact = await publish('one', 10);
  rmSync(storage.onDisk(artifact.path));
  const waits: number[] = [];
  const fetcher = new ArtifactFetcher({
    storage,
    clock: {
      ...systemClock,
      sleep: async (ms) => {
        waits.push(ms);
        if (waits.length === 2) await publish('one', 10);
        return true;
      },
    },
  });
  const gone = { ...artifact, url: 'http://127.0.0.1:1/gone' };
  expect((await fetcher.fetch(gone)).list()).toEqual(['/a']);
  expect(waits).toEqual([500, 1_000]);
});

test('nobody waits for a server that stands still once the artifact is here', async () => {
  const artifact = await publish('one', 10);
  rmSync(storage.onDisk(artifact.path));
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // The last try: that there are no more does not matter either.
  const fetcher = new ArtifactFetcher({ storage, maxTries: 1 });
  const asked = once(server, 'request');
  const elsewhere = { ...artifact, url: `http://127.0.0.1:${port}/${artifact.path}` };
  const fetching = fetcher.fetch(elsewhere);
  await asked;
  // That of a neighbour changes nothing.
  await publish('two', 10);
  await publish('one', 10);
  expect((await fetching).list()).toEqual(['/a']);
});

describe('what is kept of unpacked artifacts', () => {
  test('is shared by all who ask', async () => {
    const fetcher = new ArtifactFetcher({ storage });
    const artifact = await publish('one', 10);
    const [first, second] = await Promise.all([fetcher.fetch(artifact), fetcher.fetch(artifact)]);
    expect(second).toBe(first);
    expect(await fetcher.fetch(artifact)).toBe(first);
  });

  test('is bounded by bytes: the least recently used go', async () => {
    const fetcher = new ArtifactFetcher({ storage, cacheBytes: 250 });
    const [one, two, three] = [
      await publish('one', 100),
      await publish('two', 100),
      await publish('three', 100),
    ];
    const trees = [await fetcher.fetch(one), await fetcher.fetch(two)];
    expect(await fetcher.fetch(one)).toBe(trees[0]);
    await fetcher.fetch(three);
    expect(await fetcher.fetch(one)).toBe(trees[0]);
    expect(await fetcher.fetch(two)).not.toBe(trees[1]);
  });

  test('is one at least, however large', async () => {
    const fetcher = new ArtifactFetcher({ storage, cacheBytes: 50 });
    const artifact = await publish('one', 100);
    const tree = await fetcher.fetch(artifact);
    expect(await fetcher.fetch(artifact)).toBe(tree);
  });

  test('is bounded by number', async () => {
    const fetcher = new ArtifactFetcher({ storage, cacheSize: 1 });
    const [one, two] = [await publish('one', 1), await publish('two', 1)];
    const tree = await fetcher.fetch(one);
    await fetcher.fetch(two);
    expect(await fetcher.fetch(one)).not.toBe(tree);
  });
});

describe('files that are packed here', () => {
  const owner = { kind: 'ExternalArtifact', namespace: 'n', name: 's' };
  const entry = (path: string, text: string) => ({
    path,
    isExecutable: false,
    content: Buffer.from(text),
  });
  const files = [entry('a.yaml', 'a'), entry('b/c.yaml', 'c')];

  test('are not unpacked again by who gets them first, and are on disk for all others', async () => {
    const artifact = await storage.publishWhole({ ...owner, file: 'one' }, 'one', files);
    const first = await new ArtifactFetcher({ storage }).fetch(artifact);
    expect(first.read('/a.yaml')).toBe(files[0]?.content);
    const second = await new ArtifactFetcher({ storage }).fetch(artifact);
    expect(second.list()).toEqual(first.list());
    expect(second.read('/a.yaml')).not.toBe(files[0]?.content);
    expect(second.readText('/b/c.yaml')).toBe('c');
  });

  test('are not given for an artifact of another time', async () => {
    const one = await storage.publishWhole({ ...owner, file: 'one' }, 'one', files);
    const two = await storage.publishWhole({ ...owner, file: 'two' }, 'two', [entry('d', 'd')]);
    const fetcher = new ArtifactFetcher({ storage });
    expect((await fetcher.fetch(one)).list()).toEqual(['/a.yaml', '/b/c.yaml']);
    expect((await fetcher.fetch(two)).list()).toEqual(['/d']);
  });

  test('are read from disk by who asks whether the artifact is still the same', async () => {
    const artifact = await storage.publishWhole({ ...owner, file: 'one' }, 'one', files);
    const fetcher = new ArtifactFetcher({ storage });
    const tree = await fetcher.fetch(artifact);
    expect(await fetcher.isStill(artifact, tree)).toBe(true);
    rmSync(storage.onDisk(artifact.path));
    await expect(fetcher.isStill(artifact, tree)).rejects.toThrow('artifact not found');
  });
});
