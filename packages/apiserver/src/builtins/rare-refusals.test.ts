import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, startAccessWorld } from '../testing/access-world.ts';

/** The table runs against a real server as well, which gave it its words. */
let world: AccessWorld;

beforeAll(async () => {
  world = await startAccessWorld();
});
afterAll(() => world.stop());

const places: Readonly<Record<string, string>> = {
  APIService: '/apis/apiregistration.k8s.io/v1/apiservices',
  CSIDriver: '/apis/storage.k8s.io/v1/csidrivers',
  FlowSchema: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  IngressClass: '/apis/networking.k8s.io/v1/ingressclasses',
  PersistentVolume: '/api/v1/persistentvolumes',
  PriorityLevelConfiguration: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  RuntimeClass: '/apis/node.k8s.io/v1/runtimeclasses',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  ValidatingWebhookConfiguration:
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};

const service = { namespace: 'default', name: 's' };
const apiService = (more: object) => ({
  spec: {
    group: 'a.example',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    ...more,
  },
});
const volume = (more: object) => ({
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/a' },
    ...more,
  },
});
const flow = (rule: object) => ({
  spec: {
    priorityLevelConfiguration: { name: 'exempt' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'u' } }],
        resourceRules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], clusterScope: true },
        ],
        ...rule,
      },
    ],
  },
});
const level = (queuing: object) => ({
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing } } },
});
const hook = (more: object) => ({
  webhooks: [
    {
      name: 'a.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { service: { ...service, ...more } },
    },
  ],
});

/** A kind, what is wrong with an object of it, and what is said of that. */
const refusals: readonly [string, object, string][] = [
  [
    'APIService',
    apiService({ service, versionPriority: 0 }),
    'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
  ],
  [
    'APIService',
    apiService({ insecureSkipTLSVerify: true }),
    'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
  ],
  [
    'APIService',
    apiService({ service: { ...service, port: 70000 } }),
    'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
  ],
  [
    'CSIDriver',
    { spec: { volumeLifecycleModes: ['Other'] } },
    'spec.volumeLifecycleModes: Unsupported value: "Other": supported values: "Persistent", "Ephemeral"',
  ],
  [
    'FlowSchema',
    flow({ subjects: [{ kind: 'User' }] }),
    "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
  ],
  [
    'FlowSchema',
    flow({ resourceRules: [] }),
    'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
  ],
  [
    'FlowSchema',
    flow({
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*', 'a'] },
      ],
    }),
    `spec.rules[0].resourceRules[0].namespaces: Invalid value: ["*","a"]: if '*' is present, must not specify other namespaces`,
  ],
  [
    'FlowSchema',
    flow({
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['a', 'A'] },
      ],
    }),
    `spec.rules[0].resourceRules[0].namespaces[1]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
  ],
  [
    'FlowSchema',
    flow({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*', '/a'] }] }),
    `spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
  ],
  [
    'FlowSchema',
    flow({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['abc'] }] }),
    `spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "abc": must start with slash`,
  ],
  [
    'FlowSchema',
    flow({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a//b'] }] }),
    `spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a//b": must not contain double slash`,
  ],
  [
    'FlowSchema',
    flow({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*', '/a*'] }] }),
    `spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a*": wildcard can only do suffix matching`,
  ],
  [
    'FlowSchema',
    flow({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [''] }] }),
    `spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty`,
  ],
  [
    'PersistentVolume',
    volume({ storageClassName: 'a/b' }),
    `spec.storageClassName: Invalid value: "a/b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  ],
  [
    'PersistentVolume',
    volume({ volumeMode: 'x' }),
    `spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"`,
  ],
  [
    'PersistentVolume',
    volume({ volumeAttributesClassName: 'b' }),
    `spec.csi: Required value: has to be specified when using volumeAttributesClassName`,
  ],
  [
    'IngressClass',
    { spec: { controller: 'a.example/c', parameters: { kind: 'K', name: 'a/b' } } },
    'spec.parameters.name: Invalid value: "a/b": may not contain \'/\'',
  ],
  [
    'IngressClass',
    { spec: { controller: 'a.example/c', parameters: { kind: 'K', name: 'a', scope: '' } } },
    'spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"',
  ],
  [
    'PriorityLevelConfiguration',
    level({ queues: 2, handSize: 3 }),
    'spec.limited.limitResponse.queuing.handSize: Invalid value: 3: should not be greater than queues (2)',
  ],
  ['RuntimeClass', {}, 'handler: Required value'],
  [
    'StorageClass',
    { provisioner: 'a.example/p', volumeBindingMode: '' },
    'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
  ],
  [
    'ValidatingWebhookConfiguration',
    hook({ path: 'p' }),
    'webhooks[0].clientConfig.service.path: Invalid value: "p": must start with a \'/\'',
  ],
  [
    'ValidatingWebhookConfiguration',
    hook({ port: 0 }),
    'webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
  ],
];

test.each(refusals)('%s %j: %s', async (kind, object, why) => {
  const name = kind === 'APIService' ? 'v1.a.example' : world.fresh('r');
  const { code, message } = await world.admin.ask('POST', places[kind] as string, {
    metadata: { name },
    ...object,
  });
  expect([code, message]).toEqual([422, expect.stringContaining(why)]);
});

describe('what does not change', () => {
  const merge = { 'Content-Type': 'application/merge-patch+json' };
  test.each<[string, object, object, string]>([
    ['CSIDriver', { spec: {} }, { spec: { attachRequired: false } }, 'spec.attachedRequired'],
    ['RuntimeClass', { handler: 'a' }, { handler: 'b' }, 'handler'],
    [
      'StorageClass',
      { provisioner: 'a.example/p' },
      { volumeBindingMode: 'WaitForFirstConsumer' },
      'volumeBindingMode',
    ],
  ])('%s %j, %j', async (kind, object, change, field) => {
    const name = world.fresh('c');
    const path = places[kind] as string;
    await world.admin.ask('POST', path, { metadata: { name }, ...object });
    const { message } = await world.admin.ask('PATCH', `${path}/${name}`, change, merge);
    expect(message).toContain(`${field}: Invalid value: `);
    expect(message).toContain('field is immutable');
  });
});
