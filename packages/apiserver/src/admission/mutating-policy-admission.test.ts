import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const registration = '/apis/admissionregistration.k8s.io/v1';
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}
const apply = (expression: string): Mutation => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): Mutation => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});

/** A policy with a binding that only takes in one namespace. */
async function bind(
  name: string,
  namespace: string,
  mutations: readonly Mutation[],
  more: object = {},
): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'] };
  const policy = await server.request('POST', `${registration}/mutatingadmissionpolicies`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ ...rule, resources: ['configmaps', 'deployments'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      },
      reinvocationPolicy: 'Never',
      failurePolicy: 'Fail',
      mutations,
      ...more,
    },
  });
  expect(policy.status).toBe(201);
  const binding = await server.request('POST', `${registration}/mutatingadmissionpolicybindings`, {
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  });
  expect(binding.status).toBe(201);
}

const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

test('applies a configuration and patches, one after the other', async () => {
  const namespace = await server.namespace();
  await bind(
    'labels',
    namespace,
    [
      apply(
        'Object{metadata: Object.metadata{labels: Object.metadata.labels{tier: variables.tier}}}',
      ),
      patch(
        '[JSONPatch{op: "add", path: "/metadata/annotations", value: {"tier": object.metadata.labels.tier}}]',
      ),
    ],
    {
      variables: [{ name: 'tier', expression: '"of " .replace(" ", "-") + request.name' }],
      matchConditions: [
        { name: 'not-left', expression: '!object.metadata.name.startsWith("left")' },
      ],
    },
  );
  const made = await server.request('POST', configMaps(namespace), {
    metadata: { name: 'a', labels: { kept: 'yes' } },
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    metadata: { labels: { kept: 'yes', tier: 'of-a' }, annotations: { tier: 'of-a' } },
  });
  const left = await server.request('POST', configMaps(namespace), { metadata: { name: 'left' } });
  expect(left.body).not.toHaveProperty('metadata.labels');
});

test('adds to lists by their keys, with defaults', async () => {
  const namespace = await server.namespace();
  await bind('sidecar', namespace, [
    apply(
      'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{initContainers: [Object.spec.template.spec.initContainers{name: "mesh", image: "mesh:1", restartPolicy: "Always"}]}}}}',
    ),
  ]);
  const { status, body } = await server.request(
    'POST',
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'web:1' }] },
        },
      },
    },
  );
  expect(status).toBe(201);
  expect(body).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [{ name: 'web' }],
          initContainers: [{ name: 'mesh', image: 'mesh:1', imagePullPolicy: 'IfNotPresent' }],
        },
      },
    },
  });
});

test.each([
  ['missing', patch('[JSONPatch{op: "remove", path: "/data/none"}]'), undefined],
  [
    'broken',
    apply('Object{metadata: object.nothing}'),
    "expression 'Object{metadata: object.nothing}' resulted in error: no such key: nothing",
  ],
] as const)('a policy that fails refuses: %s', async (name, mutation, why) => {
  const namespace = await server.namespace();
  await bind(name, namespace, [mutation]);
  const { status, body } = await server.request('POST', configMaps(namespace), {
    metadata: { name: 'a' },
  });
  expect(status).toBe(403);
  expect(body).toMatchObject({
    reason: 'Invalid',
    message: expect.stringContaining(
      `policy '${name}' with binding '${name}' denied request: ${why ?? ''}`,
    ),
  });
});

test('a policy that may fail is passed over, and one that would replace a whole is refused', async () => {
  const namespace = await server.namespace();
  await bind('ignored', namespace, [apply('Object{metadata: object.nothing}')], {
    failurePolicy: 'Ignore',
  });
  const made = await server.request('POST', configMaps(namespace), { metadata: { name: 'a' } });
  expect(made.status).toBe(201);
  const other = await server.namespace();
  await bind('atomic', other, [
    apply('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}'),
  ]);
  const refused = await server.request('POST', `/apis/apps/v1/namespaces/${other}/deployments`, {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
    },
  });
  expect((refused.body as { message: string }).message).toContain(
    'may not mutate atomic arrays, maps or structs: .spec.selector',
  );
});
