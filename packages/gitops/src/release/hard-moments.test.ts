import { startTestServer } from '@waygate/apiserver';
import { type Job, kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helmChartKind, helmReleaseKind } from '../api/helm-objects.ts';
import { colorTemplate, conditionOf, packedChart, TestReleases } from '../testing/releases.ts';

let releases: TestReleases;

const hook = (event: string, kind: string, name: string, spec = '') =>
  `apiVersion: ${kind === 'Job' ? 'batch/v1' : 'v1'}\nkind: ${kind}\nmetadata:\n  name: ${name}\n  annotations: {helm.sh/hook: "${event}"}\n${spec}`;
const jobSpec =
  'spec:\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: job}]}}\n';

beforeAll(async () => {
  releases = await TestReleases.start(await startTestServer());
  const { registry } = releases;
  const push = (name: string, version: string, files: Record<string, string> = {}) =>
    registry.push(`charts/${name}`, version, packedChart(name, version, files));
  push('web', '1.0.0');
  push('web', '1.1.0');
  push('web', '2.0.0', {
    'templates/hook.yaml': hook(
      'pre-install,pre-upgrade',
      'Job',
      '{{ .Release.Name }}-job',
      jobSpec,
    ),
  });
  // Cannot be gone back to: what comes before a rollback is refused.
  push('web', '3.0.0', { 'templates/hook.yaml': hook('pre-rollback', 'ConfigMap', 'Not_A_Name') });
  push('web', '9.0.0', {
    'templates/cm.yaml': colorTemplate.replace('{{ .Release.Name }}', 'Not_A_Name'),
  });
  registry.push('charts/torn', '1.0.0', packedChart('torn', '1.0.0').subarray(0, 100));
});

afterAll(async () => {
  await releases?.[Symbol.asyncDispose]();
});

const chart = (version: string, name = 'web') => ({
  chart: {
    spec: { chart: name, version, sourceRef: { kind: 'HelmRepository', name: 'repo' } },
  },
});

const states = async (namespace: string) =>
  (await releases.stored(namespace)).map(
    (release) => `${release.chart.metadata.version} ${release.info.status}`,
  );

/** The Job of the hook, once there is one that was not seen before. */
async function hookJob(namespace: string, seen?: string): Promise<Job> {
  const jobs = releases.client.resource(kinds.Job);
  const [job] = await releases.until(
    async () =>
      (await jobs.list({ namespace })).items.filter(({ metadata }) => metadata.uid !== seen),
    (items) => items.length > 0,
  );
  return job!;
}

async function endHook(namespace: string, { metadata }: Job): Promise<void> {
  const conditions = [{ type: 'Complete', status: 'True' as const }];
  await releases.client
    .resource(kinds.Job)
    .status.patch(metadata.name!, { status: { succeeded: 1, conditions } }, { namespace });
}

describe('a change while another is under way', () => {
  test('the first is finished, and the second follows it', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, chart('2.0.0'));
    const first = await hookJob(namespace);
    await releases.change(namespace, { values: { color: 'blue' } });
    await endHook(namespace, first);
    await endHook(namespace, await hookJob(namespace, first.metadata.uid));
    const { status } = await releases.ready(namespace);
    expect(await releases.data(namespace)).toEqual({ color: 'blue', version: '2.0.0' });
    expect(await states(namespace)).toEqual(['2.0.0 superseded', '2.0.0 deployed']);
    expect(status?.history?.map(({ version }) => version)).toEqual([2, 1]);
  });

  test('suspended, what is under way is finished and nothing more is done until it goes on', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, chart('2.0.0'));
    const job = await hookJob(namespace);
    await releases.change(namespace, { suspend: true, values: { color: 'blue' } });
    await endHook(namespace, job);
    await releases.until(
      () => releases.get(namespace),
      ({ status }) => status?.history?.[0]?.status === 'deployed',
    );
    // Others are served meanwhile; it would have had its turn.
    await releases.create(namespace, {}, 'neighbour');
    await releases.ready(namespace, 'neighbour');
    expect(await states(namespace)).toEqual(['2.0.0 deployed']);
    expect((await releases.data(namespace))?.color).toBe('red');
    await releases.change(namespace, { suspend: false });
    await endHook(namespace, await hookJob(namespace, job.metadata.uid));
    await releases.ready(namespace);
    expect((await releases.data(namespace))?.color).toBe('blue');
  });

  test('deleted, it takes away what it was about to make', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, chart('2.0.0'));
    const job = await hookJob(namespace);
    await releases.client.resource(helmReleaseKind).delete('web', { namespace });
    await endHook(namespace, job);
    await releases.until(
      async () => (await releases.client.resource(helmReleaseKind).list({ namespace })).items,
      (items) => items.length === 0,
    );
    expect(await releases.stored(namespace)).toEqual([]);
    expect(await releases.data(namespace)).toBeUndefined();
    await releases.until(
      async () => (await releases.client.resource(helmChartKind).list({ namespace })).items,
      (items) => items.length === 0,
    );
  });
});

