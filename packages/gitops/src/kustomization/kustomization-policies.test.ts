import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { kustomizationKind } from '../api/kustomization-object.ts';
import { find } from '../testing/cluster.ts';
import { configMap, TestControllers } from '../testing/controllers.ts';
import { driftAnnotation } from './drift-report.ts';
import { pruneLimitAnnotation } from './prune-guard.ts';

const namespace = 'default';
const deployment = (image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "${image}"}]}
`;

describe('what a Kustomization may say about its objects', () => {
  test('a commit that deletes too much at once is held up, until that is allowed', async () => {
    await using test = await TestControllers.start(await startTestServer());
    const names = ['a', 'b', 'c', 'd'];
    test.repository.commit(
      Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name, 'x')])),
    );
    await test.createSource();
    const annotations = { [pruneLimitAnnotation]: '50%' };
    await test.createKustomization('app', {}, { annotations });
    await test.untilReady();
    test.repository.commit({
      'a.yaml': undefined,
      'b.yaml': undefined,
      'c.yaml': undefined,
      'd.yaml': configMap('d', 'y'),
    });
    const held = await test.untilCondition('Ready', ({ reason }) => reason === 'PruneFailed');
    const ready = held.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('pruning 3 of 4 objects is more than');
    expect(held.status?.inventory?.entries).toHaveLength(4);
    for (const name of names) {
      expect(await find(test.cluster, 'v1', 'ConfigMap', name), name).toBeDefined();
    }
    await test.patch({ metadata: { annotations: { [pruneLimitAnnotation]: '75%' } } });
    const done = await test.untilReady();
    expect(done.status?.inventory?.entries.map(({ id }) => id)).toEqual(['default_d__ConfigMap']);
    expect(await find(test.cluster, 'v1', 'ConfigMap', 'a')).toBeUndefined();
  });

  test('what was asked for is done when all is healthy, and not before', async () => {
    await using test = await TestControllers.start(await startTestServer());
    test.repository.commit({ 'web.yaml': deployment('example.com/web:1') });
    await test.createSource();
    await test.createKustomization('app', { wait: true });
    await test.untilCondition('Healthy', ({ status }) => status === 'Unknown');
    await test.patch({ metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } });
    const status = {
      observedGeneration: 1,
      ...{ replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    };
    let looks = 0;
    let isEarly = false;
    await test.untilCondition('Ready', (ready, object) => {
      const isHandled = object.status?.lastHandledReconcileAt === 'now';
      if (isHandled && ready.status !== 'True') isEarly = true;
      if (++looks === 20) {
        void test.cluster.client
          .resource(kinds.Deployment)
          .status.patch('web', { status } as never, { namespace });
      }
      return isHandled && ready.status === 'True';
    });
    expect(isEarly).toBe(false);
  });

  test('drift is told and left as it is, where that is asked for; a new commit is applied', async () => {
    await using test = await TestControllers.start(await startTestServer());
    test.repository.commit({ 'a.yaml': configMap('a', 'one'), 'b.yaml': configMap('b', 'one') });
    await test.createSource();
    await test.createKustomization('app', {}, { annotations: { [driftAnnotation]: 'report' } });
    await test.untilReady();
    const maps = test.cluster.client.resource(kinds.ConfigMap);
    const keyOf = async (name: string) => (await maps.get(name, { namespace })).data?.key;
    await maps.patch('a', { data: { key: 'a-secret-by-hand' } }, { namespace });
    await maps.delete('b', { namespace });
    // Asked for rather than waited for: the watch may have begun after the change.
    await test.patch({ metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': '1' } } });
    const drifted = await test.untilCondition(
      'Drifted',
      ({ message }) => message.includes('/a ') && message.includes('/b '),
    );
    const said = drifted.status?.conditions?.find(({ type }) => type === 'Drifted')?.message;
    expect(said).toBe('ConfigMap/default/a differs at /data/key\nConfigMap/default/b is missing');
    expect(await keyOf('a')).toBe('a-secret-by-hand');
    const events = await test.untilTold('differs at /data/key');
    expect(events.find(({ reason }) => reason === 'DriftDetected')?.type).toBe('Warning');
    expect(JSON.stringify(events)).not.toContain('a-secret-by-hand');
    const ready = drifted.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.status).toBe('True');
    const next = test.repository.commit({ 'a.yaml': configMap('a', 'two') });
    const healed = await test.untilReady(next);
    expect(healed.status?.conditions?.map(({ type }) => type)).not.toContain('Drifted');
    expect(await keyOf('a')).toBe('two');
    expect(await keyOf('b')).toBe('one');
  });

  test('all refusals are told at once', async () => {
    await using test = await TestControllers.start(await startTestServer());
    test.repository.commit({
      'a.yaml': configMap('a', '[1]'),
      'b.yaml': configMap('b', '[2]'),
      'c.yaml': configMap('c', 'fine'),
      'd.yaml': 'apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: d}\n',
    });
    await test.createSource();
    await test.createKustomization();
    const failed = await test.untilCondition(
      'Ready',
      ({ reason }) => reason === 'ReconciliationFailed',
    );
    const message = failed.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
    for (const name of ['ConfigMap/default/a', 'ConfigMap/default/b', 'Unknown/']) {
      expect(message).toContain(name);
    }
    expect(message).toContain('ConfigMap/default/c created');
  });

  test('a new revision ends the wait for the health of the old one', async () => {
    await using test = await TestControllers.start(await startTestServer());
    const first = test.repository.commit({ 'd.yaml': deployment('one') });
    await test.createSource();
    await test.createKustomization('app', { wait: true, timeout: '10m' });
    await test.untilCondition('Healthy', ({ message }) => message.includes(first));
    const second = test.repository.commit({ 'd.yaml': undefined, 'a.yaml': configMap('a', 'x') });
    await test.untilReady(second);
  });

  test('a waiting Kustomization holds no worker', async () => {
    await using test = await TestControllers.start(await startTestServer(), { concurrent: 1 });
    test.repository.commit({
      'slow/d.yaml': deployment('one'),
      'quick/a.yaml': configMap('a', 'x'),
    });
    await test.createSource();
    await test.createKustomization('slow', { path: './slow', wait: true, timeout: '10m' });
    await test.untilCondition('Healthy', ({ status }) => status === 'Unknown', 'slow');
    await test.createKustomization('quick', { path: './quick' });
    await test.untilReady('', 'quick');
  });

  test('a Kustomization of another shard is left alone, whoever wakes it, until it changes its shard', async () => {
    const labelSelector = 'sharding.fluxcd.io/key=one';
    await using test = await TestControllers.start(await startTestServer(), {
      labelSelector,
      controllers: ['source', 'kustomize'],
    });
    test.repository.commit({ 'a.yaml': configMap('a', 'x') });
    const labels = (key: string) => ({ labels: { 'sharding.fluxcd.io/key': key } });
    await test.createSource();
    await test.createKustomization('theirs', {}, labels('two'));
    await test.createKustomization('ours', {}, labels('one'));
    // The source is nobody's, until it changes its shard.
    await test.untilCondition('Ready', ({ status }) => status === 'False', 'ours');
    await test.patchSource(labels('one'));
    await test.untilReady('', 'ours');
    const theirs = await find(
      test.cluster,
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
      'theirs',
    );
    expect(theirs?.metadata.finalizers ?? []).toEqual([]);
    const moved = { metadata: labels('one') };
    await test.cluster.client.resource(kustomizationKind).patch('theirs', moved, { namespace });
    await test.untilReady('', 'theirs');
  });

  test('a secret of the variables is in no condition and no event, even if it breaks the build', async () => {
    await using test = await TestControllers.start(await startTestServer());
    const secret = 'correct: [horse battery';
    await test.cluster.client.resource(kinds.Secret).create({
      metadata: { name: 'vars', namespace },
      stringData: { password: secret },
    });
    test.repository.commit({ 'a.yaml': configMap('a', ['$', '{password}'].join('')) });
    await test.createSource();
    const substituteFrom = [{ kind: 'Secret' as const, name: 'vars' }];
    await test.createKustomization('app', { postBuild: { substituteFrom } });
    const failed = await test.untilCondition('Ready', ({ reason }) => reason === 'BuildFailed');
    expect(JSON.stringify(failed.status)).not.toContain('horse');
    const events = await test.untilTold('post build failed');
    expect(JSON.stringify(events)).not.toContain('horse');
  });
});
