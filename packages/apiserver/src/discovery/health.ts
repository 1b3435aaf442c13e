import type { StorageError } from '@waygate/text';
import { answerBytes, answerText } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';

/** The checks that the real server lists; here they share one answer, for they share one process. */
const commonChecks = ['ping', 'log', 'etcd'];

const startHooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
];

export function checksOf(endpoint: string): string[] {
  const isReadiness = endpoint === 'readyz';
  return [
    ...commonChecks,
    ...(isReadiness ? ['etcd-readiness', 'informer-sync'] : ['loopback-serving-certificate']),
    ...startHooks.map((hook) => `poststarthook/${hook}`),
    'autoregister-completion',
    'poststarthook/apiservice-openapi-controller',
    'poststarthook/apiservice-openapiv3-controller',
    ...(isReadiness ? ['shutdown'] : []),
  ];
}

/** How the server is: whether it is up, and what keeps it from storing anything. */
export interface Health {
  isReady(): boolean;
  storageProblem(): StorageError | undefined;
}

/** The checks that a disk which cannot be written fails. The process itself is alive, and serves reads. */
const storageChecks = new Set(['etcd', 'etcd-readiness']);

/** Answers /healthz, /livez and /readyz; false when the path is none of them. */
export function handleHealth(exchange: Exchange, health: Health): boolean {
  const [, endpoint = '', ...rest] = exchange.info.path.split('/');
  if (!['healthz', 'livez', 'readyz'].includes(endpoint)) return false;
  const check = rest.join('/');
  const problem = endpoint === 'livez' ? undefined : health.storageProblem();
  const isUp = endpoint === 'livez' || health.isReady();
  if (check !== '') {
    if (!checksOf(endpoint).includes(check)) return false;
    const isHealthy = isUp && (problem === undefined || !storageChecks.has(check));
    answerBytes(
      exchange,
      isHealthy ? 200 : 500,
      Buffer.from(isHealthy ? 'ok' : 'internal server error'),
      {
        'Content-Type': 'text/plain; charset=utf-8',
      },
    );
    return true;
  }
  const excluded = exchange.query.getAll('exclude');
  const failed = checksOf(endpoint).filter(
    (name) => problem !== undefined && storageChecks.has(name) && !excluded.includes(name),
  );
  if (!isUp) {
    answerText(exchange, 500, `[-]storage failed: reason withheld\n${endpoint} check failed\n`);
    return true;
  }
  if (failed.length > 0) {
    const lines = checksOf(endpoint).map((name) =>
      failed.includes(name)
        ? `[-]${name} failed: the store cannot be written: ${problem?.code}`
        : `[+]${name} ok`,
    );
    answerText(exchange, 500, `${lines.join('\n')}\n${endpoint} check failed\n`);
    return true;
  }
  if (!exchange.query.has('verbose')) {
    answerText(exchange, 200, 'ok');
    return true;
  }
  const lines = checksOf(endpoint).map((name) =>
    excluded.includes(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`,
  );
  answerText(exchange, 200, `${lines.join('\n')}\n${endpoint} check passed\n`);
  return true;
}
