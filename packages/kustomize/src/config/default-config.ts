import type { FieldSpec } from './field-spec.ts';
import type { NameReference, TransformerConfig } from './transformer-config.ts';

/** Where the built-in kinds keep a pod's spec. */
const podSpecs: readonly FieldSpec[] = [
  { path: 'spec', version: 'v1', kind: 'Pod' },
  { path: 'template/spec', kind: 'PodTemplate' },
  { path: 'spec/template/spec', kind: 'Deployment' },
  { path: 'spec/template/spec', kind: 'ReplicaSet' },
  { path: 'spec/template/spec', kind: 'DaemonSet' },
  { path: 'spec/template/spec', kind: 'StatefulSet' },
  { path: 'spec/template/spec', kind: 'Job' },
  { path: 'spec/jobTemplate/spec/template/spec', kind: 'CronJob' },
];

/** The same, for fields that kustomize knows in other kinds. */
const workloads: readonly FieldSpec[] = [
  { path: 'spec', kind: 'Pod' },
  { path: 'spec/template/spec', kind: 'StatefulSet' },
  { path: 'spec/template/spec', kind: 'Deployment' },
  { path: 'spec/template/spec', kind: 'ReplicationController' },
  { path: 'spec/jobTemplate/spec/template/spec', kind: 'CronJob' },
  { path: 'spec/template/spec', kind: 'Job' },
  { path: 'spec/template/spec', kind: 'DaemonSet' },
];

function inside(owners: readonly FieldSpec[], paths: readonly string[]): FieldSpec[] {
  return owners.flatMap((owner) =>
    paths.map((path) => ({ ...owner, path: `${owner.path}/${path}` })),
  );
}

function inContainers(paths: readonly string[]): string[] {
  return ['containers', 'initContainers'].flatMap((list) => paths.map((path) => `${list}/${path}`));
}

const rbac = 'rbac.authorization.k8s.io';

const scaleTargets: readonly NameReference[] = [
  'Deployment',
  'ReplicationController',
  'ReplicaSet',
  'StatefulSet',
].map((kind) => ({
  kind,
  fieldSpecs: [{ path: 'spec/scaleTargetRef/name', kind: 'HorizontalPodAutoscaler' }],
}));

const configMapReference: NameReference = {
  kind: 'ConfigMap',
  version: 'v1',
  fieldSpecs: [
    ...inside(podSpecs, [
      'volumes/configMap/name',
      ...inContainers(['env/valueFrom/configMapKeyRef/name', 'envFrom/configMapRef/name']),
      'volumes/projected/sources/configMap/name',
    ]),
    { path: 'spec/configSource/configMap', kind: 'Node' },
    { path: 'rules/resourceNames', kind: 'Role' },
    { path: 'rules/resourceNames', kind: 'ClusterRole' },
    {
      path: 'metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap',
      kind: 'Ingress',
    },
  ],
};

const secretReference: NameReference = {
  kind: 'Secret',
  version: 'v1',
  fieldSpecs: [
    ...inside(podSpecs, [
      'volumes/secret/secretName',
      ...inContainers(['env/valueFrom/secretKeyRef/name', 'envFrom/secretRef/name']),
      'imagePullSecrets/name',
      'volumes/projected/sources/secret/name',
    ]),
    { path: 'spec/tls/secretName', kind: 'Ingress' },
    { path: 'metadata/annotations/ingress.kubernetes.io\\/auth-secret', kind: 'Ingress' },
    { path: 'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret', kind: 'Ingress' },
    { path: 'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret', kind: 'Ingress' },
    { path: 'imagePullSecrets/name', kind: 'ServiceAccount' },
    { path: 'parameters/secretName', kind: 'StorageClass' },
    { path: 'parameters/adminSecretName', kind: 'StorageClass' },
    { path: 'parameters/userSecretName', kind: 'StorageClass' },
    { path: 'parameters/secretRef', kind: 'StorageClass' },
    { path: 'rules/resourceNames', kind: 'Role' },
    { path: 'rules/resourceNames', kind: 'ClusterRole' },
    {
      path: 'spec/template/spec/containers/env/valueFrom/secretKeyRef/name',
      kind: 'Service',
      group: 'serving.knative.dev',
      version: 'v1',
    },
    { path: 'spec/azureFile/secretName', kind: 'PersistentVolume' },
  ],
};

