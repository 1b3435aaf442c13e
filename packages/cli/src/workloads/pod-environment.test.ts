import { expect, test } from 'vitest';
import { type EnvironmentSources, environmentOf } from './pod-environment.ts';

const sources: EnvironmentSources = {
  configMap: (name) => (name === 'settings' ? { data: { A: '1', B: '2' } } : undefined),
  secret: (name) =>
    name === 'keys' ? { data: { K: Buffer.from('hidden').toString('base64') } } : undefined,
};
const subject = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  template: { metadata: { labels: { tier: 'front' } }, spec: { containers: [] } },
};
type Container = Parameters<typeof environmentOf>[0];
const env = (container: Omit<Container, 'name'>) =>
  environmentOf({ name: 'main', ...container }, subject, sources);

test('variables of whole maps come first, those of its own after them and over them', () => {
  expect(
    env({
      envFrom: [
        { configMapRef: { name: 'settings' } },
        { prefix: 'S_', secretRef: { name: 'keys' } },
        { configMapRef: { name: 'none', optional: true } },
      ],
      env: [
        { name: 'B', value: '3' },
        { name: 'C', value: '$(A)-$(B)-$(S_K)-$(MISSING)-$$(A)' },
        { name: 'D', valueFrom: { configMapKeyRef: { name: 'settings', key: 'A' } } },
        { name: 'E', valueFrom: { secretKeyRef: { name: 'keys', key: 'K' } } },
        { name: 'F', valueFrom: { secretKeyRef: { name: 'keys', key: 'no', optional: true } } },
        { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
        { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
      ],
    }),
  ).toEqual({
    env: {
      A: '1',
      B: '3',
      S_K: 'hidden',
      C: '1-3-hidden-$(MISSING)-$(A)',
      D: '1',
      E: 'hidden',
      N: 'shop',
      L: 'front',
    },
  });
});

test.each([
  [{ envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
  [{ envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
  [
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'no' } } }] },
    "couldn't find key no in Secret shop/keys",
  ],
  [
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'no' } } }] },
    "couldn't find key no in ConfigMap shop/settings",
  ],
])('%j is missing something', (container, missing) => {
  expect(env(container)).toEqual({ missing });
});
