import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { type ExternalArtifact, externalArtifactKind } from '../api/source-objects.ts';
import { tarArchive } from '../artifact/tar-writer.ts';
import { find } from '../testing/cluster.ts';
import { configMap, TestControllers } from '../testing/controllers.ts';
import { encrypted } from '../testing/sops-encryption.ts';

const namespace = 'default';

describe('what the controller is told for all Kustomizations', () => {
  test('objects of other namespaces are left alone, if they are to be', async () => {
    await using test = await TestControllers.start(await startTestServer(), { namespace });
    await test.cluster.client.resource(kinds.Namespace).create({ metadata: { name: 'other' } });
    test.repository.commit({ 'a.yaml': configMap('a', 'x') });
    await test.createSource();
    await test.createKustomization('theirs', {}, { namespace: 'other' });
    await test.createKustomization();
    await test.untilReady();
    const theirs = await find(
      test.cluster,
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
      'theirs',
      'other',
    );
    expect(theirs?.metadata.finalizers).toBeUndefined();
  });

  test('errors are told with the object that they are about', async () => {
    const told: unknown[] = [];
    await using test = await TestControllers.start(await startTestServer(), {
      noCrossNamespaceRefs: true,
      onError: (_error, about) => told.push(about),
    });
    await test.createKustomization('app', {
      sourceRef: { kind: 'GitRepository', name: 'src', namespace: 'other' },
    });
    await test.untilCondition('Ready', ({ reason }) => reason === 'AccessDenied');
    await test.cluster.until(
      () => told,
      (all) => all.length > 0,
    );
    expect(told).toContainEqual({ kind: 'Kustomization', key: 'default/app' });
  });

  test('age keys of the controller decrypt what names no Secret', async () => {
    await using test = await TestControllers.start(await startTestServer(), {
      sopsAgeSecret: { namespace: 'flux', name: 'age' },
    });
    const { client } = test.cluster;
    const sealed = await encrypted(
      { apiVersion: 'v1', data: { key: 'secret' }, kind: 'ConfigMap', metadata: { name: 'a' } },
      '^data$',
    );
    await client.resource(kinds.Namespace).create({ metadata: { name: 'flux' } });
    await client.resource(kinds.Secret).create({
      metadata: { name: 'age', namespace: 'flux' },
      stringData: { 'key.agekey': sealed.keys.age[0]! },
    });
    test.repository.commit({ 'a.yaml': printYaml(sealed.file) });
    await test.createSource();
    await test.createKustomization('app', { decryption: { provider: 'sops' } });
    await test.untilReady();
    expect(await find(test.cluster, 'v1', 'ConfigMap', 'a')).toMatchObject({
      data: { key: 'secret' },
    });
  });
});

/** A server that answers nothing but what it is given; the rest waits for ever. */
async function artifactServer(files: ReadonlyMap<string, Uint8Array>) {
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    asked.add(request.url ?? '');
    const bytes = files.get(request.url ?? '');
    if (bytes !== undefined) response.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => server.closeAllConnections() ?? server.close() };
}

async function archive(path: string, text: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const entries = [{ path, content: Buffer.from(text), isExecutable: false }];
  for await (const chunk of tarArchive(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

test('a new artifact ends the wait for one that cannot be had', async () => {
  await using test = await TestControllers.start(await startTestServer());
  const { client } = test.cluster;
  const files = new Map<string, Uint8Array>();
  const server = await artifactServer(files);
  try {
    await client.resource(externalArtifactKind).create({
      metadata: { name: 'src', namespace },
      spec: {},
    } as ExternalArtifact);
    const publish = (path: string, digest: string) =>
      client.resource(externalArtifactKind).status.patch(
        'src',
        {
          status: {
            artifact: {
              path,
              url: `${server.url}${path}`,
              revision: path,
              digest,
              lastUpdateTime: '2026-01-01T00:00:00Z',
            },
          },
        },
        { namespace },
      );
    await publish('/dead', `sha256:${'0'.repeat(64)}`);
    await test.createKustomization('app', {
      sourceRef: { kind: 'ExternalArtifact', name: 'src' },
    });
    await test.cluster.until(
      () => server.asked.has('/dead'),
      (isAsked) => isAsked,
    );
    const bytes = await archive('a.yaml', configMap('a', 'new'));
    files.set('/new', bytes);
    await publish('/new', `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    await test.untilReady('/new');
    expect(await find(test.cluster, 'v1', 'ConfigMap', 'a')).toMatchObject({
      data: { key: 'new' },
    });
  } finally {
    server.close();
  }
});
