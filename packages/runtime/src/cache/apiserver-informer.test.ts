import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { createInformer } from './create-informer.ts';

describe.each([
  ['streamed', 'objects', true],
  ['streamed', 'bytes', true],
  ['listed', 'objects', false],
  ['listed', 'bytes', false],
] as const)('an informer of the embedded API, %s as %s', (_, store, useWatchList) => {
  let server: TestServer;
  let client: KubeClient;
  let namespace: string;
  const abort = new AbortController();

  beforeEach(async () => {
    server = await startTestServer();
    namespace = await server.namespace();
    client = new KubeClient({
      server: server.url,
      namespace,
      credentials: staticToken(server.adminToken),
    });
  });

  afterEach(async () => {
    abort.abort();
    await client.close();
    await server.stop();
  });

  test('has what the server has, through creation, change and deletion', async () => {
    const configMaps = client.resource(kinds.ConfigMap).in(namespace);
    const create = (name: string) =>
      configMaps.create({ metadata: { name, labels: { app: name } }, data: { value: '1' } });
    for (let index = 0; index < 20; index++) await create(`initial-${index}`);
    const errors: unknown[] = [];
    const shared = {
      namespace,
      useWatchList,
      onError: (error: unknown) => errors.push(error),
    };
    const informer =
      store === 'bytes'
        ? createInformer(client, kinds.ConfigMap, { ...shared, store })
        : createInformer(client, kinds.ConfigMap, { ...shared, store });
    const running = informer.run(abort.signal);
    expect(await informer.waitForSync(abort.signal)).toBe(true);
    expect(informer.indexer.listKeys().filter((key) => key.includes('initial-'))).toHaveLength(20);
    await create('later');
    await until('it is there', () => informer.indexer.getByKey(`${namespace}/later`));
    const changed = await configMaps.patch('later', { data: { value: '2' } });
    const versionOf = () => {
      const found = informer.indexer.getByKey(`${namespace}/later`);
      if (found === undefined) return undefined;
      return 'read' in found
        ? found.read().metadata.resourceVersion
        : found.metadata.resourceVersion;
    };
    await until('it is changed', () => versionOf() === changed.metadata.resourceVersion);
    await configMaps.delete('later');
    await until('it is gone', () => informer.indexer.getByKey(`${namespace}/later`) === undefined);
    expect(errors).toEqual([]);
    abort.abort();
    await running;
  });
});
