import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1alpha1',
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});
const old = version('v1alpha1', { deprecated: true });
const says = (more: string) => `299 - "old.example.com/v1alpha1 Thing is deprecated${more}"`;

// As Kubernetes 1.36 words it.
test.each<[string, object[], string]>([
  ['nothing else', [old], says('')],
  ['one that is newer', [old, version('v1')], says('; use old.example.com/v1 Thing')],
  [
    'several, the newest last',
    [old, version('v1beta1'), version('v1beta2')],
    says('; use old.example.com/v1beta2 Thing'),
  ],
  ['one that is not served', [old, version('v1', { served: false })], says('')],
  ['one that is deprecated too', [old, version('v1', { deprecated: true })], says('')],
  ['a word of its own', [{ ...old, deprecationWarning: 'go on' }, version('v1')], '299 - "go on"'],
])('a deprecated version beside %s', async (_, versions, warning) => {
  await using server = await startTestServer({ controllers: [] });
  const names = { plural: 'things', kind: 'Thing' };
  const group = 'old.example.com';
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: { group, scope: 'Cluster', names, versions },
  };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.request('POST', definitions, definition);
  const headers = { Authorization: `Bearer ${server.adminToken}` };
  const warningOf = async (name: string) => {
    const answer = await fetch(`${server.url}/apis/${group}/${name}/things`, { headers });
    await answer.body?.cancel();
    return answer.headers.get('warning');
  };
  expect(await warningOf('v1alpha1')).toBe(warning);
  if (versions.length === 3) expect(await warningOf('v1beta1')).toBeNull();
});
