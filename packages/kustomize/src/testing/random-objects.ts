import type { Random } from './random.ts';
import { cronJob, metadata, object, pod, workload } from './random-workloads.ts';
import { wildValue } from './wild-values.ts';
import type { Wild } from './wild-yaml.ts';

/** Objects that refer to each other in the ways that kustomize follows. */
export function randomObjects(random: Random): Wild[] {
  const makers: readonly (() => Wild)[] = [
    () => workload(random, 'apps/v1', 'Deployment', 'web'),
    () => workload(random, 'apps/v1', 'StatefulSet', 'db'),
    () => workload(random, 'apps/v1', 'DaemonSet', 'agent'),
    () => workload(random, 'batch/v1', 'Job', 'task'),
    () => cronJob(random),
    () => pod(random),
    () => service(random),
    () => configMap(random),
    () => secret(random),
    () => custom(random),
    () => ingress(random),
    () => role(random),
    () => binding(random),
    () => account(random),
    () => object('v1', 'Namespace', 'shop', {}),
    () => autoscaler(random),
    () => claim(random),
    () => webhook(),
    () => definition(random),
    () => policy(random),
    () => list(random),
    () =>
      object('v1', 'PersistentVolume', 'disk', {
        spec: { storageClassName: 'fast', claimRef: { name: 'data', namespace: 'shop' } },
      }),
    () =>
      object('apiregistration.k8s.io/v1', 'APIService', 'v1.x', {
        spec: { service: { name: 'web', namespace: 'shop' } },
      }),
  ];
  const chosen = [
    workload(random, 'apps/v1', 'Deployment', 'web'),
    service(random),
    configMap(random),
  ];
  const seen = new Set(['Deployment', 'Service', 'ConfigMap']);
  for (const make of random.some(makers, 7)) {
    const made = make() as { kind: string };
    if (seen.has(made.kind)) continue;
    seen.add(made.kind);
    chosen.push(made as unknown as Wild);
  }
  return chosen;
}

function service(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(random, 'web'),
    spec: {
      ...(random.chance(0.7) ? { selector: { app: 'web' } } : {}),
      ports: random.pick<Wild>([
        [{ port: 80 }],
        [
          { port: 80, name: 'http', targetPort: 'http' },
          { port: 443, targetPort: 8443 },
        ],
        [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      ]),
    },
  };
}

function configMap(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(random, 'conf'),
    data: {
      a: random.pick(['x', 'one:two:three', '8080', 'true', '']),
      host: 'example.com',
      ...(random.chance(0.5) ? { b: 'l1\nl2\n' } : {}),
      ...(random.chance(0.3) ? { wild: wildValue(random, 3) } : {}),
    },
  };
}

function secret(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(random, 'keys'),
    ...(random.chance(0.5) ? { type: 'Opaque' } : {}),
    data: { k: 'dg==' },
    ...(random.chance(0.3) ? { stringData: { s: 'plain' } } : {}),
  };
}

function custom(random: Random): Wild {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: metadata(random, 'thing'),
    spec: {
      list: [{ name: 'a', value: wildValue(random) }, { name: 'b' }],
      ref: { name: 'conf' },
      image: 'nginx',
      replicas: 2,
      nested: wildValue(random),
      set: ['x', 'y'],
    },
  };
}

function ingress(random: Random): Wild {
  return object('networking.k8s.io/v1', 'Ingress', 'edge', {
    spec: {
      ...(random.chance(0.5) ? { tls: [{ hosts: ['x'], secretName: 'keys' }] } : {}),
      ...(random.chance(0.3)
        ? { defaultBackend: { service: { name: 'web' } }, ingressClassName: 'kong' }
        : {}),
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  });
}

function role(random: Random): Wild {
  return object('rbac.authorization.k8s.io/v1', random.pick(['Role', 'ClusterRole']), 'reader', {
    rules: [
      {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['conf', 'settings', 'none'],
        verbs: ['get'],
      },
    ],
    ...(random.chance(0.2)
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }
      : {}),
  });
}

function binding(random: Random): Wild {
  return object(
    'rbac.authorization.k8s.io/v1',
    random.pick(['RoleBinding', 'ClusterRoleBinding']),
    'reads',
    {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: random.pick(['Role', 'ClusterRole']),
        name: 'reader',
      },
      subjects: [
        {
          kind: 'ServiceAccount',
          name: random.pick(['robot', 'default', 'stranger']),
          ...(random.chance(0.6) ? { namespace: random.pick(['shop', 'default', 'other']) } : {}),
        },
        ...(random.chance(0.4) ? [{ kind: 'User', name: random.pick(['robot', 'jane']) }] : []),
      ],
    },
  );
}

function account(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(random, 'robot'),
    ...(random.chance(0.4)
      ? { secrets: [{ name: 'keys' }], imagePullSecrets: [{ name: 'keys' }] }
      : {}),
  };
}

function autoscaler(random: Random): Wild {
  return object(
    random.pick(['autoscaling/v2', 'autoscaling/v1']),
    'HorizontalPodAutoscaler',
    'scale',
    {
      spec: {
        scaleTargetRef: {
          apiVersion: 'apps/v1',
          kind: random.pick(['Deployment', 'StatefulSet']),
          name: random.pick(['web', 'db']),
        },
        minReplicas: 1,
      },
    },
  );
}

function claim(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(random, 'data'),
    spec: { storageClassName: 'fast', volumeName: 'disk', selector: { matchLabels: { a: 'b' } } },
  };
}

function webhook(): Wild {
  return object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'hook', {
    webhooks: [{ name: 'a.b.c', clientConfig: { service: { name: 'web', namespace: 'shop' } } }],
  });
}

function definition(random: Random): Wild {
  return object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'things.example.com', {
    spec: {
      group: 'example.com',
      names: { kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                spec: { properties: { containers: { type: 'array' }, image: { type: 'string' } } },
              },
            },
          },
        },
      ],
      ...(random.chance(0.5)
        ? {
            conversion: {
              strategy: 'Webhook',
              webhook: { clientConfig: { service: { name: 'web', namespace: 'shop' } } },
            },
          }
        : {}),
    },
  });
}

function policy(random: Random): Wild {
  return object('networking.k8s.io/v1', 'NetworkPolicy', 'guard', {
    spec: {
      podSelector: random.chance(0.5) ? { matchLabels: { app: 'web' } } : {},
      ingress: [
        { from: [{ podSelector: { matchLabels: { app: 'db' } } }, { namespaceSelector: {} }] },
      ],
      egress: [{ to: [{ podSelector: { matchExpressions: [] } }] }],
    },
  });
}

function list(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: random.pick(['List', 'ConfigMapList']),
    items: [object('v1', 'ConfigMap', 'in-list', { data: { n: wildValue(random, 3) } })],
  };
}
