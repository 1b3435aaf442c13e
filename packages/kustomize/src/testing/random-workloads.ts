import type { Random } from './random.ts';
import { Raw, type Wild } from './wild-yaml.ts';

/** An object of which nothing but the name is random. */
export function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: { [key: string]: Wild },
): Wild {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

/** Metadata with what people add to it. */
export function metadata(random: Random, name: string): { [key: string]: Wild } {
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

/** A kind that has a template of pods. */
export function workload(random: Random, apiVersion: string, kind: string, name: string): Wild {
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

export function cronJob(random: Random): Wild {
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

export function pod(random: Random): Wild {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(random, 'single'),
    spec: podSpec(random),
  };
}
