import { kinds } from '@waygate/schema';
import {
  configMap,
  deployment,
  type Scenario,
  service,
  withEvents,
  withObject,
} from './scenario.ts';

const group = 'kustomize.toolkit.fluxcd.io';

/** What applying does to objects. */
export const applyScenarios: Readonly<Record<string, Scenario>> = {
  empty_dir: {
    async play(stage) {
      await stage.push({ 'app/a.yaml': configMap('a'), 'app/README.md': 'x' });
      await stage.createSource();
      await stage.createKustomization({ path: './app' });
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      await stage.push({ 'app/a.yaml': undefined });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      await stage.untilTold('Reconciliation finished', 2);
      return { pruned: (await stage.find(kinds.ConfigMap, 'a')) === undefined };
    },
  },

  failure_after_success_keeps_inventory: {
    async play(stage) {
      await stage.push({ 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': configMap('a') });
      await stage.createSource();
      await stage.createKustomization();
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      await stage.push({ 'kustomization.yaml': 'resources: [nope.yaml]' });
      await stage.untilReady('False BuildFailed');
      await stage.untilTold('kustomize build failed');
      return { 'a still exists': (await stage.find(kinds.ConfigMap, 'a')) !== undefined };
    },
  },

  force_with_validation_error: {
    async play(stage) {
      await stage.push({ 's.yaml': service('s', 80) });
      await stage.createSource();
      await stage.createKustomization({ force: true });
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      await stage.push({ 's.yaml': service('s', 99999) });
      await stage.untilReady('False ReconciliationFailed');
      await stage.untilTold('dry-run failed');
      return { liveServiceAfter: (await stage.find(kinds.Service, 's')) !== undefined };
    },
    differs: {
      why: 'an object that is not valid does not replace one that works',
      adapt: (story) => ({
        ...story,
        writes: story.writes.filter((write) => write !== 'delete services s'),
        extra: { liveServiceAfter: true },
      }),
    },
  },

  immutable_field: {
    async play(stage) {
      await stage.push({ 'd.yaml': deployment('web', 'a') });
      await stage.createSource();
      await stage.createKustomization();
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      const uidOf = async () => (await stage.find(kinds.Deployment, 'web'))?.metadata.uid;
      const first = await uidOf();
      await stage.push({ 'd.yaml': deployment('web', 'b') });
      await stage.untilReady('False ReconciliationFailed');
      await stage.patch({ spec: { force: true } });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      const second = await uidOf();
      await stage.patch({ spec: { force: false } });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      const annotations = { [`${group}/force`]: 'enabled' };
      await stage.push({ 'd.yaml': deployment('web', 'c', { annotations }) });
      await stage.untilReady('Applied revision: main@sha1:<rev3>');
      await stage.untilTold('Reconciliation finished', 4);
      const third = await uidOf();
      return { recreatedByForce: first !== second, recreatedByAnnotation: second !== third };
    },
  },

  moved_between_kustomizations: {
    async play(stage) {
      await stage.push({
        'a/keep.yaml': configMap('keep'),
        'a/x.yaml': configMap('x'),
        'b/y.yaml': configMap('y'),
      });
      await stage.createSource();
      await stage.createKustomization({ path: './a' }, 'a');
      await stage.untilReady('Applied revision: main@sha1:<rev1>', 'a');
      await stage.createKustomization({ path: './b' }, 'b');
      await stage.untilReady('Applied revision: main@sha1:<rev1>', 'b');
      // The new owner comes first, as it did in the recording.
      await stage.patch({ spec: { dependsOn: [{ name: 'b' }] } }, 'a');
      await stage.untilReady('Applied revision: main@sha1:<rev1>', 'a');
      const before = await stage.find(kinds.ConfigMap, 'x');
      await stage.push({ 'a/x.yaml': undefined, 'b/x.yaml': configMap('x') });
      for (const name of ['a', 'b']) {
        await stage.untilReady('Applied revision: main@sha1:<rev2>', name);
      }
      await stage.untilTold('Reconciliation finished', 2, 'Kustomization/b');
      await stage.untilTold('Reconciliation finished', 3, 'Kustomization/a');
      const after = await stage.find(kinds.ConfigMap, 'x');
      const sameUid = before?.metadata.uid === after?.metadata.uid;
      return { result: { exists: after !== undefined, sameUid, owner: await stage.owner('x') } };
    },
    differs: {
      why: 'a wait for the other puts the two in the order in which the recording happened to be; what is handed over is not told as a deletion that was skipped',
      adapt: (story) => {
        const said = `dependency '<ns>/b' revision is not up to date`;
        const changed = withObject(story, 'Kustomization/a', ([first = '', second = '']) => [
          first.replace('observed 1', 'observed 2'),
          first
            .replace(/^.*\n/, `Ready False DependencyNotReady: ${said}\n`)
            .replace('observed 1', 'observed 2'),
          second.replace('observed 1', 'observed 2'),
        ]);
        return withEvents(changed, 'Kustomization/a', (events) => [
          ...events.slice(0, 2),
          'Normal DependencyNotReady: Dependencies do not meet ready condition, retrying in 5s',
          ...events.slice(2).filter((event) => !event.includes('skipped')),
        ]);
      },
    },
  },

  partial_apply: {
    async play(stage) {
      const metadata = { name: `${stage.namespace}-extra` };
      await stage.push({
        'kustomization.yaml': 'resources: [n.yaml, s.yaml]',
        'n.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }),
        's.yaml': service('s', 99999).replace('"s"', `"s","namespace":"${stage.namespace}"`),
      });
      await stage.createSource();
      await stage.createKustomization({ targetNamespace: undefined as never });
      await stage.untilReady('False ReconciliationFailed');
      await stage.untilTold('dry-run failed');
    },
    differs: {
      why: 'what was applied is in the inventory, and is told, although the rest failed',
      adapt: (story) => {
        const changed = withObject(story, 'Kustomization/app', ([state = '']) => [
          state.replace('inventory -', 'inventory _<ns>-extra__Namespace@v1'),
        ]);
        return withEvents(changed, 'Kustomization/app', (events) => [
          'Normal Progressing: Namespace/<ns>-extra created',
          ...events,
        ]);
      },
    },
  },

  reconcile_disabled_in_cluster: {
    async play(stage) {
      const { namespace } = stage;
      await stage.push({ 'a.yaml': configMap('a', { k: '1' }) });
      await stage.createSource();
      await stage.createKustomization();
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      const annotations = { [`${group}/reconcile`]: 'disabled' };
      await stage.client
        .resource(kinds.ConfigMap)
        .patch('a', { metadata: { annotations } }, { namespace, fieldManager: 'somebody' });
      await stage.push({ 'a.yaml': configMap('a', { k: '2' }) });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      await stage.untilTold('Reconciliation finished', 2);
      const data = await stage.configMapData('a');
      await stage.push({ 'a.yaml': undefined, 'b.yaml': configMap('b') });
      await stage.untilReady('Applied revision: main@sha1:<rev3>');
      await stage.untilTold('Reconciliation finished', 3);
      return { data, stillThere: (await stage.configMapData('a')) !== undefined };
    },
  },

  ssa_annotations: {
    // In the recording, nothing is corrected before it is asked for.
    options: { watchManagedObjects: false },
    async play(stage) {
      const { namespace } = stage;
      const marked = (key: string, value: string, where = 'annotations') => ({
        [where]: { [`${group}/${key}`]: value },
      });
      const names = ['plain', 'ign', 'inp', 'merge', 'dis', 'np'];
      const metadata: Record<string, object> = {
        plain: {},
        ign: marked('ssa', 'Ignore'),
        inp: marked('ssa', 'IfNotPresent'),
        merge: marked('ssa', 'Merge'),
        dis: marked('reconcile', 'disabled', 'labels'),
        np: marked('prune', 'disabled', 'labels'),
      };
      await stage.push(
        Object.fromEntries(
          names.map((name) => [
            `${name}.yaml`,
            configMap(name, { k: '1' }, metadata[name] as Record<string, unknown>),
          ]),
        ),
      );
      await stage.createSource();
      await stage.createKustomization();
      await stage.untilReady('Applied revision: main@sha1:<rev1>');
      await stage.untilTold('Reconciliation finished');
      const facts = async <T>(look: (name: string) => Promise<T>) =>
        Object.fromEntries(
          await Promise.all(names.map(async (name) => [name, await look(name)] as const)),
        );
      const isThere = async (name: string) =>
        (await stage.find(kinds.ConfigMap, name)) !== undefined;
      const created = await facts(isThere);
      const hacked = { data: { k: 'hacked', extra: '1' } };
      for (const name of names) {
        if (!created[name]) continue;
        await stage.client
          .resource(kinds.ConfigMap)
          .patch(name, hacked, { namespace, fieldManager: 'kubectl-patch' });
      }
      await stage.reconciled();
      await stage.untilTold('Reconciliation finished', 2);
      const afterDrift = await facts(async (name) => (await stage.configMapData(name)) ?? null);
      await stage.push({
        ...Object.fromEntries(names.map((name) => [`${name}.yaml`, undefined])),
        'z.yaml': configMap('z'),
      });
      await stage.untilReady('Applied revision: main@sha1:<rev2>');
      await stage.untilTold('Reconciliation finished', 3);
      return { created, afterDrift, afterPrune: await facts(isThere) };
    },
    differs: {
      why: 'what was never created is not said to be deleted',
      adapt: (story) =>
        withEvents(story, 'Kustomization/app', (events) =>
          events.map((event) =>
            event.replace('\nConfigMap/<ns>/ign deleted\nConfigMap/<ns>/dis deleted', ''),
          ),
        ),
    },
  },

  staged_crd_cr: {
    async play(stage) {
      const namespace = `${stage.namespace}-n`;
      const domain = `${stage.namespace}.example.com`;
      const json = (value: object) => JSON.stringify(value);
      const names = {
        kind: 'Widget',
        listKind: 'WidgetList',
        plural: 'widgets',
        singular: 'widget',
      };
      const schema = {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } },
      };
      await stage.push({
        'a-widget.yaml': json({
          apiVersion: `${domain}/v1`,
          kind: 'Widget',
          metadata: { name: 'w', namespace },
          spec: {},
        }),
        'cm.yaml': configMap('cm', { k: '1' }, { namespace }),
        'crd.yaml': json({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `widgets.${domain}` },
          spec: {
            group: domain,
            names,
            scope: 'Namespaced',
            versions: [{ name: 'v1', served: true, storage: true, schema }],
          },
        }),
        'ns.yaml': json({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      });
      await stage.createSource();
      await stage.createKustomization({ targetNamespace: undefined as never, wait: true });
      await stage.untilReady('True ReconciliationSucceeded');
      await stage.untilTold('Reconciliation finished');
      await stage.delete();
      await stage.untilTold('deleted');
    },
    differs: {
      why: 'the recording has only the requests that name its namespace; the others are these',
      adapt: (story) => ({
        ...story,
        writes: [
          'patch apiextensions.k8s.io/customresourcedefinitions widgets.<ns>.example.com',
          'patch namespaces <ns>-n',
          'patch configmaps cm',
          'patch <ns>.example.com/widgets w',
          'delete <ns>.example.com/widgets w',
          'delete configmaps cm',
          'delete namespaces <ns>-n',
          'delete apiextensions.k8s.io/customresourcedefinitions widgets.<ns>.example.com',
        ],
      }),
    },
  },

  substitution: {
    async play(stage) {
      const { client, namespace } = stage;
      const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' };
      await client.resource(kinds.ConfigMap).create({
        metadata: { name: 'vars', namespace, labels },
        data: { a: 'from-cm' },
      });
      await client.resource(kinds.Secret).create({
        metadata: { name: 'vars', namespace },
        stringData: { a: 'from-secret', b: 'from-secret' },
      });
      const variable = (name: string) => ['$', `{${name}}`].join('');
      const data = { a: variable('a'), b: variable('b'), c: variable('c'), d: variable('d:=dflt') };
      await stage.push({ 'out.yaml': configMap('out', data) });
      await stage.createSource();
      const substituteFrom = [
        { kind: 'ConfigMap' as const, name: 'vars' },
        { kind: 'Secret' as const, name: 'vars' },
        { kind: 'ConfigMap' as const, name: 'absent', optional: true },
      ];
      await stage.createKustomization({
        postBuild: { substitute: { a: 'inline-wins' }, substituteFrom },
      });
      await stage.untilReady('False BuildFailed');
      await stage.patch({ spec: { postBuild: { substitute: { c: 'inline' } } } });
      await stage.untilReady('True ReconciliationSucceeded');
      await stage.untilTold('Reconciliation finished');
      const out1 = await stage.configMapData('out');
      await client
        .resource(kinds.ConfigMap)
        .patch('vars', { data: { d: 'from-watch' } }, { namespace });
      await stage.untilTold('Reconciliation finished', 2);
      const out2 = await stage.configMapData('out');
      const missing = [...substituteFrom, { kind: 'ConfigMap', name: 'nope' }];
      await stage.patch({ spec: { postBuild: { substituteFrom: missing } } });
      await stage.untilReady('False BuildFailed');
      await stage.untilTold('substitute from');
      return { out1, out2 };
    },
  },

  two_owners_fight: {
    options: { watchManagedObjects: false },
    async play(stage) {
      await stage.push({ 'x.yaml': configMap('x') });
      await stage.createSource();
      for (const name of ['a', 'b']) {
        await stage.createKustomization({}, name);
        await stage.untilReady('True ReconciliationSucceeded', name);
        await stage.untilTold('Reconciliation finished', 1, `Kustomization/${name}`);
      }
      const owner1 = await stage.owner('x');
      await stage.reconciled('a');
      await stage.untilTold('Reconciliation finished', 2, 'Kustomization/a');
      const owner2 = await stage.owner('x');
      await stage.delete('a');
      const existsAfterDeletingA = (await stage.find(kinds.ConfigMap, 'x')) !== undefined;
      return { owner1, owner2, existsAfterDeletingA };
    },
    differs: {
      why: 'what another Kustomization of the same source has is left to it',
      adapt: (story) => ({
        ...withEvents(story, 'Kustomization/a', (events) =>
          events.filter((event) => !event.includes('deleted')),
        ),
        writes: story.writes.filter((write) => !write.startsWith('delete ')),
        extra: { ...story.extra, existsAfterDeletingA: true },
      }),
    },
  },
};
