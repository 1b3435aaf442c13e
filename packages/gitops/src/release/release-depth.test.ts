import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helmRepositoryKind } from '../api/helm-objects.ts';
import { ociRepositoryKind } from '../api/source-objects.ts';
import { colorTemplate, conditionOf, packedChart, TestReleases } from '../testing/releases.ts';

let releases: TestReleases;

const login = 'reader:a-password';
/** Its tests are Pods, which nothing here runs: they end as they are told to. */
const testPod =
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-test\n  annotations:\n    helm.sh/hook: test\nspec:\n  containers: [{name: main, image: test}]\n';
const jobLike =
  'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-job\nspec:\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: job}]}}\n';

beforeAll(async () => {
  releases = await TestReleases.start(
    await startTestServer(),
    { noCrossNamespaceRefs: true },
    login,
  );
  const { registry } = releases;
  const push = (version: string, files: Record<string, string> = {}) =>
    registry.push('charts/web', version, packedChart('web', version, files));
  push('1.0.0');
  push('1.1.0');
  push('2.0.0', { 'templates/test.yaml': testPod });
  push('2.1.0', { 'templates/test.yaml': testPod });
  push('3.0.0', { 'templates/job.yaml': jobLike });
  push('9.0.0', {
    'templates/cm.yaml': colorTemplate.replace('{{ .Release.Name }}', 'Not_A_Name'),
  });
  registry.push(
    'charts/base',
    '0.1.0',
    packedChart('base', '0.1.0', {
      'templates/cm.yaml': colorTemplate.replace('-cm', '-base'),
    }),
  );
});

afterAll(async () => {
  await releases?.[Symbol.asyncDispose]();
});

async function namespaceWithLogin(): Promise<string> {
  const namespace = await releases.namespace({ name: 'login' });
  const [username = '', password = ''] = login.split(':');
  await releases.client.resource(kinds.Secret).create({
    metadata: { name: 'login', namespace },
    stringData: { username, password },
  });
  return namespace;
}

const versionOf = (version: string) => ({
  chart: {
    spec: { chart: 'web', version, sourceRef: { kind: 'HelmRepository', name: 'repo' } },
  },
});

/** Ends the test's Pod when it is there. */
async function endTest(namespace: string, phase: 'Succeeded' | 'Failed', isAnother?: string) {
  const pods = releases.client.resource(kinds.Pod);
  const [pod] = await releases.until(
    async () => (await pods.list({ namespace })).items,
    (items) => items.some(({ metadata }) => metadata.uid !== isAnother),
  );
  await pods.status.patch(pod!.metadata.name!, { status: { phase } }, { namespace });
  return pod!.metadata.uid;
}

