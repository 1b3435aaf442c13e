import type { KubeObject } from '@waygate/schema';

const time = '2026-01-02T03:04:05Z';
const commit = '5394cb7f48332b2de7c17dd8b8384bbc84b7e738';
const digest = 'sha256:d52bde83c5b2bd0fa7910264e0afc3ac9cfe9b6636ca29c05c09742f01d5a4bd';

/** A namespaced object, as it is seeded; what is in `status` is written after it. */
export type SeededObject = KubeObject & { readonly status?: object };

type Condition = readonly [status: 'True' | 'False' | 'Unknown', reason: string, message: string];

function conditions(...all: (readonly [type: string, condition: Condition])[]) {
  return all.map(([type, [status, reason, message]]) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: time,
    observedGeneration: 1,
  }));
}

const ready = (reason: string, message: string) => conditions(['Ready', ['True', reason, message]]);
const failed = (reason: string, message: string) =>
  conditions(['Ready', ['False', reason, message]]);

function artifact(revision: string, path: string) {
  return {
    digest,
    lastUpdateTime: time,
    path,
    revision,
    size: 1024,
    url: `http://source-controller.flux-system.svc.cluster.local./${path}`,
  };
}

function seeded(
  apiVersion: string,
  kind: string,
  [namespace, name]: readonly [string, string],
  spec: object,
  status?: object,
  labels?: Record<string, string>,
): SeededObject {
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec,
    ...(status === undefined ? {} : { status: { observedGeneration: 1, ...status } }),
  } as SeededObject;
}

const source = 'source.toolkit.fluxcd.io/v1';
const kustomize = 'kustomize.toolkit.fluxcd.io/v1';
const helm = 'helm.toolkit.fluxcd.io/v2';
const revision = `main@sha1:${commit}`;
const own = {
  'kustomize.toolkit.fluxcd.io/name': 'shop',
  'kustomize.toolkit.fluxcd.io/namespace': 'apps',
};

const sources: readonly SeededObject[] = [
  seeded(
    source,
    'GitRepository',
    ['flux-system', 'flux-system'],
    { interval: '1m0s', url: 'ssh://git@git.example/fleet', ref: { branch: 'main' } },
    {
      artifact: artifact(revision, 'gitrepository/flux-system/flux-system/5394cb7f.tar.gz'),
      conditions: ready('Succeeded', `stored artifact for revision '${revision}'`),
    },
  ),
  seeded(
    source,
    'GitRepository',
    ['apps', 'broken'],
    { interval: '5m0s', url: 'https://git.example/broken', ref: { semver: '>=1.0.0' } },
    {
      conditions: failed(
        'GitOperationFailed',
        "failed to checkout and determine revision: unable to clone 'https://git.example/broken': repository not found",
      ),
    },
  ),
  seeded(
    source,
    'GitRepository',
    ['apps', 'resting'],
    {
      interval: '5m0s',
      url: 'https://git.example/resting',
      suspend: true,
      secretRef: { name: 'login' },
    },
    {
      artifact: artifact('v1.2.3@sha1:0123456789abcdef0123456789abcdef01234567', 'g/r.tar.gz'),
      conditions: ready('Succeeded', 'stored artifact'),
    },
    { team: 'shop' },
  ),
  seeded(
    source,
    'OCIRepository',
    ['apps', 'manifests'],
    { interval: '10m0s', url: 'oci://registry.example/manifests', ref: { tag: 'latest' } },
    {
      artifact: artifact(`latest@${digest}`, 'ocirepository/apps/manifests/d52bde83.tar.gz'),
      conditions: ready('Succeeded', `stored artifact for digest 'latest@${digest}'`),
    },
  ),
  seeded(
    source,
    'Bucket',
    ['apps', 'files'],
    { interval: '10m0s', bucketName: 'files', endpoint: 's3.example' },
    {
      artifact: artifact(digest, 'bucket/apps/files/d52bde83.tar.gz'),
      conditions: ready('Succeeded', `stored artifact: revision '${digest}'`),
    },
  ),
  seeded(
    source,
    'HelmRepository',
    ['apps', 'charts'],
    { interval: '10m0s', url: 'https://charts.example' },
    {
      artifact: artifact(digest, 'helmrepository/apps/charts/index-d52bde83.yaml'),
      conditions: ready('Succeeded', `stored artifact: revision '${digest}'`),
    },
  ),
  seeded(source, 'HelmRepository', ['apps', 'registry'], {
    interval: '10m0s',
    type: 'oci',
    url: 'oci://registry.example/charts',
  }),
  seeded(
    source,
    'HelmChart',
    ['apps', 'apps-web'],
    {
      interval: '10m0s',
      chart: 'web',
      version: '1.x',
      sourceRef: { kind: 'HelmRepository', name: 'charts' },
      reconcileStrategy: 'ChartVersion',
    },
    {
      artifact: artifact('1.4.0', 'helmchart/apps/apps-web/web-1.4.0.tgz'),
      observedChartName: 'web',
      conditions: ready('ChartPullSucceeded', "pulled 'web' chart with version '1.4.0'"),
    },
  ),
];

