import { rules, type SoundObject, sound, subjects } from './sound-object.ts';

const hook = {
  name: 'hook.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { namespace: 'default', name: 's', path: '/p', port: 443 } },
  rules: [
    { apiGroups: ['never'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] },
  ],
  failurePolicy: 'Ignore',
  timeoutSeconds: 5,
};
/** One of each kind that belongs to no namespace, with names that a text begins. */
export function clusterObjects(namespace: string): SoundObject[] {
  const at = (group: string) => `/apis/${group}`;
  return [
    sound('/api/v1/persistentvolumes', 'PersistentVolume', {
      metadata: { name: namespace },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/p' },
        storageClassName: 'fast',
      },
    }),
    sound('/api/v1/namespaces', 'Namespace', { metadata: { name: `${namespace}-b` } }),
    sound('/api/v1/nodes', 'Node', {
      metadata: { name: `${namespace}-n` },
      spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }], podCIDR: '10.2.0.0/24' },
    }),
    sound(`${at('networking.k8s.io/v1')}/ingressclasses`, 'IngressClass', {
      metadata: { name: namespace },
      spec: {
        controller: 'example.com/c',
        parameters: { apiGroup: 'k.example.com', kind: 'P', name: 'p', scope: 'Cluster' },
      },
    }),
    sound(`${at('rbac.authorization.k8s.io/v1')}/clusterroles`, 'ClusterRole', {
      metadata: { name: namespace },
      rules: [...rules, { nonResourceURLs: ['/healthz'], verbs: ['get'] }],
    }),
    sound(`${at('rbac.authorization.k8s.io/v1')}/clusterrolebindings`, 'ClusterRoleBinding', {
      metadata: { name: namespace },
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' },
    }),
    sound(`${at('scheduling.k8s.io/v1')}/priorityclasses`, 'PriorityClass', {
      metadata: { name: namespace },
      value: 10,
      preemptionPolicy: 'Never',
      description: 'd',
    }),
    sound(`${at('storage.k8s.io/v1')}/storageclasses`, 'StorageClass', {
      metadata: { name: namespace },
      provisioner: 'example.com/p',
      parameters: { a: 'b' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    }),
    sound(`${at('storage.k8s.io/v1')}/csidrivers`, 'CSIDriver', {
      metadata: { name: `${namespace}.example.com` },
      spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent'] },
    }),
    sound(`${at('node.k8s.io/v1')}/runtimeclasses`, 'RuntimeClass', {
      metadata: { name: namespace },
      handler: 'h',
      overhead: { podFixed: { cpu: '10m' } },
    }),
    sound(
      `${at('admissionregistration.k8s.io/v1')}/validatingwebhookconfigurations`,
      'ValidatingWebhookConfiguration',
      { metadata: { name: namespace }, webhooks: [hook] },
    ),
    sound(
      `${at('admissionregistration.k8s.io/v1')}/mutatingwebhookconfigurations`,
      'MutatingWebhookConfiguration',
      { metadata: { name: namespace }, webhooks: [{ ...hook, reinvocationPolicy: 'Never' }] },
    ),
    sound(
      `${at('admissionregistration.k8s.io/v1')}/validatingadmissionpolicies`,
      'ValidatingAdmissionPolicy',
      {
        metadata: { name: namespace },
        spec: {
          failurePolicy: 'Ignore',
          matchConstraints: { resourceRules: hook.rules },
          variables: [{ name: 'v', expression: 'object.metadata.name' }],
          validations: [{ expression: "variables.v != 'x'", message: 'm', reason: 'Invalid' }],
        },
      },
    ),
    sound(
      `${at('admissionregistration.k8s.io/v1')}/validatingadmissionpolicybindings`,
      'ValidatingAdmissionPolicyBinding',
      {
        metadata: { name: namespace },
        spec: { policyName: 'none', validationActions: ['Deny'] },
      },
    ),
    sound(
      `${at('apiextensions.k8s.io/v1')}/customresourcedefinitions`,
      'CustomResourceDefinition',
      {
        metadata: { name: `things.${namespace}.example.com` },
        spec: {
          group: `${namespace}.example.com`,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing', shortNames: ['th'] },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      required: ['size'],
                      properties: {
                        size: { type: 'integer', minimum: 1, default: 1 },
                        name: { type: 'string', maxLength: 10, pattern: '^[a-z]+$' },
                        list: {
                          type: 'array',
                          'x-kubernetes-list-type': 'map',
                          'x-kubernetes-list-map-keys': ['k'],
                          items: {
                            type: 'object',
                            required: ['k'],
                            properties: { k: { type: 'string' } },
                          },
                        },
                      },
                      'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too big' }],
                    },
                  },
                },
              },
              subresources: { status: {} },
              additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
            },
          ],
        },
      },
    ),
    sound(`${at('apiregistration.k8s.io/v1')}/apiservices`, 'APIService', {
      metadata: { name: `v1.${namespace}.example.org` },
      spec: {
        group: `${namespace}.example.org`,
        version: 'v1',
        service: { namespace: 'default', name: 's', port: 443 },
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
      },
    }),
    sound(`${at('flowcontrol.apiserver.k8s.io/v1')}/flowschemas`, 'FlowSchema', {
      metadata: { name: namespace },
      spec: {
        priorityLevelConfiguration: { name: 'global-default' },
        matchingPrecedence: 9000,
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'u' } }],
            resourceRules: [
              { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] },
            ],
          },
        ],
      },
    }),
    sound(
      `${at('flowcontrol.apiserver.k8s.io/v1')}/prioritylevelconfigurations`,
      'PriorityLevelConfiguration',
      {
        metadata: { name: namespace },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 5,
            limitResponse: {
              type: 'Queue',
              queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 },
            },
          },
        },
      },
    ),
  ];
}