describe('where charts come from', () => {
  test('an OCI repository with a password; the highest version of a range, and no other when it may not be read any more', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, versionOf('1.x'));
    await releases.ready(namespace);
    expect((await releases.data(namespace))?.version).toBe('1.1.0');
    // A wrong word for the registry takes nothing away from what is there.
    await releases.client
      .resource(kinds.Secret)
      .patch('login', { stringData: { password: 'wrong' } }, { namespace });
    await releases.change(namespace, versionOf('1.0.0'));
    await releases.until(
      () => releases.get(namespace),
      (object) => conditionOf(object, 'Ready')?.message?.includes('chart pull error') === true,
    );
    expect((await releases.data(namespace))?.version).toBe('1.1.0');
  });

  test('an OCIRepository by chartRef has its digest behind the version, and moves with its tag', async () => {
    const namespace = await namespaceWithLogin();
    const { registry } = releases;
    registry.push('charts/moving', '1.0.0', packedChart('web', '1.0.0'));
    await releases.client.resource(ociRepositoryKind).create({
      metadata: { name: 'moving', namespace },
      spec: {
        url: registry.urlOf('charts/moving'),
        interval: '10m',
        insecure: true,
        ref: { tag: '1.0.0' },
        secretRef: { name: 'docker' },
        layerSelector: {
          mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
          operation: 'copy',
        },
      },
    });
    const auth = Buffer.from(login).toString('base64');
    const host = registry.urlOf('').slice('oci://'.length, -1);
    await releases.client.resource(kinds.Secret).create({
      metadata: { name: 'docker', namespace },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [host]: { auth } } }) },
    });
    await releases.create(namespace, { chartRef: { kind: 'OCIRepository', name: 'moving' } });
    const { status } = await releases.ready(namespace);
    expect((await releases.data(namespace))?.version).toMatch(/^1\.0\.0\+[0-9a-f]{12}$/);
    expect(status?.history?.[0]?.ociDigest).toMatch(/^sha256:/);
    registry.push(
      'charts/moving',
      '1.0.0',
      packedChart('web', '1.0.0', { 'values.yaml': 'color: blue\n' }),
    );
    const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
    await releases.client
      .resource(ociRepositoryKind)
      .patch('moving', { metadata: { annotations } }, { namespace });
    await releases.until(
      () => releases.data(namespace),
      (data) => data?.color === 'blue',
    );
    expect(await releases.stored(namespace)).toHaveLength(2);
  });

  test('a chart in git brings dependencies from a registry, with the password of its repository', async () => {
    const { controllers } = releases;
    const url = releases.registry.urlOf('charts');
    controllers.repository.commit({
      'chart/Chart.yaml': `apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: base, version: 0.x, repository: "${url}"}\n`,
      'chart/values.yaml': 'color: red\nbase: {color: deep}\n',
      'chart/templates/cm.yaml': colorTemplate,
    });
    await controllers.createSource();
    const sourceRef = { kind: 'GitRepository', name: 'src' };
    await releases.create('default', { chart: { spec: { chart: './chart', sourceRef } } });
    const failed = await releases.untilReason('default', 'Ready', 'SourceNotReady');
    expect(conditionOf(failed, 'Ready')?.message).toMatch(/dependency build error|is not ready/);
    // No repository of its namespace lends it a password, until one does.
    const [username = '', password = ''] = login.split(':');
    const { client } = releases;
    await client.resource(kinds.Secret).create({
      metadata: { name: 'login', namespace: 'default' },
      stringData: { username, password },
    });
    await client.resource(helmRepositoryKind).create({
      metadata: { name: 'repo', namespace: 'default' },
      spec: { url, type: 'oci', interval: '10m', insecure: true, secretRef: { name: 'login' } },
    });
    await releases.ready('default');
    expect((await releases.data('default', 'web-base'))?.color).toBe('deep');
  });

  test('references into other namespaces are refused where that is said, and nothing is made', async () => {
    const owner = await namespaceWithLogin();
    const namespace = await namespaceWithLogin();
    const sourceRef = { kind: 'HelmRepository', name: 'repo', namespace: owner };
    await releases.create(namespace, {
      chart: { spec: { chart: 'web', version: '1.0.0', sourceRef } },
    });
    await releases.create(
      namespace,
      { chartRef: { kind: 'HelmChart', name: 'any', namespace: owner } },
      'ref',
    );
    for (const name of ['web', 'ref']) {
      const refused = await releases.untilReason(namespace, 'Stalled', 'AccessDenied', name);
      expect(conditionOf(refused, 'Ready')?.message).toContain(
        'cross-namespace references have been blocked',
      );
    }
    expect(await releases.data(namespace)).toBeUndefined();
  });
});

