import { startTestServer } from '@waygate/apiserver';
import type { DynamicObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { kustomizationKind } from '../api/kustomization-object.ts';
import { find } from '../testing/cluster.ts';
import { configMap, TestControllers } from '../testing/controllers.ts';

const ownerLabel = 'kustomize.toolkit.fluxcd.io/name';

/** `first` has an object that a commit moves to `second`, which comes after it. */
async function start(second: object = {}): Promise<TestControllers> {
  const controllers = await TestControllers.start(await startTestServer());
  controllers.repository.commit({
    'a/one.yaml': configMap('one', 'x'),
    'a/moved.yaml': configMap('moved', 'x'),
    'b/two.yaml': configMap('two', 'x'),
  });
  await controllers.createSource();
  await controllers.createKustomization('first', { path: './a' });
  await controllers.untilReady('', 'first');
  const dependsOn = [{ name: 'first' }];
  await controllers.createKustomization('second', { path: './b', dependsOn, ...second });
  return controllers;
}

const moved = (controllers: TestControllers): Promise<DynamicObject | undefined> =>
  find(controllers.cluster, 'v1', 'ConfigMap', 'moved');

const move = (controllers: TestControllers): string =>
  controllers.repository.commit({
    'a/moved.yaml': undefined,
    'b/moved.yaml': configMap('moved', 'y'),
  });

const idsOf = async (controllers: TestControllers, name: string): Promise<string[]> => {
  const object = await controllers.cluster.client
    .resource(kustomizationKind)
    .get(name, { namespace: 'default' });
  return (object.status?.inventory?.entries ?? []).map(({ id }) => id).sort();
};

describe('an object that moves between Kustomizations of one source', () => {
  test('is handed over, and not deleted and made again', async () => {
    await using controllers = await start();
    await controllers.untilReady('', 'second');
    const before = await moved(controllers);
    const revision = move(controllers);
    await controllers.untilReady(revision, 'second');
    const after = await moved(controllers);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.labels?.[ownerLabel]).toBe('second');
    expect(after).toMatchObject({ data: { key: 'y' } });
    expect(await idsOf(controllers, 'second')).toContain('default_moved__ConfigMap');
    // Who had it lets go of it when the other one has it.
    const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
    await controllers.patch({ metadata: { annotations } }, 'first');
    await controllers.cluster.until(
      () => idsOf(controllers, 'first'),
      (ids) => ids.join() === 'default_one__ConfigMap',
    );
    expect((await moved(controllers))?.metadata.uid).toBe(before?.metadata.uid);
  });

  test('is handed over with what is in it: a claim on a volume is never deleted', async () => {
    await using controllers = await start();
    await controllers.untilReady('', 'second');
    const claim = (size: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: 'default' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
      });
    const { repository, cluster } = controllers;
    const held = () => find(cluster, 'v1', 'PersistentVolumeClaim', 'data');
    await controllers.untilReady(repository.commit({ 'a/data.yaml': claim('1Gi') }), 'second');
    const before = await held();
    expect(before?.metadata.labels?.[ownerLabel]).toBe('first');
    // There, and back again.
    for (const [from, to, owner] of [
      ['a', 'b', 'second'],
      ['b', 'a', 'first'],
    ] as const) {
      const commit = { [`${from}/data.yaml`]: undefined, [`${to}/data.yaml`]: claim('1Gi') };
      const revision = repository.commit(commit);
      await controllers.untilReady(revision, 'second');
      const after = await cluster.until(
        held,
        (object) => object?.metadata.labels?.[ownerLabel] === owner,
      );
      expect(after?.metadata.uid).toBe(before?.metadata.uid);
      expect(after?.metadata.deletionTimestamp).toBeUndefined();
    }
  });

  test('is deleted when the one that would have it is suspended', async () => {
    await using controllers = await start({ suspend: true });
    const revision = move(controllers);
    await controllers.untilReady(revision, 'first');
    expect(await moved(controllers)).toBeUndefined();
  });

  test('is deleted after all when the other one no longer wants it', async () => {
    // A dependency that is never there: the second one waits for ever.
    await using controllers = await start({ dependsOn: [{ name: 'nobody' }] });
    await controllers.untilReady(move(controllers), 'first');
    expect(await moved(controllers)).toBeDefined();
    expect(await idsOf(controllers, 'first')).toContain('default_moved__ConfigMap');
    const revision = controllers.repository.commit({ 'b/moved.yaml': undefined });
    await controllers.untilReady(revision, 'first');
    expect(await moved(controllers)).toBeUndefined();
    expect(await idsOf(controllers, 'first')).toEqual(['default_one__ConfigMap']);
  });

  test('outlives the Kustomization that had it, when another one is about to have it', async () => {
    await using controllers = await start();
    await controllers.untilReady('', 'second');
    const before = await moved(controllers);
    // It has not applied anything yet, and is about to.
    await controllers.createKustomization('third', {
      path: './a',
      dependsOn: [{ name: 'nobody' }],
    });
    await controllers.untilCondition('Ready', ({ status }) => status === 'False', 'third');
    const kustomizations = controllers.cluster.client.resource(kustomizationKind);
    await kustomizations.delete('first', { namespace: 'default' });
    await controllers.cluster.until(
      () => find(controllers.cluster, 'kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'first'),
      (found) => found === undefined,
    );
    expect((await moved(controllers))?.metadata.uid).toBe(before?.metadata.uid);
  });
});
