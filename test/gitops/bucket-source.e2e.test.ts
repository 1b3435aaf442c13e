import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bucketKind, bucketRevision, kustomizationKind } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { S3Server } from './s3-server.ts';
import { conditionOf, configMapYaml, patience, SourceCluster } from './source-cluster.ts';

// Buckets of a real server that speaks S3, with what goes wrong with them.

let cluster: SourceCluster;
let server: S3Server;
const files = { 'a.yaml': 'a: 1', 'dir/b.yaml': 'b: 1', 'img.png': 'x', '.git/config': 'y' };

beforeAll(async () => {
  server = await S3Server.start(['bkt-one', 'bkt-life', 'bkt-many', 'bkt-odd', 'bkt-rules']);
  cluster = await SourceCluster.start();
  await cluster.secret('keys', S3Server.keys);
  for (const [key, content] of Object.entries(files)) await server.put('bkt-one', key, content);
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

async function create(name: string, spec: object = {}): Promise<void> {
  await cluster.create(bucketKind, name, {
    bucketName: 'bkt-one',
    endpoint: server.endpoint,
    insecure: true,
    interval: '1h',
    secretRef: { name: 'keys' },
    ...spec,
  });
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** What the revision has to be of objects with these contents. */
const revisionOf = (contents: Record<string, string>) =>
  bucketRevision(new Map(Object.entries(contents).map(([key, text]) => [key, md5(text)])));

const stored = (name: string, revision: string) => cluster.untilStored(bucketKind, name, revision);
const failed = (name: string, reason: string) => cluster.untilFailed(bucketKind, name, reason);

test('put, apply, change, prune, suspend, resume, delete', async () => {
  const put = (key: string, text: string) => server.put('bkt-life', key, text);
  const [one, two, three] = ['one', 'two', 'three'].map((text) => configMapYaml('s3-a', text));
  const other = configMapYaml('s3-b', 'x');
  await put('a.yaml', one!);
  await put('sub/b.yaml', other);
  await create('life', { bucketName: 'bkt-life' });
  await cluster.apply(bucketKind, 'life');
  const first = revisionOf({ 'a.yaml': one!, 'sub/b.yaml': other });
  const object = await stored('life', first);
  expect(object.status).toMatchObject({
    observedGeneration: 1,
    url: expect.stringMatching(/\/bucket\/default\/life\/latest\.tar\.gz$/),
    artifact: { path: `bucket/default/life/${first.slice(7)}.tar.gz`, revision: first },
  });
  expect((object.status?.conditions ?? []).map(({ type, message }) => [type, message])).toEqual([
    ['Ready', `stored artifact: revision '${first}'`],
    ['ArtifactInStorage', `stored artifact: revision '${first}'`],
  ]);
  expect((await fetch(object.status?.url ?? '')).status).toBe(200);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('s3-a')).toEqual({ key: 'one' });
    expect(await cluster.configMap('s3-b')).toEqual({ key: 'x' });
    expect(await cluster.events('life')).toContain(
      "Normal NewArtifact: stored artifact with 2 fetched files from 'bkt-life' bucket",
    );
  }, patience);
  await put('a.yaml', two!);
  await server.remove('bkt-life', 'sub/b.yaml');
  await cluster.request(bucketKind, 'life');
  const second = revisionOf({ 'a.yaml': two! });
  await stored('life', second);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('s3-a')).toEqual({ key: 'two' });
    expect(await cluster.configMap('s3-b')).toBeUndefined();
  }, patience);
  // The same content put again is the same revision.
  await put('a.yaml', two!);
  const before = await cluster.get(bucketKind, 'life');
  const after = await cluster.request(bucketKind, 'life');
  expect(after.status?.artifact).toEqual(before.status?.artifact);
  await vi.waitFor(async () => {
    expect(await cluster.events('life')).toContain(
      `Normal ArtifactUpToDate: artifact up-to-date with remote revision: '${second}'`,
    );
  }, patience);
  await cluster.patch(bucketKind, 'life', { spec: { suspend: true } });
  await put('a.yaml', three!);
  await cluster.patch(bucketKind, 'life', { spec: { suspend: false } });
  await stored('life', revisionOf({ 'a.yaml': three! }));
  await vi.waitFor(
    async () => expect(await cluster.configMap('s3-a')).toEqual({ key: 'three' }),
    patience,
  );
  await cluster.client.resource(kustomizationKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => expect(await cluster.configMap('s3-a')).toBeUndefined(), patience);
  await cluster.client.resource(bucketKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => {
    await expect(cluster.get(bucketKind, 'life')).rejects.toThrow('not found');
  }, patience);
  expect(readdirSync(join(cluster.storage, 'bucket', 'default'))).not.toContain('life');
});