describe('tests, failures and neighbours', () => {
  test('a release whose test fails goes back to the one before; its neighbour is left alone', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, {}, 'neighbour');
    const neighbour = await releases.ready(namespace, 'neighbour');
    await releases.create(namespace, {
      ...versionOf('2.0.0'),
      test: { enable: true },
      upgrade: { remediation: { retries: 0, remediateLastFailure: true } },
    });
    const first = await endTest(namespace, 'Succeeded');
    const tested = await releases.ready(namespace);
    expect(conditionOf(tested, 'TestSuccess')?.message).toContain('1 test hook completed');
    await releases.change(namespace, versionOf('2.1.0'));
    await endTest(namespace, 'Failed', first);
    const undone = await releases.untilReason(namespace, 'Remediated', 'RollbackSucceeded');
    expect(conditionOf(undone, 'TestSuccess')?.reason).toBe('TestFailed');
    expect((await releases.data(namespace))?.version).toBe('2.0.0');
    expect((await releases.stored(namespace)).map(({ info }) => info.status)).toEqual([
      'superseded',
      'superseded',
      'deployed',
    ]);
    const after = await releases.get(namespace, 'neighbour');
    expect(after.metadata.resourceVersion).toBe(neighbour.metadata.resourceVersion);
  });

  test('a test that fails and is to be ignored undoes nothing, and counts for nothing', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, {
      ...versionOf('2.0.0'),
      test: { enable: true, ignoreFailures: true },
    });
    await endTest(namespace, 'Failed');
    const { status } = await releases.ready(namespace);
    expect(status?.installFailures).toBeUndefined();
    expect(status?.history?.[0]?.testHooks).toMatchObject({ 'web-test': { phase: 'Failed' } });
  });

  test('killed between the record and the objects, it is unlocked and goes on; forced, it acts once', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace);
    await releases.ready(namespace);
    await releases.change(namespace, { suspend: true });
    const storage = releases.storage(namespace);
    const last = (await storage.last('web'))!;
    last.release.version = 2;
    last.release.info.status = 'pending-upgrade';
    await storage.create(last);
    // What a person asks for while it is away is answered by what is done anyway.
    const requestedAt = 'once';
    await releases.annotate(namespace, {
      'reconcile.fluxcd.io/requestedAt': requestedAt,
      'reconcile.fluxcd.io/forceAt': requestedAt,
    });
    await releases.change(namespace, { suspend: false, values: { color: 'blue' } });
    await releases.ready(namespace);
    expect((await releases.stored(namespace)).map(({ info }) => info.status)).toEqual([
      'superseded',
      'failed',
      'deployed',
    ]);
    await releases.annotate(namespace, {
      'reconcile.fluxcd.io/requestedAt': 'twice',
      'reconcile.fluxcd.io/forceAt': 'twice',
    });
    await releases.until(
      () => releases.stored(namespace),
      (all) => all.length === 4 && all[3]?.info.status === 'deployed',
    );
  });

  test('reset lets it try again what had failed too often', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, versionOf('9.0.0'));
    const stalled = await releases.untilReason(namespace, 'Stalled', 'RetriesExceeded');
    expect(stalled.status?.installFailures).toBe(1);
    await releases.annotate(namespace, {
      'reconcile.fluxcd.io/requestedAt': 'again',
      'reconcile.fluxcd.io/resetAt': 'again',
    });
    const again = await releases.until(
      () => releases.get(namespace),
      ({ status }) => status?.lastHandledReconcileAt === 'again' && status.upgradeFailures === 1,
    );
    // What was installed in part is upgraded: it is the first failure of its kind.
    expect(again.status?.lastHandledResetAt).toBe('again');
    expect(again.status?.installFailures).toBeUndefined();
  });
});

describe('health', () => {
  const rule = (current: string, failed?: string) => [
    { apiVersion: 'batch/v1', kind: 'Job', current, ...(failed && { failed }) },
  ];

  test('what the spec says of a kind goes before the common rules, and ends a wait at the first failure', async () => {
    const namespace = await namespaceWithLogin();
    const healthCheckExprs = rule('has(data.status.succeeded)', 'true');
    await releases.create(namespace, { ...versionOf('3.0.0'), healthCheckExprs });
    const failed = await releases.untilReason(namespace, 'Released', 'InstallFailed');
    expect(conditionOf(failed, 'Released')?.message).toContain(
      `failed early due to stalled resources: [Job/${namespace}/web-job status: 'Failed']`,
    );
    await releases.change(namespace, { healthCheckExprs: rule('true') });
    await releases.ready(namespace);
  });

  test('an expression that does not compile stalls it before anything is made', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, { healthCheckExprs: rule('has(') });
    const stalled = await releases.untilReason(namespace, 'Stalled', 'InvalidCELExpression');
    expect(stalled.status?.helmChart).toBeUndefined();
    expect(await releases.stored(namespace)).toEqual([]);
  });

  test('the old way of waiting does not know the expressions', async () => {
    const namespace = await namespaceWithLogin();
    await releases.create(namespace, {
      ...versionOf('3.0.0'),
      waitStrategy: { name: 'legacy' },
      timeout: '200ms',
      healthCheckExprs: rule('true'),
    });
    const failed = await releases.untilReason(namespace, 'Released', 'InstallFailed');
    expect(conditionOf(failed, 'Released')?.message).toContain('context deadline exceeded');
  });
});
