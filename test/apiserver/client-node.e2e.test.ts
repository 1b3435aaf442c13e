import {
  CoreV1Api,
  KubeConfig,
  type KubernetesListObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { ApiServer, type RunningApiServer } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../until.ts';

describe('@kubernetes/client-node', () => {
  let server: RunningApiServer;
  const config = new KubeConfig();
  beforeAll(async () => {
    server = await new ApiServer({ log: () => undefined }).start();
    config.loadFromString(server.kubeconfig);
  });
  afterAll(() => server?.stop());

  const body = (name: string): V1ConfigMap => ({ metadata: { name }, data: { a: '1' } });

  test('creates, lists, patches, replaces and deletes', async () => {
    const core = config.makeApiClient(CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: 'one' } } });
    const created = await core.createNamespacedConfigMap({ namespace: 'one', body: body('m') });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const list = await core.listNamespacedConfigMap({ namespace: 'one', labelSelector: '!x' });
    expect(list.items.map((item) => item.metadata?.name)).toContain('m');
    const patched = await core.patchNamespacedConfigMap(
      { namespace: 'one', name: 'm', body: { data: { b: '2' } } },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    );
    expect(patched.data).toEqual({ a: '1', b: '2' });
    const replaced = await core.replaceNamespacedConfigMap({
      ...{ namespace: 'one', name: 'm' },
      body: { ...patched, data: { c: '3' } },
    });
    expect(replaced.data).toEqual({ c: '3' });
    await core.deleteNamespacedConfigMap({ namespace: 'one', name: 'm' });
    await expect(
      core.readNamespacedConfigMap({ namespace: 'one', name: 'm' }),
    ).rejects.toMatchObject({
      code: 404,
    });
  });

  test('watches', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const seen: string[] = [];
    const controller = await new Watch(config).watch(
      '/api/v1/namespaces/default/configmaps',
      {},
      (type, object: V1ConfigMap) => seen.push(`${type} ${object.metadata?.name}`),
      () => undefined,
    );
    await core.createNamespacedConfigMap({ namespace: 'default', body: body('watched') });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'watched' });
    await until('both events', () => seen.includes('DELETED watched'));
    expect(seen).toContain('ADDED watched');
    controller.abort();
  });

  test('keeps an informer up to date', async () => {
    const core = config.makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace: 'default', body: body('before') });
    const list = (): Promise<KubernetesListObject<V1ConfigMap>> =>
      core.listNamespacedConfigMap({ namespace: 'default' });
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', list);
    const seen: string[] = [];
    for (const event of ['add', 'update', 'delete'] as const) {
      informer.on(event, (object) => seen.push(`${event} ${object.metadata?.name}`));
    }
    await informer.start();
    try {
      await until('the first state', () => seen.includes('add before'));
      await core.createNamespacedConfigMap({ namespace: 'default', body: body('after') });
      await until('what came later', () => seen.includes('add after'));
      await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'before' });
      await until('what went', () => seen.includes('delete before'));
      expect(informer.get('before', 'default')).toBeUndefined();
      expect(informer.get('after', 'default')?.data).toEqual({ a: '1' });
    } finally {
      await informer.stop();
    }
  });

  test('handles objects of any kind', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', ...body('any') };
    object.metadata = { name: 'any', namespace: 'default' };
    await objects.create(object);
    const applied = await objects.patch(
      { ...object, data: { z: '9' } } as typeof object,
      ...([undefined, undefined, 'tester', true, PatchStrategy.ServerSideApply] as const),
    );
    expect(applied).toMatchObject({ data: { a: '1', z: '9' } });
    await objects.delete(object);
  });
});
