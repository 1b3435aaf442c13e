import { startTestServer } from '@waygate/apiserver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bucketKind, gitRepositoryKind } from '../api/source-objects.ts';
import { TestControllers } from '../testing/controllers.ts';

let controllers: TestControllers;

beforeEach(async () => {
  controllers = await TestControllers.start(await startTestServer());
});

afterEach(() => controllers[Symbol.asyncDispose]());

test('what a source asks for that is not supported is told, and not tried again', async () => {
  const { cluster } = controllers;
  const bucket = cluster.client.resource(bucketKind);
  const metadata = { name: 'charts', namespace: 'default' };
  const spec = { interval: '1h', bucketName: 'b', endpoint: 'example.com', provider: 'gcp' };
  await bucket.create({ metadata, spec });
  const told = await controllers.untilTold('');
  expect(told[0]).toMatchObject({ type: 'Warning', reason: 'InvalidProviderConfiguration' });
  const refused = await cluster.until(
    () => bucket.get('charts', { namespace: 'default' }),
    ({ status }) => status?.observedGeneration === 1,
  );
  expect(refused.status?.conditions?.[0]).toMatchObject({
    type: 'Stalled',
    message: expect.stringContaining("the provider 'gcp' is not supported"),
  });
});

test('a source of an older version of the API is taken with all that it had', async () => {
  const { cluster, repository } = controllers;
  const sha = repository.commit({ 'a.yaml': '' });
  const spec = {
    url: repository.url,
    interval: '1h',
    ref: { branch: 'main' },
    gitImplementation: 'libgit2',
    accessFrom: { namespaceSelectors: [{ matchLabels: { team: 'a' } }] },
  };
  for (const version of ['v1beta1', 'v1beta2']) {
    const kind = { ...gitRepositoryKind, version };
    const metadata = { name: version, namespace: 'default' };
    await cluster.client.resource(kind).create({ metadata, spec });
    const made = await cluster.until(
      () => cluster.client.resource(kind).get(version, { namespace: 'default' }),
      ({ status }) =>
        status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
    );
    expect(made.apiVersion).toBe(`source.toolkit.fluxcd.io/${version}`);
    expect(made.status?.artifact?.revision).toBe(`main@sha1:${sha}`);
    expect(made.spec.url).toBe(repository.url);
  }
});
