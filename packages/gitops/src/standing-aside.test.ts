import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import { configMap, TestControllers } from './testing/controllers.ts';

test('nothing is acted on while a controller of Flux holds its Lease, and all of it once that is gone', async () => {
  const said: string[] = [];
  const api = await startTestServer();
  const url = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const hold = async (name: string) => {
    const spec = { holderIdentity: 'flux-pod', leaseDurationSeconds: 35, renewTime };
    await api.request('POST', url, { metadata: { name }, spec });
  };
  await hold('kustomize-controller-leader-election');
  await using controllers = await TestControllers.start(api, {
    standsAside: true,
    onStandingAside: (part, rival) => said.push(`${part} ${rival?.holder ?? 'free'}`),
  });
  const { client } = controllers.cluster;
  controllers.repository.commit({ 'map.yaml': configMap('made', 'one') });
  await controllers.createSource();
  await controllers.createKustomization();
  // Sources are free: they are acted on.
  await controllers.cluster.until(
    async () => {
      const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/src';
      return (await api.request('GET', path)).body as { status?: { artifact?: object } };
    },
    ({ status }) => status?.artifact !== undefined,
  );
  const kustomization =
    '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/app';
  const before = (await api.request('GET', kustomization)).body as {
    metadata: { finalizers?: string[] };
    status?: { conditions?: unknown };
  };
  expect(before.metadata.finalizers).toBeUndefined();
  expect(before.status?.conditions).toBeUndefined();
  expect(said).toEqual(['kustomize flux-pod']);
  const told = await controllers.untilTold('kustomize stands aside');
  expect(told.find(({ reason }) => reason === 'StandingAside')).toMatchObject({ type: 'Warning' });
  await client
    .resource(kinds.Lease)
    .delete('kustomize-controller-leader-election', { namespace: 'default' });
  await controllers.untilReady();
  expect(said).toEqual(['kustomize flux-pod', 'kustomize free']);
  // It comes back, and we step back.
  await hold('kustomize-controller-leader-election');
  await vi.waitFor(() => expect(said).toHaveLength(3), patience);
  const commit = controllers.repository.commit({ 'map.yaml': configMap('made', 'two') });
  await controllers.cluster.until(
    async () => {
      const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/src';
      const { body } = await api.request('GET', path);
      return (body as { status: { artifact: { revision: string } } }).status.artifact.revision;
    },
    (revision) => revision.includes(commit),
  );
  const made = await client.resource(kinds.ConfigMap).get('made', { namespace: 'default' });
  expect(made.data).toEqual({ key: 'one' });
});

test('who held a Lease is gone with it, however much it wrote while it did', async () => {
  const said: string[] = [];
  const api = await startTestServer();
  const name = 'kustomize-controller-leader-election';
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  await api.request('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
    metadata: { name },
    spec: { holderIdentity: 'flux-pod', leaseDurationSeconds: 35, renewTime },
  });
  await using controllers = await TestControllers.start(api, {
    standsAside: true,
    onStandingAside: (part, rival) => said.push(`${part} ${rival?.holder ?? 'free'}`),
  });
  const { client } = controllers.cluster;
  controllers.repository.commit({ 'map.yaml': configMap('made', 'one') });
  await controllers.createSource();
  await controllers.createKustomization();
  const report = async (value: string) => {
    const { status } = await api.request(
      'PATCH',
      '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/app/status?fieldManager=kustomize-controller',
      { status: { lastHandledReconcileAt: value } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    expect(status).toBe(200);
  };
  for (const value of ['one', 'two', 'three', 'four', 'five']) await report(value);
  await client.resource(kinds.Lease).delete(name, { namespace: 'default' });
  // Its last words may be heard after it has left.
  await report('six');
  await report('seven');
  await controllers.untilReady();
  expect(said).toEqual(['kustomize flux-pod', 'kustomize free']);
});

test('one who holds no Lease is known by the statuses that it goes on writing', async () => {
  const said: string[] = [];
  const api = await startTestServer();
  await using controllers = await TestControllers.start(api, {
    standsAside: true,
    onStandingAside: (part, rival) => said.push(`${part} ${rival?.holder ?? 'free'}`),
  });
  controllers.repository.commit({ 'map.yaml': configMap('made', 'one') });
  await controllers.createSource();
  await controllers.createKustomization();
  await controllers.untilReady();
  const kustomization =
    '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/app';
  // Somebody else who reports: not by the name of a controller.
  const report = async (manager: string, value: string) => {
    const { status } = await api.request(
      'PATCH',
      `${kustomization}/status?fieldManager=${manager}`,
      { status: { lastHandledReconcileAt: value } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    expect(status).toBe(200);
  };
  await report('kubectl-edit', 'by hand');
  let count = 0;
  await vi.waitFor(
    async () => {
      count += 1;
      await report('kustomize-controller', `theirs ${count}`);
      expect(said).toEqual(['kustomize kustomize-controller']);
    },
    { timeout: 20_000, interval: 300 },
  );
  expect(count).toBeGreaterThan(1);
  await controllers.untilTold('goes on writing statuses (Kustomization default/app)');
  // What changes now is theirs to apply; sources are ours as before.
  const commit = controllers.repository.commit({ 'map.yaml': configMap('made', 'two') });
  await controllers.cluster.until(
    async () => {
      const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/src';
      const { body } = await api.request('GET', path);
      return (body as { status: { artifact: { revision: string } } }).status.artifact.revision;
    },
    (revision) => revision.includes(commit),
  );
  const { client } = controllers.cluster;
  const made = await client.resource(kinds.ConfigMap).get('made', { namespace: 'default' });
  expect(made.data).toEqual({ key: 'one' });
});
