import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kustomizationKind, ociRepositoryKind } from '@waygate/gitops';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signDigest } from './cosign-signature.ts';
import { archiveOf, contentType, OciRegistry, registryPassword } from './oci-registry.ts';
import { conditionOf, configMapYaml, patience, SourceCluster } from './source-cluster.ts';
import { ociFailures } from './source-failures.ts';

// Artifacts of a real registry, with what goes wrong with them.

let cluster: SourceCluster;
let registry: OciRegistry;
let locked: OciRegistry;
const annotations = {
  'org.opencontainers.image.created': '2026-01-01T00:00:00Z',
  'org.opencontainers.image.source': 'https://example.com/org/app',
  'org.opencontainers.image.revision': 'main@sha1:0123456789abcdef0123456789abcdef01234567',
};

beforeAll(async () => {
  registry = await OciRegistry.start();
  locked = await OciRegistry.start({ auth: 'password' });
  cluster = await SourceCluster.start();
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
  await locked?.[Symbol.asyncDispose]();
});

async function create(name: string, spec: object = {}): Promise<void> {
  const url = registry.urlOf('app');
  await cluster.create(ociRepositoryKind, name, { url, interval: '1h', ...spec });
}

const stored = (name: string, revision: string) =>
  cluster.untilStored(ociRepositoryKind, name, revision);

const failed = (name: string, reason: string) =>
  cluster.untilFailed(ociRepositoryKind, name, reason);

test('push, apply, change, prune, suspend, resume, delete', async () => {
  const url = registry.urlOf('life');
  const push = (files: Record<string, string>) =>
    registry.push('life', 'latest', files, annotations);
  const first = await push({
    'a.yaml': configMapYaml('oci-a', 'one'),
    'b.yaml': configMapYaml('oci-b', 'x'),
  });
  await create('life', { url });
  await cluster.apply(ociRepositoryKind, 'life');
  const object = await stored('life', `latest@${first}`);
  expect(object.status).toMatchObject({
    observedGeneration: 1,
    url: expect.stringMatching(/\/ocirepository\/default\/life\/latest\.tar\.gz$/),
    artifact: {
      metadata: annotations,
      path: `ocirepository/default/life/${first}.tar.gz`,
      revision: `latest@${first}`,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    },
  });
  expect((object.status?.conditions ?? []).map(({ type, message }) => [type, message])).toEqual([
    ['Ready', `stored artifact for digest 'latest@${first}'`],
    ['ArtifactInStorage', `stored artifact for digest 'latest@${first}'`],
  ]);
  const latest = await fetch(object.status?.url ?? '');
  expect(latest.status).toBe(200);
  expect((await latest.arrayBuffer()).byteLength).toBe(object.status?.artifact?.size);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('oci-a')).toEqual({ key: 'one' });
    expect(await cluster.configMap('oci-b')).toEqual({ key: 'x' });
  }, patience);
  expect(await cluster.events('life')).toContain(
    `Normal NewArtifact: stored artifact with revision 'latest@${first}' from '${url}', origin source 'https://example.com/org/app', origin revision '${annotations['org.opencontainers.image.revision']}'`,
  );
  const second = await push({ 'a.yaml': configMapYaml('oci-a', 'two') });
  await cluster.request(ociRepositoryKind, 'life');
  await stored('life', `latest@${second}`);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('oci-a')).toEqual({ key: 'two' });
    expect(await cluster.configMap('oci-b')).toBeUndefined();
  }, patience);
  const unchanged = await cluster.get(ociRepositoryKind, 'life');
  await cluster.request(ociRepositoryKind, 'life');
  const same = await cluster.get(ociRepositoryKind, 'life');
  expect(same.status?.artifact).toEqual(unchanged.status?.artifact);
  await vi.waitFor(async () => {
    expect(await cluster.events('life')).toContain(
      `Normal ArtifactUpToDate: artifact up-to-date with remote revision: 'latest@${second}'`,
    );
  }, patience);
  await cluster.patch(ociRepositoryKind, 'life', { spec: { suspend: true } });
  const third = await push({ 'a.yaml': configMapYaml('oci-a', 'three') });
  await cluster.patch(ociRepositoryKind, 'life', { spec: { suspend: false } });
  await stored('life', `latest@${third}`);
  await vi.waitFor(
    async () => expect(await cluster.configMap('oci-a')).toEqual({ key: 'three' }),
    patience,
  );
  await cluster.client.resource(kustomizationKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => expect(await cluster.configMap('oci-a')).toBeUndefined(), patience);
  await cluster.client.resource(ociRepositoryKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => {
    await expect(cluster.get(ociRepositoryKind, 'life')).rejects.toThrow('not found');
  }, patience);
  expect(readdirSync(join(cluster.storage, 'ocirepository', 'default'))).not.toContain('life');
});

