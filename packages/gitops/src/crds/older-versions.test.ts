import { startTestServer } from '@waygate/apiserver';
import { expect, test } from 'vitest';
import { kustomizationKind } from '../api/kustomization-object.ts';
import { startTestCluster } from '../testing/cluster.ts';

const patch = { op: 'replace', path: '/data/a', value: '1' };

/** As people wrote them for the first controllers. */
const spec = {
  interval: '5m',
  path: './deploy',
  prune: true,
  sourceRef: { kind: 'GitRepository', name: 'shop' },
  validation: 'client',
  patchesStrategicMerge: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
  patchesJson6902: [{ patch: [patch], target: { version: 'v1', kind: 'ConfigMap', name: 'a' } }],
  healthChecks: [{ kind: 'Deployment', name: 'web', namespace: 'shop' }],
  dependsOn: [{ name: 'infra' }],
};

test.each(['v1beta1', 'v1beta2'])('what was written for %s is read as v1', async (version) => {
  await using cluster = await startTestCluster(await startTestServer());
  const older = await cluster.client.resourceOf({
    apiVersion: `kustomize.toolkit.fluxcd.io/${version}`,
    kind: 'Kustomization',
  });
  await older.create({ metadata: { name: 'shop', namespace: 'default' }, spec });
  // Each object is validated by the server, whatever was asked for.
  const { validation: _validation, ...kept } = spec;
  const found = await cluster.client
    .resource(kustomizationKind)
    .get('shop', { namespace: 'default' });
  expect(found.spec).toMatchObject(kept);
  const again = await older.get('shop', { namespace: 'default' });
  expect(again.apiVersion).toBe(`kustomize.toolkit.fluxcd.io/${version}`);
});
