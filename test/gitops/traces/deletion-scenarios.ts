import { kinds } from '@waygate/schema';
import { configMap, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Deleting a Kustomization, and what becomes of its objects. */
async function applyAndDelete(stage: Stage, spec: object): Promise<Record<string, unknown>> {
  await stage.push({ 'a.yaml': configMap('a') });
  await stage.createSource();
  await stage.createKustomization(spec);
  await stage.untilReady('True ReconciliationSucceeded');
  await stage.untilTold('Reconciliation finished');
  await stage.delete();
  return { exists: (await stage.find(kinds.ConfigMap, 'a')) !== undefined };
}

export const deletionScenarios: Readonly<Record<string, Scenario>> = {
  delete_policy_delete_prune_false: {
    async play(stage) {
      const extra = await applyAndDelete(stage, { prune: false, deletionPolicy: 'Delete' });
      await stage.untilTold('deleted');
      return extra;
    },
  },

  delete_policy_orphan: {
    play: (stage) => applyAndDelete(stage, { deletionPolicy: 'Orphan' }),
  },

  delete_wait_finalizer_timeout: {
    options: { timeFactor: 25 },
    async play(stage) {
      const finalizers = ['example.com/stuck'];
      await stage.push({ 'a.yaml': configMap('a', { k: '1' }, { finalizers }) });
      await stage.createSource();
      await stage.createKustomization({ deletionPolicy: 'WaitForTermination', timeout: '1s' });
      await stage.untilReady('True ReconciliationSucceeded');
      await stage.untilTold('Reconciliation finished');
      await stage.delete();
      await stage.untilTold('failed to wait for resources termination');
      const found = await stage.find(kinds.ConfigMap, 'a');
      return { objectDeleting: found?.metadata.deletionTimestamp !== undefined };
    },
  },

  suspend_resume: {
    async play(stage) {
      await stage.push({ 'a.yaml': configMap('a', { k: '1' }) });
      await stage.createSource();
      await stage.createKustomization();
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      await stage.untilTold('Reconciliation finished');
      await stage.patch({ spec: { suspend: true } });
      await stage.push({ 'a.yaml': configMap('a', { k: '2' }) });
      await stage.untilTold('stored artifact', 2, 'GitRepository/src');
      const dataWhileSuspended = await stage.configMapData('a');
      await stage.patch({ spec: { suspend: false } });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      await stage.untilTold('Reconciliation finished', 2);
      await stage.patch({ spec: { suspend: true } });
      await stage.delete();
      return { dataWhileSuspended, survives: (await stage.configMapData('a')) !== undefined };
    },
    differs: {
      why: 'a suspended object does not count a generation as observed that nothing was done for',
      adapt: (story) => {
        const [first = '', second = ''] = story.objects['Kustomization/app'] ?? [];
        const states = [
          first.replace('observed 2', 'observed 1'),
          second.replace('observed 4', 'observed 3'),
        ];
        return { ...story, objects: { ...story.objects, 'Kustomization/app': states } };
      },
    },
  },
};