describe('references', () => {
  const digests: Record<string, string> = {};

  beforeAll(async () => {
    for (const tag of ['1.0.0', '1.1.0', 'v1.2.0', '2.0.0-rc.1', 'staging', 'latest']) {
      digests[tag] = await registry.push('app', tag, { 'tag.txt': tag, 'docs/a.md': 'a' });
    }
  });

  test.each([
    ['none', undefined, 'latest'],
    ['tag', { tag: '1.0.0' }, '1.0.0'],
    ['semver', { semver: '>=1.0.0' }, 'v1.2.0'],
    ['semver-pre', { semver: '>=1.0.0-0' }, '2.0.0-rc.1'],
    ['semver-filter', { semver: '>=1.0.0', semverFilter: '^1\\.[01]\\.' }, '1.1.0'],
    ['semver-over-tag', { semver: '1.x', tag: 'staging' }, 'v1.2.0'],
  ])('%s', async (name, ref, tag) => {
    await create(`ref-${name}`, { ref });
    const object = await stored(`ref-${name}`, `${tag}@${digests[tag]}`);
    expect((await cluster.filesOf(object))['tag.txt']).toBe(tag);
  });

  test('a digest, over all others', async () => {
    const digest = digests['1.0.0'];
    await create('ref-digest', { ref: { digest, semver: '*', tag: 'staging' } });
    await cluster.untilStored(ociRepositoryKind, 'ref-digest', new RegExp(`^${digest}$`));
  });

  test('rules of the artifact and of the spec decide what is in it', async () => {
    await create('rules', { ref: { tag: '1.0.0' }, ignore: 'docs/\n' });
    const object = await stored('rules', `1.0.0@${digests['1.0.0']}`);
    expect(Object.keys(await cluster.filesOf(object))).toEqual(['tag.txt']);
    expect(object.status).toMatchObject({ observedIgnore: 'docs/\n' });
    await cluster.patch(ociRepositoryKind, 'rules', { spec: { ignore: 'tag.txt\n' } });
    await vi.waitFor(async () => {
      const changed = await cluster.get(ociRepositoryKind, 'rules');
      expect(Object.keys(await cluster.filesOf(changed))).toEqual(['docs/a.md']);
    }, patience);
  });

  test('of an index, what is for this platform', async () => {
    const other = await registry.push('many', 'other', { 'a.txt': 'arm' });
    const ours = await registry.push('many', 'ours', { 'a.txt': 'amd' });
    const children = [
      { digest: other, size: await registry.sizeOf('many', other), architecture: 'arm64' },
      { digest: ours, size: await registry.sizeOf('many', ours), architecture: 'amd64' },
    ];
    const index = await registry.pushIndex('many', 'latest', children);
    await create('index', { url: registry.urlOf('many') });
    const object = await stored('index', `latest@${index}`);
    expect(await cluster.filesOf(object)).toEqual({ 'a.txt': 'amd' });
  });

  test('a layer by its type, unpacked or as it is', async () => {
    const bytes = await archiveOf({ 'chart.txt': 'second' });
    const digest = await registry.pushLayers('layers', 'latest', [
      { mediaType: contentType, bytes: await archiveOf({ 'a.txt': 'first' }) },
      { mediaType: 'application/x-chart', bytes },
    ]);
    const url = registry.urlOf('layers');
    const mediaType = 'application/x-chart';
    await create('layer-first', { url });
    await create('layer-type', { url, layerSelector: { mediaType } });
    await create('layer-copy', { url, layerSelector: { mediaType, operation: 'copy' } });
    const revision = `latest@${digest}`;
    expect(await cluster.filesOf(await stored('layer-first', revision))).toEqual({
      'a.txt': 'first',
    });
    expect(await cluster.filesOf(await stored('layer-type', revision))).toEqual({
      'chart.txt': 'second',
    });
    const copied = await stored('layer-copy', revision);
    expect(readFileSync(join(cluster.storage, copied.status?.artifact?.path ?? ''))).toEqual(bytes);
  });
});

