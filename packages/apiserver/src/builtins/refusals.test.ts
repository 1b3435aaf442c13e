import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

// The words were taken from a kube-apiserver v1.36.4 that was asked the same.
let server: TestServer;
let namespace: string;

beforeAll(async () => {
  server = await startTestServer();
  namespace = await server.namespace();
});
afterAll(() => server.stop());

const container = { name: 'c', image: 'x' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const selector = { matchLabels: { a: 'b' } };

test.each<[string, string, object, string]>([
  [
    'apps/v1',
    'Deployment',
    { selector, template, strategy: { type: 'Foo' } },
    'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
  ],
  [
    'apps/v1',
    'StatefulSet',
    { selector, template, updateStrategy: { type: 'Foo' } },
    `spec.updateStrategy: Invalid value: {"Type":"Foo","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
  ],
  [
    'apps/v1',
    'DaemonSet',
    { selector, template, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
    'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
  ],
  [
    'batch/v1',
    'Job',
    { template: { spec: { containers: [container] } } },
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  ['v1', 'Pod', { containers: [] }, 'spec.containers: Required value'],
  [
    'v1',
    'Pod',
    { containers: [container], initContainers: [{ name: 'i', image: ' x' }] },
    'spec.initContainers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
  ],
  [
    'v1',
    'Pod',
    { containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
    'spec.containers[0].volumeMounts[0].name: Not found: "v"',
  ],
  [
    'v1',
    'Service',
    { ports: [{ port: 80, nodePort: 30001 }] },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    {
      podSelector: {},
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/9'] } }] }],
    },
    'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
  ],
  [
    'policy/v1',
    'PodDisruptionBudget',
    { minAvailable: '150%' },
    'spec.minAvailable: Invalid value: "150%": must not be greater than 100%',
  ],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 1,
      minReplicas: 5,
    },
    'spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`',
  ],
])('%s %s %j is refused', async (apiVersion, kind, spec, words) => {
  const group = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`;
  const { status, body } = await server.request(
    'POST',
    `/${group}/namespaces/${namespace}/${plural}`,
    { apiVersion, kind, metadata: { name: 'x' }, spec },
  );
  expect(status).toBe(422);
  expect((body as { message: string }).message).toContain(words);
});

test('a pod that is changed where it may not be is answered with the difference', async () => {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  await server.request('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [container] },
  });
  const { status, body } = await server.request(
    'PATCH',
    `${pods}/p`,
    { spec: { restartPolicy: 'Never' } },
    { 'Content-Type': 'application/merge-patch+json' },
  );
  expect(status).toBe(422);
  expect((body as { message: string }).message).toContain(
    '- "RestartPolicy": "Always",\n+ "RestartPolicy": "Never",',
  );
});
