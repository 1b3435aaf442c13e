/** Where a pod's version goes in its JSON. */
const versionMark = '@version@';

/** A pod as a cluster has it, about 5 kB of JSON of which half is managed fields. */
export function podText(number: number): string {
  const app = `app-${number % 97}`;
  const owner = `${app}-7c9f6d5b8`;
  const labels = {
    app,
    'app.kubernetes.io/name': app,
    'app.kubernetes.io/part-of': 'shop',
    'pod-template-hash': '7c9f6d5b8',
  };
  const container = (name: string) => ({
    name,
    image: `registry.example.com/shop/${name}:v1.${number % 40}.2`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 8 }, (_, index) => ({
      name: `SETTING_${index}`,
      value: `value-${index}-of-${app}`,
    })),
    resources: {
      limits: { cpu: '500m', memory: '256Mi' },
      requests: { cpu: '100m', memory: '128Mi' },
    },
    volumeMounts: [
      {
        name: 'kube-api-access',
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ],
    livenessProbe: {
      httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
      periodSeconds: 10,
    },
    readinessProbe: {
      httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' },
      periodSeconds: 5,
    },
    imagePullPolicy: 'IfNotPresent',
  });
  const fieldsOf = (paths: readonly string[]) =>
    Object.fromEntries(
      paths.map((path) => [`f:${path}`, { '.': {}, 'f:type': {}, 'f:value': {} }]),
    );
  return JSON.stringify({
    metadata: {
      name: `${owner}-${number.toString(36).padStart(5, '0')}`,
      generateName: `${owner}-`,
      namespace: `team-${number % 50}`,
      uid: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
      resourceVersion: versionMark,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      annotations: { 'example.com/checksum': 'a'.repeat(64) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: owner,
          uid: `10000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': fieldsOf(Object.keys(labels)) },
            'f:spec': {
              'f:containers': fieldsOf([
                'web',
                'sidecar',
                ...Array.from({ length: 14 }, (_, i) => `setting-${i}`),
              ]),
              'f:volumes': fieldsOf(['kube-api-access', 'config', 'cache']),
            },
          },
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-01T00:00:05Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:status': {
              'f:conditions': fieldsOf(['Initialized', 'Ready', 'ContainersReady', 'PodScheduled']),
              'f:containerStatuses': {},
              'f:podIPs': fieldsOf(['10.0.0.1']),
            },
          },
          subresource: 'status',
        },
      ],
    },
    spec: {
      containers: [container('web'), container('sidecar')],
      nodeName: `node-${number % 200}`,
      serviceAccountName: app,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      ],
      volumes: [{ name: 'kube-api-access', projected: { defaultMode: 420 } }],
    },
    status: {
      phase: 'Running',
      podIP: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
      startTime: '2026-01-01T00:00:01Z',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:03Z',
      })),
    },
  });
}

/** The same pod at a version. */
export function podAt(text: string, version: number): string {
  return text.replace(versionMark, String(version));
}