describe('what goes wrong', () => {
  const retrying = (doing: string, reason: string, message: string) => [
    `Reconciling=True/ProgressingWithRetry: ${doing}`,
    `Ready=False/${reason}: ${message}`,
    `FetchFailed=True/${reason}: ${message}`,
  ];

  test.each(ociFailures(() => registry))(
    '%s is told, and tried again',
    async (name, specOf, reason, messageOf) => {
      await create(name, specOf());
      expect(await failed(name, reason)).toEqual(
        retrying('building artifact', reason, messageOf()),
      );
      await vi.waitFor(async () => {
        expect(await cluster.events(name)).toContain(`Warning ${reason}: ${messageOf()}`);
      }, patience);
      const [, , failure] = await failed(name, reason);
      expect(failure).toContain(messageOf());
    },
  );

  test('a layer that is not there', async () => {
    const digest = await registry.push('part', 'latest', { 'a.txt': 'a' });
    const url = registry.urlOf('part');
    await create('layer-missing', { url, layerSelector: { mediaType: 'application/x-nope' } });
    const reason = 'OCIArtifactLayerOperationFailed';
    expect(await failed('layer-missing', reason)).toEqual(
      retrying(
        `building artifact: new revision 'latest@${digest}' for '127.0.0.1:${registry.port}/part:latest'`,
        reason,
        "failed to find layer with media type 'application/x-nope' in artifact",
      ),
    );
  });

  test('a URL with a tag is not tried again', async () => {
    const url = `${registry.urlOf('app')}:1.0.0`;
    await create('url-with-tag', { url });
    const message = `URL validation failed for '${url}': repository can only contain the characters \`abcdefghijklmnopqrstuvwxyz0123456789_-./\`: app:1.0.0`;
    expect(await failed('url-with-tag', 'URLInvalid')).toEqual([
      `Stalled=True/URLInvalid: ${message}`,
      `Ready=False/URLInvalid: ${message}`,
      `FetchFailed=True/URLInvalid: ${message}`,
    ]);
    expect((await cluster.get(ociRepositoryKind, 'url-with-tag')).status?.observedGeneration).toBe(
      1,
    );
  });

  test('a blob that is not what its digest says is refused', async () => {
    const bytes = await archiveOf({ 'a.yaml': configMapYaml('spoiled', 'good') });
    await registry.pushLayers('spoiled', 'latest', [{ mediaType: contentType, bytes }]);
    const { createHash } = await import('node:crypto');
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const evil = Buffer.from(bytes);
    evil[evil.length - 1] = (evil[evil.length - 1] ?? 0) ^ 1;
    writeFileSync(registry.blobFile(digest), evil);
    await create('spoiled', { url: registry.urlOf('spoiled') });
    const [, , failure] = await failed('spoiled', 'OCIArtifactLayerOperationFailed');
    expect(failure).toContain('error verifying sha256 checksum');
  });

  test('a registry that is down: the artifact stays, and all is well when it is back', async () => {
    await using short = await OciRegistry.start();
    const digest = await short.push('app', 'latest', { 'a.txt': 'a' });
    await create('down', { url: short.urlOf('app') });
    const before = await stored('down', `latest@${digest}`);
    await short.stop();
    await cluster.request(ociRepositoryKind, 'down');
    const told = await failed('down', 'OCIArtifactPullFailed');
    const refused = `dial tcp 127.0.0.1:${short.port}: connect: connection refused`;
    expect(told[1]).toContain(refused);
    const during = await cluster.get(ociRepositoryKind, 'down');
    expect(during.status?.artifact).toEqual(before.status?.artifact);
    expect(conditionOf(during, 'ArtifactInStorage')?.status).toBe('True');
    expect(conditionOf(during, 'Reconciling')).toMatchObject({
      reason: 'ProgressingWithRetry',
      message: 'reconciliation in progress',
    });
    await short.restart();
    await stored('down', `latest@${digest}`);
    await vi.waitFor(async () => {
      expect(await cluster.events('down')).toContainEqual(
        expect.stringMatching(/^Normal Succeeded: stored artifact with revision/),
      );
    }, patience);
  });
});

