import { configMap, type Scenario, withObject } from './scenario.ts';

const broken = 'resources: [nope.yaml]\n';
const whole = 'resources: [a.yaml]\n';

/** Kustomizations that wait for others. */
export const dependencyScenarios: Readonly<Record<string, Scenario>> = {
  circular_depends_on: {
    async play(stage) {
      await stage.push({ 'a.yaml': configMap('a') });
      await stage.createSource();
      await stage.createKustomization({ dependsOn: [{ name: 'b' }] }, 'a');
      await stage.createKustomization({ dependsOn: [{ name: 'a' }] }, 'b');
      for (const name of ['a', 'b']) {
        await stage.untilReady('is not ready', name);
        await stage.untilTold('Dependencies do not meet', 1, `Kustomization/${name}`);
      }
    },
    differs: {
      why: 'the first of the two may be looked at before the second is there',
      adapt: (story) => story,
      forgive: (story) =>
        withObject(story, 'Kustomization/a', (states) =>
          states.filter((state) => !state.includes('"b" not found')),
        ),
    },
  },

  depends_on: {
    async play(stage) {
      await stage.push({
        'a/kustomization.yaml': broken,
        'a/a.yaml': configMap('a', { k: '1' }),
        'b/b.yaml': configMap('b', { k: '1' }),
      });
      await stage.createSource();
      await stage.createKustomization({ path: './b', dependsOn: [{ name: 'a' }] }, 'b');
      await stage.untilReady('not found', 'b');
      await stage.createKustomization({ path: './a', retryInterval: '5s' }, 'a');
      await stage.untilReady('False BuildFailed', 'a');
      await stage.untilReady("dependency '<ns>/a' is not ready", 'b');
      await stage.push({ 'a/kustomization.yaml': whole });
      await stage.untilReady('Applied revision: main@sha1:<rev2>', 'b');
      await stage.untilTold('Reconciliation finished', 1, 'Kustomization/b');
      await stage.push({
        'a/a.yaml': configMap('a', { k: '2' }),
        'b/b.yaml': configMap('b', { k: '2' }),
      });
      await stage.untilReady('Applied revision: main@sha1:<rev3>', 'b');
      await stage.untilTold('Reconciliation finished', 2, 'Kustomization/b');
    },
    differs: {
      why: 'the message of a failed build is the same at each try',
      adapt: (story) => withObject(story, 'Kustomization/a', (states) => [...new Set(states)]),
    },
  },

  depends_on_readyexpr: {
    async play(stage) {
      await stage.push({
        'a/kustomization.yaml': broken,
        'b/b.yaml': configMap('b'),
      });
      await stage.createSource();
      await stage.createKustomization({ path: './a' }, 'a');
      await stage.untilReady('False BuildFailed', 'a');
      const readyExpr = "dep.metadata.labels['ok'] == self.metadata.name";
      await stage.createKustomization({ path: './b', dependsOn: [{ name: 'a', readyExpr }] }, 'b');
      await stage.untilReady('False DependencyNotReady: failed to evaluate', 'b');
      await stage.untilTold('Dependencies do not meet', 1, 'Kustomization/b');
      await stage.patch({ metadata: { labels: { ok: 'b' } } }, 'a');
      await stage.untilReady('True ReconciliationSucceeded', 'b');
      await stage.untilTold('Reconciliation finished', 1, 'Kustomization/b');
    },
  },
};