const serviceReference: NameReference = {
  kind: 'Service',
  version: 'v1',
  fieldSpecs: [
    { path: 'spec/serviceName', kind: 'StatefulSet', group: 'apps' },
    { path: 'spec/rules/http/paths/backend/serviceName', kind: 'Ingress' },
    { path: 'spec/backend/serviceName', kind: 'Ingress' },
    { path: 'spec/rules/http/paths/backend/service/name', kind: 'Ingress' },
    { path: 'spec/defaultBackend/service/name', kind: 'Ingress' },
    { path: 'spec/service/name', kind: 'APIService', group: 'apiregistration.k8s.io' },
    ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => ({
      path: 'webhooks/clientConfig/service',
      kind,
      group: 'admissionregistration.k8s.io',
    })),
  ],
};

const nameReference: readonly NameReference[] = [
  ...scaleTargets,
  configMapReference,
  secretReference,
  serviceReference,
  {
    kind: 'Role',
    group: rbac,
    fieldSpecs: [{ path: 'roleRef/name', kind: 'RoleBinding', group: rbac }],
  },
  {
    kind: 'ClusterRole',
    group: rbac,
    fieldSpecs: [
      { path: 'roleRef/name', kind: 'RoleBinding', group: rbac },
      { path: 'roleRef/name', kind: 'ClusterRoleBinding', group: rbac },
    ],
  },
  {
    kind: 'ServiceAccount',
    version: 'v1',
    fieldSpecs: [
      { path: 'subjects', kind: 'RoleBinding', group: rbac },
      { path: 'subjects', kind: 'ClusterRoleBinding', group: rbac },
      ...inside(workloads, ['serviceAccountName']),
    ],
  },
  {
    kind: 'PersistentVolumeClaim',
    version: 'v1',
    fieldSpecs: inside(workloads, ['volumes/persistentVolumeClaim/claimName']),
  },
  {
    kind: 'PersistentVolume',
    version: 'v1',
    fieldSpecs: [
      { path: 'spec/volumeName', kind: 'PersistentVolumeClaim' },
      { path: 'rules/resourceNames', kind: 'ClusterRole' },
    ],
  },
  {
    kind: 'StorageClass',
    version: 'v1',
    group: 'storage.k8s.io',
    fieldSpecs: [
      { path: 'spec/storageClassName', kind: 'PersistentVolume' },
      { path: 'spec/storageClassName', kind: 'PersistentVolumeClaim' },
      { path: 'spec/volumeClaimTemplates/spec/storageClassName', kind: 'StatefulSet' },
    ],
  },
  {
    kind: 'PriorityClass',
    version: 'v1',
    group: 'scheduling.k8s.io',
    fieldSpecs: inside(workloads, ['priorityClassName']),
  },
  {
    kind: 'ValidatingAdmissionPolicy',
    group: 'admissionregistration.k8s.io',
    fieldSpecs: [
      {
        path: 'spec/policyName',
        kind: 'ValidatingAdmissionPolicyBinding',
        group: 'admissionregistration.k8s.io',
      },
    ],
  },
  {
    kind: 'IngressClass',
    version: 'v1',
    group: 'networking.k8s.io/v1',
    fieldSpecs: [{ path: 'spec/ingressClassName', kind: 'Ingress' }],
  },
];

/** Templates of pods and jobs, below which metadata stands. */
const templates: readonly FieldSpec[] = [
  { path: 'spec/template', version: 'v1', kind: 'ReplicationController' },
  { path: 'spec/template', kind: 'Deployment' },
  { path: 'spec/template', kind: 'ReplicaSet' },
  { path: 'spec/template', kind: 'DaemonSet' },
  { path: 'spec/template', group: 'apps', kind: 'StatefulSet' },
  { path: 'spec/template', group: 'batch', kind: 'Job' },
  { path: 'spec/jobTemplate', group: 'batch', kind: 'CronJob' },
  { path: 'spec/jobTemplate/spec/template', group: 'batch', kind: 'CronJob' },
];

function metadataFields(field: string): FieldSpec[] {
  return [
    { path: `metadata/${field}`, create: true },
    ...templates.map((spec) => ({ ...spec, path: `${spec.path}/metadata/${field}`, create: true })),
  ];
}

const templateLabels: readonly FieldSpec[] = [
  ...metadataFields('labels'),
  {
    path: 'spec/volumeClaimTemplates[]/metadata/labels',
    create: true,
    group: 'apps',
    kind: 'StatefulSet',
  },
];

