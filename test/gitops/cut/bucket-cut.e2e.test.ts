import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bucket } from '../../../packages/gitops/src/api/source-objects.ts';
import { BucketWorker } from '../../../packages/gitops/src/source/bucket-worker.ts';
import { CuttingServer, cutAt, framings } from './cutting-server.ts';
import { impatientClock, noSecrets, SourceBench } from './source-bench.ts';

// A bucket whose server breaks off after each byte that it sends in a pass: two pages of a listing and
// the objects. What comes of it is the whole artifact or an error.

const files: Record<string, string> = {
  'a.yaml': 'a: 1\n',
  'b/c.yaml': 'c: 2\n',
  'z.yaml': 'z: 3\n',
};
let server: CuttingServer;
const bench = new SourceBench<Bucket, NonNullable<Bucket['status']>>();

const etagOf = (text: string) => createHash('md5').update(text).digest('hex');

function pageOf(keys: readonly string[], next?: string): string {
  const contents = keys.map(
    (key) =>
      `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>"${etagOf(files[key] ?? '')}"</ETag><Size>${files[key]?.length}</Size></Contents>`,
  );
  const more =
    next === undefined
      ? '<IsTruncated>false</IsTruncated>'
      : `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`;
  const all = `<KeyCount>${keys.length}</KeyCount><EncodingType>url</EncodingType>${more}`;
  return `<ListBucketResult>${all}${contents.join('')}</ListBucketResult>`;
}

beforeAll(async () => {
  server = await CuttingServer.start(({ url }) => {
    const { pathname, searchParams } = new URL(url ?? '', 'http://x');
    if (searchParams.has('list-type')) {
      const isFirst = searchParams.get('continuation-token') === null;
      return { body: isFirst ? pageOf(['a.yaml', 'b/c.yaml'], 'two') : pageOf(['z.yaml']) };
    }
    const body = files[decodeURIComponent(pathname).slice('/things/'.length)];
    if (body === undefined) return { status: 404 };
    return { headers: { etag: `"${etagOf(body)}"` }, body };
  });
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  bench.remove();
});

function pass() {
  const { storage } = bench;
  const worker = new BucketWorker({ secrets: noSecrets, storage, clock: impatientClock });
  const spec = { bucketName: 'things', endpoint: server.host, insecure: true, interval: '1h' };
  return bench.pass(worker, { metadata: { name: 'b', namespace: 'default', generation: 1 }, spec });
}

test('a cut after any byte gives all files or none', async () => {
  let most = 0;
  for (const framing of framings) {
    server.begin(undefined, framing);
    expect(await pass()).toMatchObject({ files });
    most = Math.max(most, server.sent);
  }
  let refused = 0;
  for (let at = 0; at < most; at++) {
    server.begin(cutAt(at));
    const outcome = await pass();
    if ('error' in outcome) refused++;
    else expect(outcome.files, `cut at ${at}`).toEqual(files);
  }
  // Cuts that are made up for by asking again are no failures; the others are told.
  expect(refused).toBeGreaterThan(most / 4);
  server.begin();
  expect(await pass()).toMatchObject({ files });
});
