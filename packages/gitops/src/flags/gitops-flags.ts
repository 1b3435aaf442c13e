import type { ControllerFlag, FeatureGates } from '@waygate/runtime';

type Row = readonly [
  name: string,
  type: ControllerFlag['type'],
  value: ControllerFlag['default'],
  summary: string,
  more?: Pick<ControllerFlag, 'variable' | 'withoutEffect'>,
];

const noHelmCache = { withoutEffect: 'the few indexes that are kept need no settings' };
const noTokens = { withoutEffect: 'no tokens of clouds are asked for, so there are none to keep' };
const noCloud = { withoutEffect: 'identities of clouds are not supported: use Secrets' };

const rows: readonly Row[] = [
  [
    'act-beside-others',
    'boolean',
    false,
    'act although other controllers hold their Leases and act on the same kinds',
  ],
  [
    'artifact-digest-algo',
    'string',
    'sha256',
    'what digests of artifacts are made with: sha256, sha384 or sha512',
  ],
  ['artifact-retention-records', 'integer', 2, 'artifacts of a source that are kept in any case'],
  ['artifact-retention-ttl', 'duration', '1m', 'how long an artifact outlives its successor'],
  [
    'concurrent',
    'integer',
    8,
    'Kustomizations reconciled at a time; sources, where only they are followed',
  ],
  ['concurrent-sources', 'integer', 4, 'sources reconciled at a time'],
  ['concurrent-ssa', 'integer', 4, 'objects of one Kustomization applied at a time'],
  ['custom-apply-stage-kinds', 'list', '', 'kinds applied before others: group/Kind,…'],
  ['default-decryption-service-account', 'string', '', 'whose identity decrypts', noCloud],
  [
    'default-kubeconfig-service-account',
    'string',
    '',
    'whose token reaches clusters of ConfigMaps that name no ServiceAccount',
  ],
  ['default-service-account', 'string', '', 'for Kustomizations that name none'],
  ['enable-leader-election', 'boolean', false, 'several replicas: one of them acts'],
  [
    'events-addr',
    'string',
    '',
    'where events go too, such as the URL of a notification-controller; or host:port, where they are taken',
  ],
  [
    'events-listen-addr',
    'string',
    ':9091',
    'where events of other controllers are taken, for Alerts; or off',
  ],
  [
    'export-http-path-metrics',
    'boolean',
    false,
    'paths in metrics of receivers',
    { withoutEffect: 'paths of receivers are secrets: they are in no metric' },
  ],
  ['feature-gates', 'list', '', 'switches of single features, name=true or false'],
  ['health-addr', 'string', ':9440', 'where /healthz and /readyz of them are; or off'],
  ['helm-cache-max-size', 'integer', 0, 'of indexes', noHelmCache],
  ['helm-cache-purge-interval', 'string', '1m', 'of indexes', noHelmCache],
  ['helm-cache-ttl', 'string', '15m', 'of indexes', noHelmCache],
  ['helm-chart-file-max-size', 'integer', 5_242_880, 'bytes of one file in a Helm chart'],
  ['helm-chart-max-size', 'integer', 10_485_760, 'bytes of a packed Helm chart'],
  ['helm-index-max-size', 'integer', 52_428_800, 'bytes of the index of a Helm repository'],
  ['http-retry', 'integer', 9, 'how often the download of an artifact is tried again'],
  [
    'insecure-kubeconfig-exec',
    'boolean',
    false,
    'kubeconfigs of Kustomizations may name programs, which run with the rights of this process',
  ],
  [
    'insecure-kubeconfig-tls',
    'boolean',
    false,
    'kubeconfigs of Kustomizations may switch the check of certificates off',
  ],
  ['interval-jitter-percentage', 'integer', 5, 'by how much intervals differ'],
  ['kube-api-burst', 'integer', 300, 'requests at once to the Kubernetes API'],
  ['kube-api-qps', 'number', 50, 'requests a second to the Kubernetes API'],
  ['leader-election-lease-duration', 'duration', '35s', 'how long the others wait'],
  [
    'leader-election-release-on-cancel',
    'boolean',
    true,
    'who ends gives the Lease back, so that the next one need not wait',
  ],
  ['leader-election-renew-deadline', 'duration', '30s', 'how long the leader tries to renew'],
  ['leader-election-retry-period', 'duration', '5s', 'the pause between tries'],
  ['log-encoding', 'string', '', 'json or console, as --log-format=json or text'],
  [
    'log-level',
    'string',
    'info',
    'trace, debug, info, warn or error; of parts too: info,kustomize=debug',
  ],
  ['max-retry-delay', 'duration', '15m', 'the longest pause after a failure'],
  [
    'metrics-addr',
    'string',
    ':8080',
    'where the metrics of sources and Kustomizations are; or off',
  ],
  ['min-retry-delay', 'duration', '750ms', 'the pause after the first failure; it doubles'],
  ['no-cross-namespace-refs', 'boolean', false, 'sources of other namespaces may not be used'],
  [
    'no-external-artifacts',
    'boolean',
    false,
    'artifacts of other controllers may not be used, as with the feature gate ExternalArtifact off',
  ],
  [
    'no-remote-bases',
    'boolean',
    true,
    'bases of other repositories are refused, whatever is said here: nothing is fetched in a build',
  ],
  ['override-manager', 'list', '', 'field managers whose fields become ours, beside kubectl'],
  ['rate-limit-interval', 'duration', '5m', 'how long the same event is not told again'],
  ['receiverAddr', 'string', ':9292', 'where Receivers are served; or off'],
  ['requeue-dependency', 'duration', '30s', 'how soon to look again for what is missing'],
  [
    'sops-age-secret',
    'string',
    '',
    'a Secret of our own namespace with age keys, for every Kustomization that decrypts',
  ],
  [
    'sops-vault-configmap',
    'string',
    '',
    'addresses of Vault',
    { withoutEffect: 'decryption by Vault is not supported: use age or PGP keys' },
  ],
  ['ssh-hostkey-algos', 'list', '', 'kinds of host keys that are taken, the best first'],
  ['ssh-kex-algos', 'list', '', 'key exchanges that are used, the best first'],
  ['storage-addr', 'string', ':9090', 'where artifacts are served', { variable: 'STORAGE_ADDR' }],
  [
    'storage-adv-addr',
    'string',
    '',
    'what others reach the artifacts by, such as the name of a Service',
    { variable: 'STORAGE_ADV_ADDR' },
  ],
  [
    'storage-path',
    'string',
    '/data',
    'where artifacts of sources are kept',
    { variable: 'STORAGE_PATH' },
  ],
  ['token-cache-max-duration', 'duration', '1h', 'of tokens of clouds', noTokens],
  ['token-cache-max-size', 'integer', 100, 'of tokens of clouds', noTokens],
  [
    'watch-all-namespaces',
    'boolean',
    true,
    'false: only objects of the namespace in RUNTIME_NAMESPACE',
  ],
  [
    'watch-configs-label-selector',
    'string',
    'reconcile.fluxcd.io/watch=Enabled',
    'ConfigMaps and Secrets with these labels wake the Kustomizations that use them',
  ],
  [
    'watch-label-selector',
    'string',
    '',
    'only sources and Kustomizations with these labels: a shard',
  ],
];

/**
 * The flags of Flux's source-controller, kustomize-controller and notification-controller under their
 * names, and a few of our own.
 */
export const gitOpsFlags: readonly ControllerFlag[] = rows.map(
  ([name, type, value, summary, more = {}]) => ({ name, type, default: value, summary, ...more }),
);

/** The feature gates of Flux's source-controller and kustomize-controller. */
export const gitOpsGates: FeatureGates = {
  acting: ['DisableConfigWatchers', 'ExternalArtifact', 'StrictPostBuildSubstitutions'],
  withoutEffect: {
    AdditiveCELDependencyCheck: 'readyExpr decides where it is given',
    CacheSecretsAndConfigMaps: 'they are read when they are needed, and not kept',
    CancelHealthCheckOnNewRevision: 'a new revision always ends the wait for the old one',
    DirectSourceFetch: 'sources are read from a cache that follows them',
    DisableFailFastBehavior: 'waits for health end as soon as one object cannot become healthy',
    DisableStatusPollerCache: 'nothing is polled: changes are followed',
    GroupChangeLog: 'changes are told one by one',
    MigrateAPIVersion: 'API versions in managed fields are left as they are',
    ObjectLevelWorkloadIdentity: 'identities of clouds are not supported: use Secrets',
  },
};