const affinityTerms = ['podAffinity', 'podAntiAffinity'].flatMap((affinity) => [
  `affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm`,
  `affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution`,
]);

const placementSelectors = ['Deployment', 'StatefulSet'].flatMap((kind) =>
  [...affinityTerms, 'topologySpreadConstraints'].map((path) => ({
    path: `spec/template/spec/${path}/labelSelector/matchLabels`,
    group: 'apps',
    kind,
  })),
);

const networking = 'networking.k8s.io';

const selectorLabels: readonly FieldSpec[] = [
  { path: 'spec/selector', create: true, version: 'v1', kind: 'Service' },
  { path: 'spec/selector', create: true, version: 'v1', kind: 'ReplicationController' },
  { path: 'spec/selector/matchLabels', create: true, kind: 'Deployment' },
  { path: 'spec/selector/matchLabels', create: true, kind: 'ReplicaSet' },
  { path: 'spec/selector/matchLabels', create: true, kind: 'DaemonSet' },
  { path: 'spec/selector/matchLabels', create: true, group: 'apps', kind: 'StatefulSet' },
  ...placementSelectors,
  { path: 'spec/selector/matchLabels', group: 'batch', kind: 'Job' },
  { path: 'spec/jobTemplate/spec/selector/matchLabels', group: 'batch', kind: 'CronJob' },
  { path: 'spec/selector/matchLabels', group: 'policy', kind: 'PodDisruptionBudget' },
  { path: 'spec/podSelector/matchLabels', group: networking, kind: 'NetworkPolicy' },
  { path: 'spec/ingress/from/podSelector/matchLabels', group: networking, kind: 'NetworkPolicy' },
  { path: 'spec/egress/to/podSelector/matchLabels', group: networking, kind: 'NetworkPolicy' },
];

const varOwners: readonly FieldSpec[] = [
  { path: 'spec/jobTemplate/spec/template/spec', kind: 'CronJob' },
  { path: 'spec/template/spec', kind: 'DaemonSet' },
  { path: 'spec/template/spec', kind: 'Deployment' },
  { path: 'spec/template/spec', kind: 'Job' },
  { path: 'spec', kind: 'Pod' },
  { path: 'spec/template/spec', kind: 'ReplicaSet' },
];

const varContainerFields = inContainers(['args', 'command', 'env/value', 'volumeMounts/mountPath']);

const varReference: readonly FieldSpec[] = [
  ...inside(varOwners, [...varContainerFields, 'volumes/nfs/server']),
  { path: 'spec/rules/host', kind: 'Ingress' },
  { path: 'spec/tls/hosts', kind: 'Ingress' },
  { path: 'spec/tls/secretName', kind: 'Ingress' },
  { path: 'spec/ports/port', kind: 'Service' },
  { path: 'spec/ports/targetPort', kind: 'Service' },
  ...inside([{ path: 'spec/template/spec', kind: 'StatefulSet' }], varContainerFields),
  { path: 'spec/volumeClaimTemplates/spec/nfs/server', kind: 'StatefulSet' },
  { path: 'spec/nfs/server', kind: 'PersistentVolume' },
  { path: 'metadata/labels' },
  { path: 'metadata/annotations' },
];

/** The fields that transformers touch when nobody says otherwise. */
export const defaultConfig: TransformerConfig = {
  namePrefix: [{ path: 'metadata/name' }],
  nameSuffix: [{ path: 'metadata/name' }],
  namespace: [
    { path: 'metadata/namespace', create: true },
    { path: 'metadata/name', kind: 'Namespace', create: true },
    { path: 'subjects/namespace', kind: 'RoleBinding' },
    { path: 'subjects/namespace', kind: 'ClusterRoleBinding' },
    {
      path: 'spec/service/namespace',
      group: 'apiregistration.k8s.io',
      kind: 'APIService',
      create: true,
    },
    {
      path: 'spec/conversion/webhook/clientConfig/service/namespace',
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
    },
  ],
  commonLabels: [...selectorLabels, ...templateLabels],
  labels: [],
  templateLabels,
  commonAnnotations: metadataFields('annotations'),
  nameReference,
  varReference,
  images: [
    'spec/containers',
    'spec/initContainers',
    'spec/template/spec/containers',
    'spec/template/spec/initContainers',
  ].map((path) => ({ path: `${path}[]/image`, create: true })),
  replicas: ['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController'].map((kind) => ({
    path: 'spec/replicas',
    create: true,
    kind,
  })),
};
