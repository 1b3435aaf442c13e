import { informerSource, Operator } from '@waygate/runtime';
import { defineKind, type KubeObject } from '@waygate/schema';
import { parseYaml } from '@waygate/text';
import { type Print, until, withCluster } from './cluster.ts';

interface Bucket extends KubeObject {
  spec: { region: string };
  status?: { observedGeneration: number };
}
const bucketKind = defineKind<Bucket>({
  group: 'example.com',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
  scope: 'Namespaced',
});
const bucketCrd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: buckets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Bucket, plural: buckets}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
const finalizer = 'example.com/bucket';

/** Makes something outside the cluster for each Bucket, says so in its status, and cleans up before it goes. */
export async function finalizerAndStatus(print: Print): Promise<void> {
  await withCluster(async (client, namespace, server) => {
    const resource = client.resource(bucketKind).in(namespace);
    const crd = parseYaml(bucketCrd);
    await server.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await until(() =>
      resource.list().then(
        () => true,
        () => false,
      ),
    );
    const operator = new Operator({ name: 'buckets', client, leaderElection: false });
    const buckets = operator.informerFor(bucketKind);
    operator.addController({
      name: 'bucket',
      sources: [informerSource(buckets)],
      reconcile: async (key, call) => {
        const bucket = buckets.indexer.getByKey(key);
        if (bucket === undefined) return;
        const { name = '', finalizers = [], deletionTimestamp, generation = 0 } = bucket.metadata;
        if (deletionTimestamp !== undefined) {
          if (!finalizers.includes(finalizer)) return;
          print(`emptied ${name}`);
          const rest = finalizers.filter((one) => one !== finalizer);
          await resource.patch(name, { metadata: { finalizers: rest } }, {}, call);
        } else if (!finalizers.includes(finalizer)) {
          // Before anything is made: else a deletion in between would leave it behind.
          const all = [...finalizers, finalizer];
          await resource.patch(name, { metadata: { finalizers: all } }, {}, call);
        } else if (bucket.status?.observedGeneration !== generation) {
          print(`made ${name} in ${bucket.spec.region}`);
          await resource.status.patch(
            name,
            { status: { observedGeneration: generation } },
            {},
            call,
          );
        }
      },
    });

    const stopping = new AbortController();
    const running = operator.run(stopping.signal);
    await resource.create({ metadata: { name: 'photos' }, spec: { region: 'north' } });
    await until(async () => (await resource.get('photos')).status?.observedGeneration === 1);
    await resource.delete('photos');
    await until(async () => (await resource.list()).items.length === 0);
    stopping.abort();
    await running;
  });
}