const appliers: readonly SeededObject[] = [
  seeded(
    kustomize,
    'Kustomization',
    ['flux-system', 'flux-system'],
    {
      interval: '10m0s',
      path: './clusters/one',
      prune: true,
      sourceRef: { kind: 'GitRepository', name: 'flux-system' },
    },
    {
      lastAppliedRevision: revision,
      lastAttemptedRevision: revision,
      inventory: {
        entries: [{ id: 'apps_shop_kustomize.toolkit.fluxcd.io_Kustomization', v: 'v1' }],
      },
      conditions: ready('ReconciliationSucceeded', `Applied revision: ${revision}`),
    },
  ),
  seeded(
    kustomize,
    'Kustomization',
    ['apps', 'shop'],
    {
      interval: '10m0s',
      path: './apps/shop',
      prune: true,
      wait: true,
      targetNamespace: 'apps',
      dependsOn: [{ name: 'base' }],
      sourceRef: { kind: 'GitRepository', name: 'flux-system', namespace: 'flux-system' },
      postBuild: {
        substitute: { region: 'eu', colour: 'green' },
        substituteFrom: [
          { kind: 'ConfigMap', name: 'settings' },
          { kind: 'Secret', name: 'login', optional: true },
          { kind: 'ConfigMap', name: 'none', optional: true },
        ],
      },
    },
    {
      lastAppliedRevision: revision,
      lastAttemptedRevision: revision,
      inventory: {
        entries: [
          { id: 'apps_settings__ConfigMap', v: 'v1' },
          { id: 'apps_web__Service', v: 'v1' },
          { id: 'apps_web_apps_Deployment', v: 'v1' },
          { id: 'apps_web_helm.toolkit.fluxcd.io_HelmRelease', v: 'v2' },
        ],
      },
      conditions: ready('ReconciliationSucceeded', `Applied revision: ${revision}`),
    },
    {
      'kustomize.toolkit.fluxcd.io/name': 'flux-system',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    },
  ),
  seeded(
    kustomize,
    'Kustomization',
    ['apps', 'base'],
    {
      interval: '10m0s',
      path: './base',
      prune: false,
      suspend: true,
      sourceRef: { kind: 'OCIRepository', name: 'manifests' },
    },
    {
      lastAttemptedRevision: `latest@${digest}`,
      conditions: failed('BuildFailed', "kustomize build failed: accumulating resources: 'a.yaml'"),
    },
    { team: 'shop' },
  ),
  seeded(
    helm,
    'HelmRelease',
    ['apps', 'web'],
    {
      interval: '10m0s',
      chart: {
        spec: {
          chart: 'web',
          version: '1.x',
          sourceRef: { kind: 'HelmRepository', name: 'charts' },
        },
      },
      values: { replicas: 2, image: { tag: 'v1' } },
      valuesFrom: [
        { kind: 'ConfigMap', name: 'settings', valuesKey: 'values.yaml' },
        { kind: 'Secret', name: 'login', valuesKey: 'password', targetPath: 'auth.password' },
      ],
    },
    {
      helmChart: 'apps/apps-web',
      lastAttemptedRevision: '1.4.0',
      storageNamespace: 'apps',
      history: [
        {
          appVersion: '6.0.0',
          chartName: 'web',
          chartVersion: '1.4.0',
          configDigest: digest,
          digest,
          firstDeployed: time,
          lastDeployed: time,
          name: 'web',
          namespace: 'apps',
          status: 'deployed',
          version: 1,
        },
      ],
      conditions: ready(
        'InstallSucceeded',
        'Helm install succeeded for release apps/web.v1 with chart web@1.4.0',
      ),
    },
    own,
  ),
];

const notification = 'notification.toolkit.fluxcd.io';

const notifications: readonly SeededObject[] = [
  seeded(`${notification}/v1beta3`, 'Provider', ['apps', 'chat'], {
    type: 'slack',
    channel: 'general',
    address: 'https://hooks.example',
    secretRef: { name: 'login' },
  }),
  seeded(`${notification}/v1beta3`, 'Alert', ['apps', 'all'], {
    providerRef: { name: 'chat' },
    eventSeverity: 'error',
    eventSources: [
      { kind: 'Kustomization', name: '*' },
      { kind: 'GitRepository', name: 'broken' },
    ],
  }),
  seeded(
    `${notification}/v1`,
    'Receiver',
    ['apps', 'push'],
    {
      type: 'generic',
      secretRef: { name: 'login' },
      resources: [{ kind: 'GitRepository', name: 'broken' }],
    },
    {
      webhookPath: '/hook/bed6d00b5555b1603e1f59b94d7fdbca58089cb5663633fb83f2815dc626d92b',
      conditions: ready('Succeeded', 'Receiver initialized for path: /hook/bed6d00b'),
    },
  ),
];

const workloads: readonly SeededObject[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'apps', labels: own },
    data: { domain: 'shop.example', colour: 'blue', 'values.yaml': 'replicas: 3\nextra: true\n' },
  } as SeededObject,
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'apps' },
    stringData: { username: 'me', password: 's3cret', token: 't' },
  } as SeededObject,
  seeded(
    'v1',
    'Service',
    ['apps', 'web'],
    { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] },
    undefined,
    own,
  ),
  seeded(
    'apps/v1',
    'Deployment',
    ['apps', 'web'],
    {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
    },
    undefined,
    own,
  ),
  seeded(
    'apps/v1',
    'Deployment',
    ['apps', 'released'],
    {
      selector: { matchLabels: { app: 'released' } },
      template: {
        metadata: { labels: { app: 'released' } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
    },
    undefined,
    { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'apps' },
  ),
  seeded('apps/v1', 'Deployment', ['apps', 'stranger'], {
    selector: { matchLabels: { app: 'stranger' } },
    template: {
      metadata: { labels: { app: 'stranger' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
  }),
];

/** The namespaces of the fleet. */
export const fleetNamespaces: readonly string[] = ['flux-system', 'apps', 'empty'];

/** What both programs find: sources, what is made of them, and what they are told by, well and unwell. */
export const fleet: readonly SeededObject[] = [
  ...sources,
  ...appliers,
  ...notifications,
  ...workloads,
];