describe('what is in it', () => {
  test('everything, and nothing is left out by itself', async () => {
    await create('all');
    const object = await stored('all', revisionOf(files));
    expect(await cluster.filesOf(object)).toEqual(files);
  });

  test('for those who name no keys, where everyone may read', async () => {
    await create('anonymous', { secretRef: undefined });
    await stored('anonymous', revisionOf(files));
  });

  test('below a prefix, and nothing below one that is not there', async () => {
    await create('prefix', { prefix: 'dir/' });
    const object = await stored('prefix', revisionOf({ 'dir/b.yaml': 'b: 1' }));
    expect(await cluster.filesOf(object)).toEqual({ 'dir/b.yaml': 'b: 1' });
    await create('empty', { prefix: 'nothing/' });
    const empty = await stored('empty', revisionOf({}));
    expect(await cluster.filesOf(empty)).toEqual({});
  });

  test('but not what the rules of the spec and of the bucket leave out', async () => {
    for (const key of ['a.yaml', 'b.yaml', 'c.yaml']) await server.put('bkt-rules', key, key);
    await server.put('bkt-rules', '.sourceignore', 'a.yaml\n');
    await create('rules', { bucketName: 'bkt-rules', ignore: 'b.yaml\n' });
    const object = await stored('rules', revisionOf({ 'c.yaml': 'c.yaml' }));
    expect(object.status?.observedIgnore).toBe('b.yaml\n');
    await cluster.patch(bucketKind, 'rules', { spec: { ignore: '!a.yaml\n' } });
    await stored(
      'rules',
      revisionOf(Object.fromEntries(['a', 'b', 'c'].map((one) => [`${one}.yaml`, `${one}.yaml`]))),
    );
  });

  test('many objects, several at a time', async () => {
    const many: Record<string, string> = {};
    for (let index = 0; index < 300; index++) many[`d${index % 7}/f${index}.txt`] = `${index}`;
    const keys = Object.keys(many);
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(
        keys.slice(at, at + 50).map((key) => server.put('bkt-many', key, many[key]!)),
      );
    }
    await create('many', { bucketName: 'bkt-many' });
    const object = await stored('many', revisionOf(many));
    expect(await cluster.filesOf(object)).toEqual(many);
  });

  test('whatever the keys are', async () => {
    const odd = { 'a b/c+d.txt': '1', 'ünï/☃.txt': '2', "q'(x)!*.txt": '3', '100%.txt': '4' };
    for (const [key, content] of Object.entries(odd)) {
      const path = key.split('/').map(encodeURIComponent).join('/');
      await server.put('bkt-odd', decodeURIComponent(path), content);
    }
    await create('odd', { bucketName: 'bkt-odd' });
    await vi.waitFor(async () => {
      const object = await cluster.get(bucketKind, 'odd');
      expect(Object.values(await cluster.filesOf(object)).sort()).toEqual(['1', '2', '3', '4']);
    }, patience);
  });
});

describe('what goes wrong', () => {
  test.each([
    ['no-bucket', { bucketName: 'nope' }, 'BucketOperationFailed', "bucket 'nope' not found"],
    [
      'incomplete',
      { secretRef: { name: 'incomplete' } },
      'AuthenticationFailed',
      "invalid 'incomplete' secret data: required fields 'accesskey' and 'secretkey'",
    ],
    [
      'missing-secret',
      { secretRef: { name: 'ghost' } },
      'AuthenticationFailed',
      'failed to get secret \'default/ghost\': secrets "ghost" not found',
    ],
    [
      'no-such-host',
      { endpoint: 's3.invalid' },
      'BucketOperationFailed',
      'failed to confirm existence of \'bkt-one\' bucket: Get "http://s3.invalid/bkt-one": dial tcp: lookup s3.invalid: no such host',
    ],
  ])('%s is told, and tried again', async (name, spec, reason, message) => {
    if (name === 'incomplete') await cluster.secret('incomplete', { accesskey: 'x' });
    await create(name, spec);
    expect(await failed(name, reason)).toEqual([
      'Reconciling=True/ProgressingWithRetry: building artifact',
      `Ready=False/${reason}: ${message}`,
      `FetchFailed=True/${reason}: ${message}`,
    ]);
    await vi.waitFor(async () => {
      expect(await cluster.events(name)).toContain(`Warning ${reason}: ${message}`);
    }, patience);
  });

  test('keys that the server does not know', async () => {
    await cluster.secret('stranger', { accesskey: 'NOBODY', secretkey: 'hidden-from-all' });
    await create('stranger', { secretRef: { name: 'stranger' } });
    const [, ready] = await failed('stranger', 'BucketOperationFailed');
    expect(ready).toContain("failed to confirm existence of 'bkt-one' bucket: ");
    expect(await cluster.allWords(bucketKind as never)).not.toContain('hidden-from-all');
  });

  test.each([
    [
      'sts',
      { sts: { provider: 'ldap', endpoint: 'https://sts.example.com' } },
      'InvalidSTSConfiguration',
    ],
    ['machine', { provider: 'aws', secretRef: undefined }, 'InvalidProviderConfiguration'],
    ['azure', { provider: 'azure' }, 'InvalidProviderConfiguration'],
    ['scheme', { endpoint: 'https://example.com/x' }, 'URLInvalid'],
  ])('%s is refused for good', async (name, spec, reason) => {
    await create(`refused-${name}`, spec);
    const [stalled] = await failed(`refused-${name}`, reason);
    expect(stalled).toMatch(new RegExp(`^Stalled=True/${reason}: `));
  });

  test('a server that is down: the artifact stays', async () => {
    await using short = await S3Server.start(['bkt-one']);
    await short.put('bkt-one', 'a.txt', 'a');
    await create('down', { endpoint: short.endpoint });
    const before = await stored('down', revisionOf({ 'a.txt': 'a' }));
    await short.stop();
    await cluster.request(bucketKind, 'down');
    const [, ready] = await failed('down', 'BucketOperationFailed');
    expect(ready).toContain('connect: connection refused');
    const during = await cluster.get(bucketKind, 'down');
    expect(during.status?.artifact).toEqual(before.status?.artifact);
    expect(conditionOf(during, 'ArtifactInStorage')?.status).toBe('True');
  });
});
