import type { ControllerFlag } from '@waygate/runtime';
import { watchedKinds } from '../objects/watched-kinds.ts';
import type { FlagRow } from './flag-row.ts';
import { nginxFlags } from './nginx-flags.ts';

const notKonnect = { withoutEffect: 'Konnect is not supported' };
const noReports = { withoutEffect: 'nothing is ever reported to anybody' };

const rows: readonly FlagRow[] = [
  [
    'act-beside-others',
    'boolean',
    false,
    'act although other controllers hold their Leases and act on the same kinds',
  ],
  ['admission-webhook-listen', 'string', 'off', 'where the admission webhook listens, host:port'],
  ['admission-webhook-cert-file', 'string', '/admission-webhook/tls.crt', 'its certificate'],
  ['admission-webhook-key-file', 'string', '/admission-webhook/tls.key', 'the key of it'],
  ['admission-webhook-cert', 'string', '', 'its certificate, PEM'],
  ['admission-webhook-key', 'string', '', 'the key of it, PEM'],
  [
    'admission-webhook-secret',
    'string',
    '',
    'make its certificate, and share it in this Secret of our namespace, instead of reading files',
  ],
  [
    'admission-webhook-service',
    'string',
    'waygate-webhook',
    'the Service in front of it, for whose name that certificate is',
  ],
  [
    'admission-webhook-configuration',
    'string',
    'waygate',
    'the ValidatingWebhookConfiguration that is told to trust that certificate',
  ],
  ['anonymous-reports', 'boolean', true, 'send usage data', noReports],
  ['apiserver-host', 'string', '', 'the address of the Kubernetes API'],
  ['apiserver-qps', 'integer', 100, 'requests a second to the Kubernetes API'],
  ['apiserver-burst', 'integer', 300, 'requests at once to the Kubernetes API'],
  [
    'cache-sync-timeout',
    'duration',
    '2m',
    'how long the first lists may take',
    { withoutEffect: 'the first lists may take as long as they need' },
  ],
  ['cluster-domain', 'string', '', 'the domain of Services, such as cluster.local'],
  [
    'combined-services-from-different-httproutes',
    'boolean',
    false,
    'HTTPRoutes with equal backends share a Kong service',
  ],
  [
    'configmap-label-selector',
    'string',
    'konghq.com/configmap',
    'only ConfigMaps with this label set to "true"; without the flag, those that are referred to or labelled konghq.com/ca-cert',
  ],
  ['diagnostic-server-port', 'integer', 10256, 'the port of the diagnostics'],
  ['dump-config', 'boolean', false, 'serve the diagnostics'],
  [
    'dump-sensitive-config',
    'boolean',
    false,
    'show secrets in the diagnostics',
    { withoutEffect: 'secrets are always masked' },
  ],
  ['election-id', 'string', '5b374a9e.konghq.com', 'the name of the Lease that the leader holds'],
  ['election-namespace', 'string', '', 'the namespace of the Lease'],
  ['emit-kubernetes-events', 'boolean', true, 'write Events on objects with problems'],
  ['enable-drain-support', 'boolean', false, 'keep terminating endpoints with weight 0'],
  ['enable-reverse-sync', 'boolean', false, 'compare with the database on every pass'],
  [
    'enable-ssl-passthrough',
    'boolean',
    false,
    'pass TLS of annotated Ingresses on without ending it',
  ],
  [
    'isolate-hosts',
    'boolean',
    false,
    'a host in the rules of a namespace is its own: rules of others for it are left out',
  ],
  ['feature-gates', 'list', '', 'switches of single features, name=true or false'],
  [
    'gateway-api-controller-name',
    'string',
    'konghq.com/kic-gateway-controller',
    'GatewayClasses with this controllerName are ours',
  ],
  [
    'force-leader-election',
    'string',
    '',
    'enabled or disabled; else by need: with a database, or with gateways that are discovered',
  ],
  [
    'gateway-discovery-dns-strategy',
    'string',
    'ip',
    'how Pods are addressed',
    { withoutEffect: 'Pods are addressed by IP, as in newer versions of KIC' },
  ],
  [
    'gateway-discovery-readiness-check-interval',
    'duration',
    '10s',
    'how often discovered gateways are asked whether they answer, at least 3s',
  ],
  [
    'gateway-discovery-readiness-check-timeout',
    'duration',
    '5s',
    'how long they may take for it, less than the interval',
  ],
  ['gateway-to-reconcile', 'string', '', 'only this Gateway, namespace/name'],
  ['health-probe-bind-address', 'string', ':10254', 'where /healthz and /readyz are served'],
  ['ingress-class', 'string', 'kong', 'the class of objects that are ours'],
  ...nginxFlags,
  [
    'init-cache-sync-duration',
    'duration',
    '5s',
    'wait before the first push',
    { withoutEffect: 'the first push waits for the caches, and no longer' },
  ],
  ['kong-admin-ca-cert', 'string', '', 'authorities to trust for the Admin API, PEM'],
  ['kong-admin-ca-cert-file', 'string', '', 'authorities to trust for the Admin API'],
  ['kong-admin-concurrency', 'integer', 10, 'writes to a database at a time'],
  [
    'kong-admin-filter-tag',
    'list',
    'managed-by-ingress-controller',
    'tags that mark what is ours in a database',
  ],
  ['kong-admin-header', 'list', '', 'headers for the Admin API, Name:value'],
  [
    'kong-admin-init-retries',
    'integer',
    60,
    'tries to reach the Admin API at start',
    { withoutEffect: 'the Admin API is tried until it answers' },
  ],
  [
    'kong-admin-init-retry-delay',
    'duration',
    '1s',
    'the pause between them',
    { withoutEffect: 'the pause grows from 0.2 s to 5 s' },
  ],
  [
    'kong-admin-svc',
    'string',
    '',
    'the Service in front of all Admin APIs, namespace/name: each Pod behind it is a gateway',
  ],
  [
    'kong-admin-svc-port-names',
    'list',
    'admin-tls,kong-admin-tls',
    'the names of its ports that are Admin APIs',
  ],
  ['kong-admin-tls-client-cert', 'string', '', 'a certificate for the Admin API, PEM'],
  ['kong-admin-tls-client-cert-file', 'string', '', 'a certificate for the Admin API'],
  ['kong-admin-tls-client-key', 'string', '', 'the key of it, PEM'],
  ['kong-admin-tls-client-key-file', 'string', '', 'the key of it'],
  ['kong-admin-tls-server-name', 'string', '', 'the name in the certificate of the Admin API'],
  ['kong-admin-tls-skip-verify', 'boolean', false, 'take any certificate of the Admin API'],
  ['kong-admin-token', 'string', '', 'a token for the Admin API'],
  ['kong-admin-token-file', 'string', '', 'the file of the token'],
  ['kong-admin-url', 'list', 'http://localhost:8001', 'the Admin API'],
  [
    'kong-custom-entities-secret',
    'string',
    '',
    'a Secret with custom entities',
    { withoutEffect: 'use KongCustomEntity' },
  ],
  ['kong-workspace', 'string', '', 'the workspace of Kong Enterprise'],
  ['kubeconfig', 'string', '', 'how to reach the Kubernetes API'],
  ['log-format', 'string', 'text', 'text or json'],
  ['leader-election-lease-duration', 'duration', '15s', 'how long the others wait'],
  ['leader-election-renew-deadline', 'duration', '10s', 'how long the leader tries to renew'],
  ['leader-election-retry-period', 'duration', '2s', 'the pause between tries'],
  [
    'log-level',
    'string',
    'info',
    'trace, debug, info, warn or error; of parts too: info,ingress=debug,source=warn',
  ],
  ['metrics-access-filter', 'string', 'off', 'who may read the metrics: off or rbac'],
  ['metrics-bind-address', 'string', ':10255', 'where /metrics is served'],
  ['naming', 'string', 'modern', 'names of entities: modern (3.x) or legacy (0.8)'],
  [
    'profiling',
    'boolean',
    false,
    'serve profiles of the process, /debug/cpu?seconds=10 and /debug/heap (which holds secrets)',
  ],
  ['profiling-addr', 'string', '127.0.0.1:10257', 'where profiles are served; only on loopback'],
  [
    'proxy-sync-seconds',
    'number',
    3,
    'the longest pause between two passes under a storm of changes',
  ],
  ['proxy-timeout-seconds', 'number', 30, 'how long one request to the Admin API may take'],
  ['publish-service', 'string', '', 'the Service whose addresses statuses show, namespace/name'],
  ['publish-service-udp', 'string', '', 'the same for UDP, if it is another one'],
  ['publish-status-address', 'list', '', 'addresses that statuses show'],
  ['publish-status-address-udp', 'list', '', 'the same for UDP, if they are others'],
  ['secret-label-selector', 'string', '', 'only Secrets with this label set to "true"'],
  ['skip-ca-certificates', 'boolean', false, 'leave CA certificates of a database alone'],
  ['ssl-passthrough-proxy-port', 'integer', 442, "Kong's TLS port behind the TLS proxy"],
  ['sync-period', 'duration', '10h', 'how often to compare with the database as a whole'],
  [
    'sync-rate-limit',
    'number',
    0.3,
    'passes a second',
    { withoutEffect: 'the pause follows the length of a pass' },
  ],
  ['term-delay', 'duration', '0s', 'how long to go on after a signal to end'],
  ['update-status', 'boolean', true, 'write statuses'],
  [
    'update-status-on-shutdown',
    'boolean',
    false,
    'take addresses out of statuses when the last replica ends',
  ],
  [
    'update-status-queue-buffer-size',
    'integer',
    8192,
    'statuses that may wait',
    { withoutEffect: 'only the latest status of an object waits' },
  ],
  [
    'use-last-valid-config-for-fallback',
    'boolean',
    true,
    'a rejected object stays in its last good version',
    { withoutEffect: 'it always does' },
  ],
  ['watch-namespace', 'list', '', 'only these namespaces'],
  ...(
    [
      ['kong-url', 'kong-admin-url'],
      ['admin-header', 'kong-admin-header'],
      ['admin-tls-skip-verify', 'kong-admin-tls-skip-verify'],
      ['admin-tls-server-name', 'kong-admin-tls-server-name'],
      ['admin-ca-cert-file', 'kong-admin-ca-cert-file'],
    ] as const
  ).map(([old, name]): FlagRow => [old, 'string', '', `old name of ${name}`, { replacedBy: name }]),
  ...(
    [
      'konnect-initial-license-polling-period',
      'konnect-license-polling-period',
      'konnect-control-plane-id',
      'konnect-runtime-group-id',
      'konnect-address',
      'konnect-tls-client-cert',
      'konnect-tls-client-cert-file',
      'konnect-tls-client-key',
      'konnect-tls-client-key-file',
      'konnect-upload-config-period',
      'konnect-config-sync-concurrency',
      'konnect-refresh-node-period',
    ] as const
  ).map((name): FlagRow => [name, 'string', '', 'of Konnect', notKonnect]),
  ...(
    [
      'konnect-disable-consumers-sync',
      'konnect-license-storage-enabled',
      'konnect-licensing-enabled',
      'konnect-sync-enabled',
    ] as const
  ).map((name): FlagRow => [name, 'boolean', false, 'of Konnect', notKonnect]),
  ...(
    [
      ['disable-ingress-extensionsv1beta1', 'clusters have no such API any more'],
      ['disable-ingress-networkingv1beta1', 'clusters have no such API any more'],
      ['disable-ingress-networkingv1', 'use --enable-controller-ingress-networkingv1=false'],
      ['process-classless-ingress-v1', 'make the IngressClass the default one'],
      ['process-classless-ingress-v1beta1', 'make the IngressClass the default one'],
      ['process-classless-kong-consumer', 'make the IngressClass the default one'],
      ['skip-classless-ingress-v1beta1', 'it never had one'],
    ] as const
  ).map(([name, withoutEffect]): FlagRow => [name, 'boolean', false, 'of 0.10', { withoutEffect }]),
  ...(
    [
      ['alsologtostderr', 'boolean'],
      ['logtostderr', 'boolean'],
      ['log-dir', 'string'],
      ['log-file', 'string'],
      ['stderrthreshold', 'string'],
      ['v', 'string'],
      ['vmodule', 'string'],
    ] as const
  ).map(
    ([name, type]): FlagRow => [
      name,
      type,
      type === 'boolean' ? false : '',
      'of 0.8',
      { withoutEffect: 'the log goes to stderr; use --log-level' },
    ],
  ),
];

/** Kinds that `enable-controller-<name>` switches off. */
const controllers = new Set(watchedKinds.flatMap(({ flag }) => flag ?? []));

/** The flags of Kong Ingress Controller 3 and 0.8, under their names. */
export const controllerFlags: readonly ControllerFlag[] = [
  ...rows.map(([name, type, value, summary, more = {}]) => ({
    name,
    type,
    default: value,
    summary,
    ...more,
  })),
  ...[...controllers].map((name) => ({
    name: `enable-controller-${name}`,
    type: 'boolean' as const,
    default: true,
    summary: `follow the objects of ${name}`,
  })),
].map((flag) => ({ ...flag, variable: environmentNameOf(flag.name) }));

/** `CONTROLLER_KONG_ADMIN_URL` for `kong-admin-url`; the command line wins over the environment. */
export function environmentNameOf(flag: string): string {
  return `CONTROLLER_${flag.toUpperCase().replaceAll('-', '_')}`;
}
