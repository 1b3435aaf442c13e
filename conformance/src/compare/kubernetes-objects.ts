import { clusterObjects } from './kubernetes-cluster-objects.ts';
import { rules, type SoundObject, sound, subjects } from './sound-object.ts';

const template = {
  metadata: { labels: { app: 'a' }, annotations: { note: 'n' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'image:1',
        ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '1' } },
        readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        securityContext: { runAsUser: 1, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: [{ name: 'v', configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } }],
    tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
    terminationGracePeriodSeconds: 30,
    nodeSelector: { disk: 'ssd' },
  },
};
const selector = { matchLabels: { app: 'a' } };
const job = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
const peers = [
  { podSelector: selector },
  { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
];
/** One of each kind that people write, in a namespace and beside it. */
export function soundObjects(namespace: string): SoundObject[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const of = (group: string) => `/apis/${group}/namespaces/${namespace}`;
  const pod = {
    ...template.spec,
    restartPolicy: 'Always',
    serviceAccountName: 'default',
    // A server without the rest of a cluster may not do it, either.
    automountServiceAccountToken: false,
  };
  return [
    sound(`${core}/pods`, 'Pod', { spec: pod }),
    sound(`${core}/configmaps`, 'ConfigMap', { data: { k: 'v' }, binaryData: { b: 'AA==' } }),
    sound(`${core}/secrets`, 'Secret', {
      type: 'Opaque',
      data: { k: 'dg==' },
      stringData: { s: 't' },
    }),
    sound(`${core}/secrets`, 'Secret', {
      metadata: { name: 'tls' },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': 'eA==', 'tls.key': 'eA==' },
    }),
    sound(`${core}/services`, 'Service', {
      spec: {
        type: 'ClusterIP',
        selector: { app: 'a' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
          { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
        ],
        sessionAffinity: 'None',
      },
    }),
    sound(`${core}/services`, 'Service', {
      metadata: { name: 'ext' },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    }),
    sound(`${core}/serviceaccounts`, 'ServiceAccount', {
      secrets: [{ name: 's' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    }),
    sound(`${core}/persistentvolumeclaims`, 'PersistentVolumeClaim', {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'fast',
        volumeMode: 'Filesystem',
      },
    }),
    sound(`${core}/endpoints`, 'Endpoints', {
      subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ name: 'p', port: 80 }] }],
    }),
    sound(`${core}/resourcequotas`, 'ResourceQuota', { spec: { hard: { pods: '10', cpu: '4' } } }),
    sound(`${core}/limitranges`, 'LimitRange', {
      spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }] },
    }),
    sound(`${core}/events`, 'Event', {
      involvedObject: { kind: 'Pod', name: 'a', namespace },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 1,
    }),
    sound(`${core}/replicationcontrollers`, 'ReplicationController', {
      spec: { replicas: 1, selector: { app: 'a' }, template },
    }),
    sound(`${of('apps/v1')}/deployments`, 'Deployment', {
      spec: {
        replicas: 1,
        selector,
        template,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
        revisionHistoryLimit: 3,
      },
    }),
    sound(`${of('apps/v1')}/statefulsets`, 'StatefulSet', {
      spec: {
        replicas: 1,
        selector,
        template,
        serviceName: 's',
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    }),
    sound(`${of('apps/v1')}/daemonsets`, 'DaemonSet', { spec: { selector, template } }),
    sound(`${of('apps/v1')}/replicasets`, 'ReplicaSet', {
      spec: { replicas: 1, selector, template },
    }),
    sound(`${of('batch/v1')}/jobs`, 'Job', {
      spec: { ...job, backoffLimit: 2, completions: 1, parallelism: 1, activeDeadlineSeconds: 60 },
    }),
    sound(`${of('batch/v1')}/cronjobs`, 'CronJob', {
      spec: {
        schedule: '*/5 * * * *',
        concurrencyPolicy: 'Forbid',
        timeZone: 'Etc/UTC',
        jobTemplate: { spec: job },
      },
    }),
    sound(`${of('networking.k8s.io/v1')}/ingresses`, 'Ingress', {
      spec: {
        ingressClassName: 'kong',
        tls: [{ hosts: ['a.example.com'], secretName: 't' }],
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                {
                  path: '/p',
                  pathType: 'Prefix',
                  backend: { service: { name: 's', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    }),
    sound(`${of('networking.k8s.io/v1')}/networkpolicies`, 'NetworkPolicy', {
      spec: {
        podSelector: selector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: peers, ports: [{ protocol: 'TCP', port: 80, endPort: 90 }] }],
        egress: [{ to: peers }],
      },
    }),
    sound(`${of('discovery.k8s.io/v1')}/endpointslices`, 'EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.1.1'], conditions: { ready: true }, hostname: 'h' }],
      ports: [{ name: 'p', port: 80, protocol: 'TCP' }],
    }),
    sound(`${of('coordination.k8s.io/v1')}/leases`, 'Lease', {
      spec: { holderIdentity: 'h', leaseDurationSeconds: 15, leaseTransitions: 1 },
    }),
    sound(`${of('rbac.authorization.k8s.io/v1')}/roles`, 'Role', { rules }),
    sound(`${of('rbac.authorization.k8s.io/v1')}/rolebindings`, 'RoleBinding', {
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    }),
    sound(`${of('autoscaling/v2')}/horizontalpodautoscalers`, 'HorizontalPodAutoscaler', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
    }),
    sound(`${of('policy/v1')}/poddisruptionbudgets`, 'PodDisruptionBudget', {
      spec: { minAvailable: 1, selector },
    }),
    ...clusterObjects(namespace),
  ];
}