describe('passwords', () => {
  let digest: string;
  const wrongPassword = 'not-the-one-it-knows';
  const config = (username: string, password: string, host = `127.0.0.1:${locked.port}`) => ({
    '.dockerconfigjson': JSON.stringify({ auths: { [host]: { username, password } } }),
  });

  beforeAll(async () => {
    digest = await locked.push('team/app', 'latest', { 'a.txt': 'secret' });
  });

  test('nobody is let in without one', async () => {
    await create('no-password', { url: locked.urlOf('team/app') });
    const [, ready] = await failed('no-password', 'OCIArtifactPullFailed');
    expect(ready).toContain('UNAUTHORIZED: authentication required');
  });

  test('a pull secret opens it', async () => {
    const secretRef = await cluster.secret('pull', config('reader', registryPassword));
    await create('password', { url: locked.urlOf('team/app'), secretRef });
    await stored('password', `latest@${digest}`);
  });

  test('a pull secret of the service account opens it, too', async () => {
    const auth = Buffer.from(`reader:${registryPassword}`).toString('base64');
    const host = `127.0.0.1:${locked.port}/team`;
    const auths = { [host]: { auth } };
    await cluster.secret('account-pull', { '.dockerconfigjson': JSON.stringify({ auths }) });
    await cluster.client.resource(kinds.ServiceAccount).create({
      metadata: { name: 'puller', namespace: 'default' },
      imagePullSecrets: [{ name: 'account-pull' }],
    });
    await create('account', { url: locked.urlOf('team/app'), serviceAccountName: 'puller' });
    await stored('account', `latest@${digest}`);
  });

  test('a wrong one is told, and shown nowhere', async () => {
    const secretRef = await cluster.secret('wrong', config('reader', wrongPassword));
    await create('wrong-password', { url: locked.urlOf('team/app'), secretRef });
    const [, ready] = await failed('wrong-password', 'OCIArtifactPullFailed');
    expect(ready).toContain('UNAUTHORIZED');
    const words = await cluster.allWords(ociRepositoryKind as never);
    for (const hidden of [wrongPassword, registryPassword]) {
      expect(words).not.toContain(hidden);
      expect(words).not.toContain(Buffer.from(`reader:${hidden}`).toString('base64'));
    }
  });
});

describe('signatures of cosign', () => {
  const keys: Record<string, { publicKey: KeyObject; privateKey: KeyObject }> = {
    ecdsa: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ed25519: generateKeyPairSync('ed25519'),
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };
  const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

  test.each(['ecdsa', 'ed25519', 'rsa'])('%s', async (kind) => {
    const { publicKey, privateKey } = keys[kind]!;
    const repository = `signed/${kind}`;
    const digest = await registry.push(repository, 'latest', { 'a.txt': kind });
    const secretRef = await cluster.secret(`keys-${kind}`, { 'cosign.pub': pem(publicKey) });
    const verify = { provider: 'cosign', secretRef };
    await create(`signed-${kind}`, { url: registry.urlOf(repository), verify });
    const shown = `127.0.0.1:${registry.port}/${repository}:latest`;
    const told = await failed(`signed-${kind}`, 'VerificationError');
    const message = `failed to verify the signature using provider 'cosign': no matching signatures were found for '${shown}'`;
    expect(told).toContain(`SourceVerified=False/VerificationError: ${message}`);
    expect(
      (await cluster.get(ociRepositoryKind, `signed-${kind}`)).status?.artifact,
    ).toBeUndefined();
    await signDigest(registry, { repository, digest, named: digest }, privateKey);
    const object = await stored(`signed-${kind}`, `latest@${digest}`);
    expect(conditionOf(object, 'SourceVerified')).toMatchObject({
      status: 'True',
      reason: 'Succeeded',
      message: `verified signature of revision latest@${digest}`,
    });
  });

  test('of something else, or by somebody else, is none', async () => {
    const other = await registry.push('forged', 'other', { 'a.txt': 'other' });
    const digest = await registry.push('forged', 'latest', { 'a.txt': 'this' });
    await signDigest(
      registry,
      { repository: 'forged', digest, named: other },
      keys.ecdsa!.privateKey,
    );
    const secretRef = { name: 'keys-ecdsa' };
    await create('forged', {
      url: registry.urlOf('forged'),
      verify: { provider: 'cosign', secretRef },
    });
    await failed('forged', 'VerificationError');
    await signDigest(
      registry,
      { repository: 'forged', digest, named: digest },
      keys.ed25519!.privateKey,
    );
    await cluster.request(ociRepositoryKind, 'forged');
    await failed('forged', 'VerificationError');
    expect((await cluster.get(ociRepositoryKind, 'forged')).status?.artifact).toBeUndefined();
  });

  test('without keys, and those of notation, are refused for good', async () => {
    await create('keyless', { verify: { provider: 'cosign' } });
    const told = await failed('keyless', 'VerificationError');
    expect(told[0]).toMatch(/^Stalled=True\/VerificationError: .*'cosign keyless'/);
    await create('notation', { verify: { provider: 'notation', secretRef: { name: 'x' } } });
    expect((await failed('notation', 'VerificationError'))[0]).toMatch(/^Stalled=True/);
  });
});
