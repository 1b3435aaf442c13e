import { startTestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { GitOpsControllersOptions } from '../gitops-controllers.ts';
import { configMap, TestControllers } from '../testing/controllers.ts';

const namespace = 'default';

/** Controllers on one cluster that apply to another, whose kubeconfig is in a Secret. */
async function start(
  kubeconfig: string,
  options: Partial<GitOpsControllersOptions> = {},
  spec: Partial<Kustomization['spec']> = {},
): Promise<TestControllers> {
  const controllers = await TestControllers.start(await startTestServer(), options);
  await controllers.cluster.client.resource(kinds.Secret).create({
    metadata: { name: 'remote', namespace },
    stringData: { value: kubeconfig },
  });
  controllers.repository.commit({ 'a.yaml': configMap('a', 'wanted') });
  await controllers.createSource();
  await controllers.createKustomization('app', {
    kubeConfig: { secretRef: { name: 'remote' } },
    ...spec,
  });
  return controllers;
}

describe('a cluster of a kubeconfig', () => {
  test('what somebody changes or deletes there is put right at once, as it is at home', async () => {
    await using remote = await startTestServer();
    await using controllers = await start(remote.kubeconfig);
    await controllers.untilReady();
    const client = new KubeClient({
      server: remote.url,
      namespace,
      credentials: staticToken(remote.adminToken),
    });
    const maps = client.resource(kinds.ConfigMap);
    const keptValue = async () =>
      (await maps.list({ namespace })).items.find(({ metadata }) => metadata.name === 'a')?.data
        ?.key;
    const isWanted = (value: unknown) => value === 'wanted';
    try {
      expect(await keptValue()).toBe('wanted');
      await maps.patch('a', { data: { key: 'changed' } }, { namespace });
      await controllers.cluster.until(keptValue, isWanted);
      await maps.delete('a', { namespace });
      await controllers.cluster.until(keptValue, isWanted);
    } finally {
      await client.close();
    }
  });

  const withProgram = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [
      {
        name: 'u',
        user: {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/nowhere/a-program' },
        },
      },
    ],
  });

  test.each([
    [false, 'a kubeconfig that names a plugin is refused'],
    [true, '/nowhere/a-program'],
  ])('programs in kubeconfigs: allowed is %s', async (mayExec, message) => {
    await using controllers = await start(withProgram, { kubeconfigs: { mayExec } });
    const { status } = await controllers.untilCondition(
      'Ready',
      ({ reason }) => reason === 'ReconciliationFailed',
    );
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain(message);
  });
});
