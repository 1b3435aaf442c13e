import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer } from '@waygate/apiserver';
import { packFiles, ReleaseStorage } from '@waygate/helm';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type HelmRelease,
  helmChartKind,
  helmReleaseKind,
  helmRepositoryKind,
} from '../api/helm-objects.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { TestControllers } from '../testing/controllers.ts';
import { KubeReleaseCluster } from './kube-release-cluster.ts';

/** Charts `web` that differ by version; the repository offers those that are in `offered`. */
const template = (version: string) =>
  version.startsWith('9.')
    ? 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n'
    : 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-cm\ndata:\n  color: {{ .Values.color }}\n  version: {{ .Chart.Version | quote }}\n';

const packed = (version: string) =>
  packFiles(
    [
      ['Chart.yaml', `apiVersion: v2\nname: web\nversion: ${version}\n`],
      ['values.yaml', 'color: red\n'],
      ['values-blue.yaml', 'color: blue\n'],
      ['templates/cm.yaml', template(version)],
    ].map(([name, text]) => ({ name: `web/${name}`, data: Buffer.from(text!) })),
  );

let repository: Server;
let url: string;
let offered = ['1.0.0', '1.1.0'];
let cluster: TestCluster;
let controllers: TestControllers;
let count = 0;

beforeAll(async () => {
  repository = createServer((request, response) => {
    if (request.url === '/index.yaml') {
      const entries = offered.map(
        (version) => `  - {name: web, version: ${version}, urls: [web-${version}.tgz]}\n`,
      );
      response.end(`apiVersion: v1\nentries:\n  web:\n${entries.join('')}`);
      return;
    }
    const version = /web-(.*)\.tgz/.exec(request.url ?? '')?.[1];
    if (version === undefined) response.writeHead(404).end();
    else response.end(packed(version));
  });
  await new Promise<void>((resolve) => repository.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(repository.address() as AddressInfo).port}`;
  const settings = { minRetryMs: 20, maxRetryMs: 200 };
  controllers = await TestControllers.start(await startTestServer(), settings);
  cluster = controllers.cluster;
});

afterAll(async () => {
  await controllers?.[Symbol.asyncDispose]();
  repository?.closeAllConnections();
  repository?.close();
});

const releases = () => cluster.client.resource(helmReleaseKind);

async function namespaceWithRepository(): Promise<string> {
  const namespace = `helm-${++count}`;
  await cluster.client.resource(kinds.Namespace).create({ metadata: { name: namespace } });
  await cluster.client.resource(helmRepositoryKind).create({
    metadata: { name: 'repo', namespace },
    spec: { url, interval: '10m' },
  });
  return namespace;
}

function create(namespace: string, spec: Partial<HelmRelease['spec']> = {}, name = 'web') {
  return releases().create({
    metadata: { name, namespace },
    spec: {
      interval: '10m',
      chart: {
        spec: {
          chart: 'web',
          version: '1.0.0',
          sourceRef: { kind: 'HelmRepository', name: 'repo' },
        },
      },
      ...spec,
    },
  });
}

const get = (namespace: string, name = 'web') => releases().get(name, { namespace });
const conditionOf = ({ status }: HelmRelease, type: string) =>
  status?.conditions?.find((each) => each.type === type);
const isReady = (object: HelmRelease) =>
  conditionOf(object, 'Ready')?.status === 'True' &&
  object.status?.observedGeneration === object.metadata.generation;
const ready = (namespace: string, name = 'web') =>
  cluster.until(() => get(namespace, name), isReady);
const configMap = (namespace: string, name = 'web-cm') =>
  cluster.client.resource(kinds.ConfigMap).get(name, { namespace });
const change = (namespace: string, spec: object) =>
  releases().patch('web', { spec }, { namespace });
const stored = async (namespace: string) => {
  const api = new KubeReleaseCluster(cluster.client, { fieldManager: 'test' });
  const storage = new ReleaseStorage(api, { namespace, now: () => new Date() });
  return (await storage.history('web')).map(({ release }) => release);
};

describe('HelmRelease', () => {
  test('is installed from a repository, upgraded by its values, and taken away with what it made', async () => {
    const namespace = await namespaceWithRepository();
    await create(namespace, { values: { color: 'green' } });
    const installed = await ready(namespace);
    expect(conditionOf(installed, 'Released')).toMatchObject({
      status: 'True',
      reason: 'InstallSucceeded',
      message: `Helm install succeeded for release ${namespace}/web.v1 with chart web@1.0.0`,
    });
    expect(installed.status).toMatchObject({
      helmChart: `${namespace}/${namespace}-web`,
      lastAttemptedRevision: '1.0.0',
      history: [{ version: 1, status: 'deployed', chartVersion: '1.0.0', action: 'install' }],
      inventory: { entries: [{ id: `${namespace}_web-cm__ConfigMap`, v: 'v1' }] },
    });
    const first = await configMap(namespace);
    expect(first.data).toEqual({ color: 'green', version: '1.0.0' });
    expect(first.metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'Helm',
      'helm.toolkit.fluxcd.io/name': 'web',
    });
    await change(namespace, { values: { color: 'black' } });
    const upgraded = await ready(namespace);
    expect(conditionOf(upgraded, 'Ready')?.reason).toBe('UpgradeSucceeded');
    expect((await configMap(namespace)).data?.color).toBe('black');
    expect((await stored(namespace)).map(({ info }) => info.status)).toEqual([
      'superseded',
      'deployed',
    ]);
    await releases().delete('web', { namespace });
    const left = async () => ({
      releases: (await releases().list({ namespace })).items.length,
      charts: (await cluster.client.resource(helmChartKind).list({ namespace })).items.length,
      secrets: (await stored(namespace)).length,
      maps: (await cluster.client.resource(kinds.ConfigMap).list({ namespace })).items.filter(
        ({ metadata }) => metadata.name === 'web-cm',
      ).length,
    });
    await cluster.until(left, (each) => Object.values(each).every((number) => number === 0));
  });

  test('looked at again without a change, writes nothing', async () => {
    const namespace = await namespaceWithRepository();
    await create(namespace);
    const before = await ready(namespace);
    const requestedAt = 'again';
    const annotations = { 'reconcile.fluxcd.io/requestedAt': requestedAt };
    await releases().patch('web', { metadata: { annotations } }, { namespace });
    const after = await cluster.until(
      () => get(namespace),
      ({ status }) => status?.lastHandledReconcileAt === requestedAt,
    );
    expect(after.status?.history).toEqual(before.status?.history);
    expect(after.status?.conditions).toEqual(before.status?.conditions);
    expect(await stored(namespace)).toHaveLength(1);
  });

  test('an upgrade that fails is rolled back, and stalls when no retries are left; a new version mends it', async () => {
    const namespace = await namespaceWithRepository();
    offered = [...offered, '9.0.0'];
    await create(namespace, {
      upgrade: { remediation: { retries: 1 } },
    });
    await ready(namespace);
    const chartAt = (version: string) => ({ chart: { spec: { version } } });
    const requestedAt = `index-${namespace}`;
    await cluster.client
      .resource(helmRepositoryKind)
      .patch(
        'repo',
        { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt } } },
        { namespace },
      );
    await change(namespace, chartAt('9.0.0'));
    const stalled = await cluster.until(
      () => get(namespace),
      (object) => conditionOf(object, 'Stalled')?.status === 'True',
    );
    expect(conditionOf(stalled, 'Stalled')).toMatchObject({
      reason: 'RetriesExceeded',
      message: 'Failed to upgrade after 2 attempt(s)',
    });
    expect(conditionOf(stalled, 'Remediated')?.reason).toBe('RollbackSucceeded');
    expect(conditionOf(stalled, 'Ready')?.status).toBe('False');
    expect((await configMap(namespace)).data?.version).toBe('1.0.0');
    await change(namespace, chartAt('1.1.0'));
    const mended = await ready(namespace);
    expect(conditionOf(mended, 'Remediated')).toBeUndefined();
    expect((await configMap(namespace)).data?.version).toBe('1.1.0');
  });

  test('a release that was cut off is unlocked and goes on; nothing is recreated', async () => {
    const namespace = await namespaceWithRepository();
    await create(namespace);
    await ready(namespace);
    const { uid } = (await configMap(namespace)).metadata;
    await change(namespace, { suspend: true });
    const api = new KubeReleaseCluster(cluster.client, { fieldManager: 'test' });
    const storage = new ReleaseStorage(api, { namespace, now: () => new Date() });
    const last = (await storage.last('web'))!;
    last.release.version = 2;
    last.release.info.status = 'pending-upgrade';
    await storage.create(last);
    await change(namespace, { suspend: false });
    await ready(namespace);
    expect((await stored(namespace)).map(({ info }) => info.status)).toEqual([
      'superseded',
      'failed',
      'deployed',
    ]);
    expect((await configMap(namespace)).metadata.uid).toBe(uid);
  });

  test('suspended it does nothing, and deleted then, it leaves all as it is', async () => {
    const namespace = await namespaceWithRepository();
    await create(namespace);
    await ready(namespace);
    await change(namespace, { suspend: true, values: { color: 'never' } });
    await releases().delete('web', { namespace });
    await cluster.until(
      async () => (await releases().list({ namespace })).items.length,
      (left) => left === 0,
    );
    expect((await configMap(namespace)).data?.color).toBe('red');
    expect(await stored(namespace)).toHaveLength(1);
  });

  test('values come from ConfigMaps and Secrets, patches from the spec, and drift is corrected', async () => {
    const namespace = await namespaceWithRepository();
    await cluster.client.resource(kinds.Secret).create({
      metadata: { name: 'secret', namespace },
      data: { word: Buffer.from('purple').toString('base64') },
    });
    await create(namespace, {
      valuesFrom: [
        { kind: 'ConfigMap', name: 'absent', optional: true },
        { kind: 'Secret', name: 'secret', valuesKey: 'word', targetPath: 'color' },
      ],
      postRenderers: [
        {
          kustomize: {
            patches: [
              {
                target: { kind: 'ConfigMap' },
                patch: '- {op: add, path: /data/patched, value: "yes"}',
              },
            ],
          },
        },
      ],
      driftDetection: { mode: 'enabled' },
    });
    await ready(namespace);
    expect((await configMap(namespace)).data).toMatchObject({ color: 'purple', patched: 'yes' });
    await cluster.client
      .resource(kinds.ConfigMap)
      .patch('web-cm', { data: { color: 'by hand' } }, { namespace, fieldManager: 'someone' });
    const annotations = { 'reconcile.fluxcd.io/requestedAt': 'drift' };
    await releases().patch('web', { metadata: { annotations } }, { namespace });
    await cluster.until(
      () => configMap(namespace),
      ({ data }) => data?.color === 'purple',
    );
    expect(await stored(namespace)).toHaveLength(1);
  });

  test('waits for what it depends on, and may not reach into other namespaces where that is refused', async () => {
    const namespace = await namespaceWithRepository();
    await create(namespace, { dependsOn: [{ name: 'base' }] });
    const waiting = await cluster.until(
      () => get(namespace),
      (object) => conditionOf(object, 'Ready')?.reason === 'DependencyNotReady',
    );
    expect(conditionOf(waiting, 'Ready')?.message).toContain(
      `dependency '${namespace}/base' not found`,
    );
    await create(namespace, {}, 'base');
    await ready(namespace);
    expect((await configMap(namespace, 'base-cm')).data?.color).toBe('red');
  });
});

describe('HelmChart', () => {
  test('takes the highest version of a range, and values files in the place of its values', async () => {
    const namespace = await namespaceWithRepository();
    const charts = cluster.client.resource(helmChartKind);
    const sourceRef = { kind: 'HelmRepository', name: 'repo' };
    await charts.create({
      metadata: { name: 'range', namespace },
      spec: { chart: 'web', version: '<1.1.0', sourceRef, interval: '10m' },
    });
    await charts.create({
      metadata: { name: 'blue', namespace },
      spec: {
        chart: 'web',
        version: '1.x',
        sourceRef,
        interval: '10m',
        valuesFiles: ['values-blue.yaml'],
      },
    });
    await charts.create({
      metadata: { name: 'none', namespace },
      spec: { chart: 'web', version: '7.x', sourceRef, interval: '10m' },
    });
    const until = (name: string, type: string, status: string) =>
      cluster.until(
        () => charts.get(name, { namespace }),
        (chart) =>
          (chart.status?.conditions ?? []).some(
            (each) => each.type === type && each.status === status,
          ),
      );
    expect((await until('range', 'Ready', 'True')).status?.artifact?.revision).toBe('1.0.0');
    const blue = await until('blue', 'Ready', 'True');
    expect(blue.status?.artifact?.revision).toBe('1.1.0+1');
    expect(blue.status?.observedValuesFiles).toEqual(['values-blue.yaml']);
    const none = await until('none', 'BuildFailed', 'True');
    const failure = none.status?.conditions?.find(({ type }) => type === 'BuildFailed');
    expect(failure).toMatchObject({ status: 'True', reason: 'InvalidChartReference' });
  });
});

describe('a chart in git', () => {
  const files = (text: string) => ({
    'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'charts/web/.helmignore': 'left-out.txt\n',
    'charts/web/left-out.txt': 'not for the chart',
    'charts/web/values.yaml': 'color: red\n',
    'charts/web/templates/cm.yaml': `${template('1.0.0')}  files: {{ .Files.Get "left-out.txt" | quote }}\n  text: ${text}\n`,
    'production.yaml': 'color: of production\n',
  });

  test('is packed with values files beside it, and anew with each revision when that is asked for', async () => {
    controllers.repository.commit(files('one'));
    await controllers.createSource();
    await cluster.client.resource(helmChartKind).create({
      metadata: { name: 'git', namespace: 'default' },
      spec: {
        chart: './charts/web',
        sourceRef: { kind: 'GitRepository', name: 'src' },
        interval: '10m',
        reconcileStrategy: 'Revision',
        valuesFiles: ['charts/web/values.yaml', 'production.yaml'],
      },
    });
    await releases().create({
      metadata: { name: 'git', namespace: 'default' },
      spec: { interval: '10m', chartRef: { kind: 'HelmChart', name: 'git' } },
    });
    const textIs = (text: string) =>
      cluster.until(
        () => configMap('default', 'git-cm').catch(() => undefined),
        (found) => found?.data?.text === text,
      );
    expect((await textIs('one'))?.data).toMatchObject({ color: 'of production', files: '' });
    controllers.repository.commit(files('two'));
    await textIs('two');
  });
});
