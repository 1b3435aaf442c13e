import type { DynamicObject } from '@waygate/schema';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

interface Rule {
  readonly verbs: string[];
  readonly apiGroups?: string[];
  readonly resources?: string[];
  readonly nonResourceURLs?: string[];
}

function role(
  name: string,
  rules: Rule[],
  extraLabels: Record<string, string> = {},
): DynamicObject {
  return {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name, labels: { ...labels, ...extraLabels }, annotations },
    rules,
  };
}

function binding(name: string, groups: string[]): DynamicObject {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels, annotations },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: groups.map((each) => ({ apiGroup: group, kind: 'Group', name: each })),
  };
}

const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** What people work with in a namespace, by group. */
const workspace: readonly (readonly [apiGroup: string, resources: string[]])[] = [
  [
    '',
    [
      'configmaps',
      'endpoints',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'serviceaccounts',
      'services',
    ],
  ],
  [
    'apps',
    [
      'daemonsets',
      'deployments',
      'deployments/scale',
      'replicasets',
      'replicasets/scale',
      'statefulsets',
      'statefulsets/scale',
    ],
  ],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['batch', ['cronjobs', 'jobs']],
  ['policy', ['poddisruptionbudgets']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies']],
  ['coordination.k8s.io', ['leases']],
];

function rulesFor(verbs: string[]): Rule[] {
  return workspace.map(([apiGroup, resources]) => ({ verbs, apiGroups: [apiGroup], resources }));
}

function aggregated(
  name: string,
  into: string,
  extraLabels: Record<string, string> = {},
): DynamicObject {
  return {
    ...role(name, [], extraLabels),
    aggregationRule: {
      clusterRoleSelectors: [
        { matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true' } },
      ],
    },
    rules: [],
  };
}

const to = (into: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true' });

/** The roles and bindings that every cluster has; their names are the API's. */
export const bootstrapRoles: readonly DynamicObject[] = [
  role('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  role('system:basic-user', [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ]),
  role('system:discovery', [
    {
      verbs: ['get'],
      nonResourceURLs: [
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/healthz',
        '/livez',
        '/openapi',
        '/openapi/*',
        '/readyz',
        '/version',
        '/version/',
      ],
    },
  ]),
  role('system:public-info-viewer', [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
  ]),
  role('system:service-account-issuer-discovery', [
    {
      verbs: ['get'],
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
    },
  ]),
  role(
    'system:aggregate-to-view',
    [
      ...rulesFor(read),
      {
        verbs: read,
        apiGroups: [''],
        resources: [
          'events',
          'namespaces',
          'limitranges',
          'resourcequotas',
          'pods/log',
          'pods/status',
        ],
      },
    ],
    to('view'),
  ),
  role(
    'system:aggregate-to-edit',
    [
      ...rulesFor(write),
      {
        verbs: [...read, ...write],
        apiGroups: [''],
        resources: [
          'secrets',
          'pods/exec',
          'pods/portforward',
          'pods/eviction',
          'serviceaccounts/token',
        ],
      },
    ],
    to('edit'),
  ),
  role(
    'system:aggregate-to-admin',
    [
      { verbs: [...read, ...write], apiGroups: [group], resources: ['rolebindings', 'roles'] },
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['localsubjectaccessreviews'],
      },
    ],
    to('admin'),
  ),
  aggregated('view', 'view', to('edit')),
  aggregated('edit', 'edit', to('admin')),
  aggregated('admin', 'admin'),
  binding('cluster-admin', ['system:masters']),
  binding('system:basic-user', ['system:authenticated']),
  binding('system:discovery', ['system:authenticated']),
  binding('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
  binding('system:service-account-issuer-discovery', ['system:serviceaccounts']),
];
