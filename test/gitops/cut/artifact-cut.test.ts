import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Artifact, ArtifactFetcher, ArtifactStorage, fileListKey } from '@waygate/gitops';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CuttingServer, cutAt, framings } from './cutting-server.ts';
import { impatientClock } from './source-bench.ts';

// Somebody who fetches an artifact from a server that breaks off after each byte.

const names = ['a.yaml', 'b/c.yaml', 'z.yaml'];
const directory = mkdtempSync(join(tmpdir(), 'waygate-cut-artifact-'));
let server: CuttingServer;
let artifact: Artifact;

beforeAll(async () => {
  const storage = new ArtifactStorage({ directory });
  const files = names.map((path) => ({ path, isExecutable: false, content: Buffer.from(path) }));
  const owner = { kind: 'GitRepository', namespace: 'n', name: 's', file: 'x' };
  const expected = names.map((path) => ({ path, size: path.length }));
  artifact = await storage.publish(owner, 'main@sha1:x', files, { expected });
  const body = readFileSync(storage.onDisk(artifact.path));
  server = await CuttingServer.start(() => ({ body }));
  artifact = { ...artifact, url: `http://${server.host}/x.tar.gz` };
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const listed = async (maxTries: number) => {
  const fetcher = new ArtifactFetcher({ clock: impatientClock, maxTries });
  return (await fetcher.fetch(artifact)).list();
};
const all = names.map((name) => `/${name}`);

test('a cut after any byte gives all files or none, and is made up for by asking again', async () => {
  let most = 0;
  for (const framing of framings) {
    server.begin(undefined, framing);
    expect(await listed(1)).toEqual(all);
    most = Math.max(most, server.sent);
  }
  for (const framing of framings) {
    for (let at = 0; at < most; at++) {
      server.begin({ ...cutAt(at), framing, staysDown: false });
      const once = await listed(1).catch((error: Error) => error.message);
      // The length of an answer differs with its framing; what is past its end is no cut.
      if (Array.isArray(once)) expect(once, `${framing} ${at}`).toEqual(all);
      else expect(once, `${framing} ${at}`).not.toBe('');
      server.begin({ ...cutAt(at), framing, staysDown: false });
      expect(await listed(3), `${framing} ${at} again`).toEqual(all);
    }
  }
});

test('an artifact that does not have the files that it promises is not taken', async () => {
  server.begin();
  const promised = { ...artifact, metadata: { [fileListKey]: '4 sha256:00' } };
  const fetcher = new ArtifactFetcher({ clock: impatientClock });
  await expect(fetcher.fetch(promised)).rejects.toThrow(
    /^failed to verify archive: revision 'main@sha1:x' promises the files 4 sha256:00 and has 3 sha256:/,
  );
  expect((await fetcher.fetch(artifact)).list()).toEqual(all);
});
