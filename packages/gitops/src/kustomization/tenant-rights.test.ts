import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { expect, test } from 'vitest';
import { find } from '../testing/cluster.ts';
import { configMap, TestControllers } from '../testing/controllers.ts';

const namespace = 'default';

test('an account that may create and patch is enough to apply, and to correct', async () => {
  await using controllers = await TestControllers.start(await startTestServer());
  const { client } = controllers.cluster;
  await client.resource(kinds.ServiceAccount).create({ metadata: { name: 'tenant', namespace } });
  await client.resource(kinds.Role).create({
    metadata: { name: 'tenant', namespace },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }],
  });
  await client.resource(kinds.RoleBinding).create({
    metadata: { name: 'tenant', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tenant' },
    subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace }],
  });
  controllers.repository.commit({ 'a.yaml': configMap('a', 'one') });
  await controllers.createSource();
  await controllers.createKustomization('app', { serviceAccountName: 'tenant' });
  const first = await controllers.untilReady();
  expect(first.status?.inventory?.entries).toEqual([{ id: 'default_a__ConfigMap', v: 'v1' }]);

  const revision = controllers.repository.commit({ 'a.yaml': configMap('a', 'two') });
  await controllers.untilReady(revision);
  const shown = () => find(controllers.cluster, 'v1', 'ConfigMap', 'a');
  expect(await shown()).toMatchObject({ data: { key: 'two' } });

  await client.resource(kinds.ConfigMap).patch('a', { data: { key: 'drift' } }, { namespace });
  const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  await controllers.patch({ metadata: { annotations } });
  await controllers.cluster.until(shown, (object) => {
    return (object as { data?: { key?: string } } | undefined)?.data?.key === 'two';
  });

  // A pass that finds nothing to do changes nothing.
  const before = (await shown())?.metadata.resourceVersion;
  await controllers.patch({
    metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'again' } },
  });
  await controllers.untilCondition(
    'Ready',
    ({ status }, object) => status === 'True' && object.status?.lastHandledReconcileAt === 'again',
  );
  expect((await shown())?.metadata.resourceVersion).toBe(before);
});