describe('what it needs goes away', () => {
  test('a Secret of values that vanishes leaves the release as it is; back again, nothing is released anew', async () => {
    const namespace = await releases.namespace();
    const secrets = releases.client.resource(kinds.Secret);
    const values = {
      metadata: { name: 'values', namespace },
      stringData: { 'values.yaml': 'color: green\n' },
    };
    await secrets.create(values);
    const valuesFrom = [{ kind: 'Secret' as const, name: 'values' }];
    await releases.create(namespace, { valuesFrom });
    await releases.ready(namespace);
    await secrets.delete('values', { namespace });
    await releases.annotate(namespace, { 'reconcile.fluxcd.io/requestedAt': 'gone' });
    const unready = await releases.untilReason(namespace, 'Ready', 'ValuesError');
    expect(conditionOf(unready, 'Ready')).toMatchObject({
      status: 'False',
      message: `could not resolve Secret chart values reference '${namespace}/values' with key 'values.yaml': secrets "values" not found`,
    });
    expect(conditionOf(unready, 'Released')?.status).toBe('True');
    expect(await releases.data(namespace)).toEqual({ color: 'green', version: '1.0.0' });
    await secrets.create(values);
    await releases.ready(namespace);
    expect(await states(namespace)).toEqual(['1.0.0 deployed']);
    await secrets.patch(
      'values',
      { stringData: { 'values.yaml': 'color: gold\n' } },
      { namespace },
    );
    await releases.annotate(namespace, { 'reconcile.fluxcd.io/requestedAt': 'changed' });
    await releases.until(
      () => releases.data(namespace),
      (data) => data?.color === 'gold',
    );
  });

  test('neighbours whose chart is torn, or is not there, or cannot be rendered, hold nobody up', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, chart('1.0.0', 'torn'), 'torn');
    await releases.create(namespace, chart('7.0.0'), 'missing');
    await releases.create(namespace, { values: { color: { a: 1 } }, ...chart('9.0.0') }, 'broken');
    await releases.create(namespace);
    await releases.ready(namespace);
    for (const [name, reason] of [
      ['torn', 'SourceNotReady'],
      ['missing', 'SourceNotReady'],
    ] as const) {
      const object = await releases.untilReason(namespace, 'Ready', reason, name);
      expect(object.status?.history ?? []).toEqual([]);
    }
    await releases.untilReason(namespace, 'Stalled', 'RetriesExceeded', 'broken');
    await releases.change(namespace, chart('1.1.0'));
    await releases.ready(namespace);
    expect((await releases.data(namespace))?.version).toBe('1.1.0');
  });
});

describe('versions that go back, and ones that are pushed again', () => {
  test('an older version is an upgrade like any other', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, chart('1.1.0'));
    await releases.ready(namespace);
    await releases.change(namespace, chart('1.0.0'));
    const { status } = await releases.ready(namespace);
    expect(await releases.data(namespace)).toEqual({ color: 'red', version: '1.0.0' });
    expect(await states(namespace)).toEqual(['1.1.0 superseded', '1.0.0 deployed']);
    expect(conditionOf({ status } as never, 'Released')).toMatchObject({
      reason: 'UpgradeSucceeded',
      message: `Helm upgrade succeeded for release ${namespace}/web.v2 with chart web@1.0.0`,
    });
  });

  test('a chart that is pushed again under its version is not fetched again: versions do not change', async () => {
    const namespace = await releases.namespace();
    const { registry } = releases;
    registry.push('charts/again', '1.0.0', packedChart('again', '1.0.0'));
    await releases.create(namespace, chart('1.0.0', 'again'));
    await releases.ready(namespace);
    const name = `${namespace}-web`;
    const before = (await releases.chart(namespace, name)).status?.artifact;
    registry.push(
      'charts/again',
      '1.0.0',
      packedChart('again', '1.0.0', { 'values.yaml': 'color: new\n' }),
    );
    const annotations = { 'reconcile.fluxcd.io/requestedAt': 'again' };
    await releases.client
      .resource(helmChartKind)
      .patch(name, { metadata: { annotations } }, { namespace });
    const after = await releases.until(
      () => releases.chart(namespace, name),
      ({ status }) => status?.lastHandledReconcileAt === 'again',
    );
    expect(after.status?.artifact).toEqual(before);
    expect(await states(namespace)).toEqual(['1.0.0 deployed']);
  });
});

describe('an upgrade that fails', () => {
  test('and cannot be undone either: both are told, it stalls, and a version that works mends it', async () => {
    const namespace = await releases.namespace();
    await releases.create(namespace, {
      ...chart('3.0.0'),
      upgrade: { remediation: { retries: 0, remediateLastFailure: true } },
    });
    await releases.ready(namespace);
    await releases.change(namespace, chart('9.0.0'));
    const stalled = await releases.untilReason(namespace, 'Stalled', 'RetriesExceeded');
    expect(conditionOf(stalled, 'Stalled')?.message).toBe('Failed to upgrade after 1 attempt(s)');
    const remediated = conditionOf(stalled, 'Remediated');
    expect(remediated).toMatchObject({ status: 'False', reason: 'RollbackFailed' });
    expect(remediated?.message).toMatch(
      `Helm rollback to previous release ${namespace}/web.v1 with chart web@3.0.0 failed: `,
    );
    expect(conditionOf(stalled, 'Released')).toMatchObject({
      status: 'False',
      reason: 'UpgradeFailed',
    });
    expect(conditionOf(stalled, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'RollbackFailed',
      message: remediated?.message,
    });
    expect(conditionOf(stalled, 'Reconciling')).toBeUndefined();
    expect([stalled.status?.failures, stalled.status?.upgradeFailures]).toEqual([2, 1]);
    // As with helm, a hook before a rollback that fails leaves the record as it is.
    expect(await states(namespace)).toEqual([
      '3.0.0 deployed',
      '9.0.0 failed',
      '3.0.0 pending-rollback',
    ]);
    expect((await releases.data(namespace))?.version).toBe('3.0.0');
    await releases.change(namespace, chart('1.1.0'));
    const { status } = await releases.ready(namespace);
    expect([status?.failures, status?.upgradeFailures]).toEqual([undefined, undefined]);
    expect((await releases.data(namespace))?.version).toBe('1.1.0');
    expect((await states(namespace)).at(-1)).toBe('1.1.0 deployed');
    expect(conditionOf({ status } as never, 'Remediated')).toBeUndefined();
  });
});
