import { createInformer } from '@waygate/runtime';
import { kinds, type Pod } from '@waygate/schema';
import { type Print, withCluster } from './cluster.ts';

/** A cache that is kept true, asked by an index of its own, with what nobody reads left out. */
export async function informerWithIndex(print: Print): Promise<void> {
  await withCluster(async (client, namespace) => {
    const pods = client.resource(kinds.Pod).in(namespace);
    const put = (name: string, nodeName: string) =>
      pods.create({
        metadata: { name, annotations: { notes: 'long' } },
        spec: { nodeName, containers: [{ name: 'web', image: 'web:1' }] },
      });
    await put('a', 'worker-1');
    await put('b', 'worker-2');

    const stopping = new AbortController();
    const informer = createInformer(client, kinds.Pod, {
      namespace,
      omitManagedFields: true,
      indexers: { node: (pod) => [pod.spec?.nodeName ?? ''] },
      transform: (pod): Pod => {
        const { annotations: _, ...metadata } = pod.metadata;
        return { ...pod, metadata };
      },
    });
    const third = new Promise<void>((resolve) => {
      informer.addEventHandler({
        onAdd: (_pod, isInInitialList) => {
          if (!isInInitialList) resolve();
        },
      });
    });
    const running = informer.run(stopping.signal);
    await informer.waitForSync(stopping.signal);
    await put('c', 'worker-1');
    await third;

    const onFirst = informer.indexer.byIndex('node', 'worker-1');
    print(
      `on worker-1: ${onFirst
        .map(({ metadata }) => metadata.name)
        .sort()
        .join(', ')}`,
    );
    print(`annotations kept: ${onFirst.filter(({ metadata }) => metadata.annotations).length}`);
    stopping.abort();
    await running;
  });
}
