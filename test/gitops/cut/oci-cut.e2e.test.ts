import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  OciRepository,
  OciRepositoryStatus,
} from '../../../packages/gitops/src/api/source-objects.ts';
import { tarArchive } from '../../../packages/gitops/src/artifact/tar-writer.ts';
import { OciRepositoryWorker } from '../../../packages/gitops/src/source/oci-repository-worker.ts';
import { CuttingServer, cutAt, framings } from './cutting-server.ts';
import { impatientClock, noSecrets, SourceBench } from './source-bench.ts';

// A registry that breaks off after each byte that it sends in a pass: tags, a manifest and a layer.

const files: Record<string, string> = {
  'a.yaml': 'a: 1\n',
  'b/c.yaml': 'c: 2\n',
  'z.yaml': 'z: 3\n',
};
const bench = new SourceBench<OciRepository, OciRepositoryStatus>();
let server: CuttingServer;

const digestOf = (bytes: Uint8Array | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function layer(): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    isExecutable: false,
    content: Buffer.from(text),
  }));
  for await (const chunk of tarArchive(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

beforeAll(async () => {
  const bytes = await layer();
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const descriptor = { mediaType: 'x/tar+gzip', digest: digestOf(bytes), size: bytes.length };
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: type, layers: [descriptor] });
  server = await CuttingServer.start(({ url = '' }) => {
    if (url === '/v2/') return {};
    if (url.includes('/tags/list')) {
      const isFirst = !url.includes('last=');
      const link = { link: '</v2/app/tags/list?last=1.0.0>; rel="next"' };
      return isFirst
        ? { headers: link, body: '{"tags":["1.0.0"]}' }
        : { body: '{"tags":["2.0.0"]}' };
    }
    if (url.includes('/manifests/1.0.0')) return { status: 404 };
    if (url.includes('/manifests/')) {
      const headers = { 'content-type': type, 'docker-content-digest': digestOf(manifest) };
      return { headers, body: manifest };
    }
    return { body: bytes };
  });
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  bench.remove();
});

async function pass(operation: 'extract' | 'copy') {
  const { storage } = bench;
  const worker = new OciRepositoryWorker({ secrets: noSecrets, storage, clock: impatientClock });
  const spec = {
    url: `oci://${server.host}/app`,
    interval: '1h',
    ref: { semver: '>=1.0.0' },
    layerSelector: { operation },
  };
  const metadata = { name: 'o', namespace: 'default', generation: 1 };
  try {
    return await bench.pass(worker, { metadata, spec });
  } finally {
    worker.close();
  }
}

describe.each(['extract', 'copy'] as const)('to %s a layer', (operation) => {
  test('a cut after any byte gives all files or none', async () => {
    let most = 0;
    for (const framing of framings) {
      server.begin(undefined, framing);
      expect(await pass(operation)).toMatchObject({ files });
      most = Math.max(most, server.sent);
    }
    // A registry that cannot be followed to its newest tag must not give an older one.
    let refused = 0;
    const step = operation === 'copy' ? 7 : 1;
    for (let at = 0; at < most; at += step) {
      server.begin(cutAt(at));
      const outcome = await pass(operation);
      if ('error' in outcome) refused++;
      else expect(outcome, `cut at ${at}`).toMatchObject({ files });
    }
    expect(refused).toBeGreaterThan(most / step / 4);
    server.begin();
    expect(await pass(operation)).toMatchObject({ files });
  });
});
