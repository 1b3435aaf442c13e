import { Random } from './random.ts';
import { featureFields } from './random-feature-fields.ts';
import { wildValue } from './wild-values.ts';
import { Raw, type Wild, wildYaml } from './wild-yaml.ts';

/** Files by path: resources in wild YAML, and an overlay with any of the features; build `top`. */
export function randomFeatures(seed: number): Record<string, string> {
  const random = new Random(seed * 7919 + 17);
  const files: Record<string, string> = {};
  const objects = randomObjects(random);
  addFiles(random, files, 'base', objects);
  const base: { [key: string]: Wild } = { resources: fileNames(files, 'base') };
  if (random.chance(0.4)) Object.assign(base, featureFields(random, files, 'base'));
  files['base/kustomization.yaml'] = wildYaml(random, base);
  const top: { [key: string]: Wild } = {
    ...(random.chance(0.3)
      ? { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }
      : {}),
    resources: ['../base'],
    ...featureFields(random, files, 'top'),
  };
  files['top/kustomization.yaml'] = wildYaml(random, top);
  return files;
}

function addFiles(
  random: Random,
  files: Record<string, string>,
  directory: string,
  objects: readonly Wild[],
): void {
  objects.forEach((object, index) => {
    const text = wildYaml(random, object);
    const path = `${directory}/r${random.chance(0.3) ? 0 : index}.yaml`;
    const before = files[path];
    const isPlainText = !text.includes('\r') && before?.includes('\r') !== true;
    if (before === undefined) files[path] = text;
    else if (isPlainText) files[path] = `${before}---\n${text.replace(/^---\n/, '')}`;
    else files[`${directory}/more${index}.yaml`] = text;
  });
}

function fileNames(files: Record<string, string>, directory: string): string[] {
  return Object.keys(files)
    .filter((path) => path.startsWith(`${directory}/`))
    .map((path) => path.slice(directory.length + 1));
}

function randomObjects(random: Random): Wild[] {
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

function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: { [key: string]: Wild },
): Wild {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

function metadata(random: Random, name: string): { [key: string]: Wild } {
  return {
    name,
    ...(random.chance(0.2) ? { namespace: random.pick(['shop', 'default', 'other']) } : {}),
    ...(random.chance(0.6)
      ? { labels: { app: name, tier: random.pick(['front', 'back', '1']) } }
      : {}),
    ...(random.chance(0.4)
      ? { annotations: { note: random.pick(['x', '1', 'true', 'a: b', '']) } }
      : {}),
    ...(random.chance(0.1) ? { finalizers: ['a/b', 'c/d'] } : {}),
  };
}

function podSpec(random: Random): { [key: string]: Wild } {
  const container = (name: string): Wild => ({
    name,
    image: random.pick([
      'nginx',
      'nginx:1.2',
      'app@sha256:0123',
      'reg.io:5000/team/app:v1',
      'reg.io/app:v1@sha256:ab',
      'NGINX',
      'nginx:{{tag}}',
    ]),
    ...(random.chance(0.4)
      ? {
          ports: [
            { containerPort: 80, name: 'http' },
            ...(random.chance(0.4)
              ? [
                  { containerPort: 80, protocol: 'UDP' },
                  { containerPort: 81, protocol: 'TCP', hostPort: 1 },
                ]
              : []),
          ],
        }
      : {}),
    ...(random.chance(0.5)
      ? {
          env: [
            { name: 'A', value: random.pick(['1', 'x', '$(B)', '$$(B)', '$(SERVICE)']) },
            {
              name: 'C',
              valueFrom: { configMapKeyRef: { name: random.pick(['settings', 'conf']), key: 'a' } },
            },
            { name: 'D', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
          ],
        }
      : {}),
    ...(random.chance(0.3)
      ? { envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }] }
      : {}),
    ...(random.chance(0.3)
      ? {
          command: ['sh', '-c', random.pick(['echo $(SERVICE) $(A)', 'x'])],
          args: ['--a=$(SERVICE)', 'b'],
        }
      : {}),
    ...(random.chance(0.3)
      ? {
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'w', mountPath: '/w', subPath: 's' },
          ],
        }
      : {}),
    ...(random.chance(0.2)
      ? { resources: { requests: { cpu: random.pick(['100m', new Raw('1'), new Raw('0.50')]) } } }
      : {}),
    ...(random.chance(0.1) ? { lifecycle: { preStop: { exec: { command: ['x'] } } } } : {}),
  });
  return {
    ...(random.chance(0.3) ? { serviceAccountName: 'robot' } : {}),
    ...(random.chance(0.3) ? { initContainers: [container('init')] } : {}),
    containers: random.chance(0.5) ? [container('web'), container('side')] : [container('web')],
    ...(random.chance(0.4)
      ? {
          volumes: [
            { name: 'v', configMap: { name: random.pick(['settings', 'conf']) } },
            { name: 'w', secret: { secretName: 'keys' } },
            {
              name: 'p',
              projected: {
                sources: [{ configMap: { name: 'conf' } }, { secret: { name: 'keys' } }],
              },
            },
            { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
          ],
        }
      : {}),
    ...(random.chance(0.2) ? { imagePullSecrets: [{ name: 'keys' }, { name: 'z' }] } : {}),
    ...(random.chance(0.2)
      ? { tolerations: [{ key: 'a', operator: 'Exists' }, { key: 'b' }] }
      : {}),
    ...(random.chance(0.2) ? { hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }] } : {}),
    ...(random.chance(0.1)
      ? { nodeSelector: { disk: 'ssd' }, securityContext: {}, priorityClassName: 'high' }
      : {}),
    ...(random.chance(0.1)
      ? {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' },
              ],
            },
          },
        }
      : {}),
    ...(random.chance(0.1)
      ? {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        }
      : {}),
    ...(random.chance(0.1) ? { ephemeralContainers: [{ name: 'debug', image: 'nginx:1' }] } : {}),
  };
}

function template(random: Random, name: string): Wild {
  return {
    ...(random.chance(0.7)
      ? {
          metadata: { labels: { app: name }, ...(random.chance(0.2) ? { annotations: null } : {}) },
        }
      : {}),
    spec: podSpec(random),
  };
}

function workload(random: Random, apiVersion: string, kind: string, name: string): Wild {
  return {
    apiVersion,
    kind,
    metadata: metadata(random, name),
    spec: {
      ...(random.chance(0.5) ? { replicas: random.pick([1, 3, new Raw('"2"'), null]) } : {}),
      ...(random.chance(0.6)
        ? {
            selector: {
              matchLabels: { app: name },
              ...(random.chance(0.2)
                ? { matchExpressions: [{ key: 'a', operator: 'In', values: ['x'] }] }
                : {}),
            },
          }
        : {}),
      ...(kind === 'StatefulSet'
        ? {
            serviceName: 'web',
            volumeClaimTemplates: [
              {
                metadata: { name: 'data', ...(random.chance(0.5) ? { labels: { a: 'b' } } : {}) },
                spec: { storageClassName: 'fast' },
              },
            ],
          }
        : {}),
      template: template(random, name),
    },
  };
}

function cronJob(random: Random): Wild {
  return object(random.pick(['batch/v1', 'batch/v1beta1']), 'CronJob', 'nightly', {
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        ...(random.chance(0.3) ? { metadata: { labels: { app: 'n' } } } : {}),
        spec: { template: template(random, 'nightly') },
      },
    },
  });
}

function pod(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(random, 'single'),
    spec: podSpec(random),
  };
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
