import { DeltaFifo, Indexer, metaNamespaceKey } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Row } from '../benchmark.ts';
import { rowMaker, timed } from './row-maker.ts';

/** Operations a second of client-go 0.36 with Go 1.26 on a machine of 2 cores, in millions. */
const clientGo = {
  fifoAdd: 1.36,
  fifoPop: 0.33,
  fifoHot: 0.72,
  indexerUpdate: 1.0,
  getByKey: 11.7,
} as const;

const hotKeys = 1_000;

/** What is under an informer: the FIFO and the indexer. */
export async function cacheRows(n: number, log: (line: string) => void): Promise<Row[]> {
  const objects = Array.from({ length: n }, (_, index) => object(index, 1));
  const row = rowMaker(log);
  const fill = () => {
    const fifo = new DeltaFifo<KubeObject>({ keyFunction: metaNamespaceKey });
    for (const one of objects) fifo.add(one);
    return fifo;
  };
  return [
    await row('DeltaFIFO add', n, clientGo.fifoAdd, async () => timed(fill)),
    await row('DeltaFIFO pop and indexer add, 2 indexes', n, clientGo.fifoPop, async () => {
      const fifo = fill();
      const indexer = newIndexer();
      return timed(() => {
        while (fifo.tryPop((deltas) => indexer.add(deltas[0]!.object as KubeObject)));
      });
    }),
    await row('update, pop and indexer update, hot keys', n, clientGo.fifoHot, async () => {
      const fifo = new DeltaFifo<KubeObject>({ keyFunction: metaNamespaceKey });
      const indexer = newIndexer();
      return timed(() => {
        for (let index = 0; index < n; index++) {
          fifo.update(objects[index % hotKeys]!);
          fifo.tryPop((deltas) => indexer.update(deltas[0]!.object as KubeObject));
        }
      });
    }),
    await row('indexer update, 2 indexes', n, clientGo.indexerUpdate, async () => {
      const indexer = newIndexer();
      for (const one of objects) indexer.add(one);
      const updated = Array.from({ length: n }, (_, index) => object(index, 2));
      return timed(() => {
        for (const one of updated) indexer.update(one);
      });
    }),
    await row('get by key', n * 5, clientGo.getByKey, async () => {
      const indexer = newIndexer();
      for (const one of objects) indexer.add(one);
      const keys = indexer.listKeys();
      let found = 0;
      const ms = timed(() => {
        for (let index = 0; index < n * 5; index++)
          if (indexer.getByKey(keys[index % hotKeys]!) !== undefined) found++;
      });
      if (found !== n * 5) throw new Error('an object was not found');
      return ms;
    }),
  ];
}

function newIndexer(): Indexer<KubeObject> {
  return new Indexer<KubeObject>({
    indexers: {
      namespace: ({ metadata }) => [metadata.namespace!],
      app: ({ metadata }) => [metadata.labels!.app!],
    },
  });
}

function object(index: number, version: number): KubeObject {
  return {
    metadata: {
      name: `pod-${index}`,
      namespace: `team-${index % 50}`,
      resourceVersion: String(version),
      labels: { app: `app-${index % 97}` },
    },
  };
}
