import {
  DeltaFifo,
  Indexer,
  ItemExponentialFailureRateLimiter,
  metaNamespaceKey,
  RateLimitingQueue,
  WorkQueue,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { undisturbedMs } from '../main-thread.ts';

/** Operations a second of client-go 0.36 with Go 1.26 on a machine of 2 cores, in millions. */
const clientGo = {
  addDistinct: 1.0,
  getDone: 1.9,
  addHot: 21,
  addGetDoneHot: 3.0,
  producerConsumer: 0.95,
  rateLimited: 0.54,
  fifoAdd: 1.36,
  fifoPop: 0.33,
  fifoHot: 0.72,
  indexerUpdate: 1.0,
  getByKey: 11.7,
} as const;

const rounds = 5;
const hotKeys = 1_000;

/** client-go's figures are from a run of its own; they stand here as what has to be beaten. */
export const benchmark: Benchmark = {
  name: 'workqueue',
  title: 'Work queue, FIFO and indexer beside the figures of client-go 0.36',
  async run(options) {
    const n = options.quick ? 50_000 : 1_000_000;
    return [...(await queueRows(n, options)), ...(await cacheRows(n / 5, options))];
  },
};

async function queueRows(n: number, { log }: BenchmarkOptions): Promise<Row[]> {
  const keys = Array.from({ length: n }, (_, index) => `team-${index % 50}/pod-${index}`);
  const row = rowMaker(log);
  return [
    await row('add, distinct keys', n, clientGo.addDistinct, async () => {
      const queue = new WorkQueue<string>();
      return timed(() => {
        for (const key of keys) queue.add(key);
      });
    }),
    await row('get and done, distinct keys', n, clientGo.getDone, async () => {
      const queue = filledQueue(keys);
      return timed(() => {
        for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) queue.done(key);
      });
    }),
    await row('get and done, distinct keys, each get awaited', n, undefined, async () => {
      const queue = filledQueue(keys);
      queue.shutDown();
      return timedAsync(async () => {
        for (let key = await queue.get(); key !== undefined; key = await queue.get())
          queue.done(key);
      });
    }),
    await row('add, hot keys', n, clientGo.addHot, async () => {
      const queue = new WorkQueue<string>();
      return timed(() => {
        for (let index = 0; index < n; index++) queue.add(keys[index % hotKeys]!);
      });
    }),
    await row('add, get and done, hot keys', n, clientGo.addGetDoneHot, async () => {
      const queue = new WorkQueue<string>();
      return timed(() => {
        for (let index = 0; index < n; index++) {
          queue.add(keys[index % hotKeys]!);
          queue.done(queue.tryGet()!);
        }
      });
    }),
    await row('producer and consumer, each get awaited', n, clientGo.producerConsumer, () =>
      produceAndConsume(keys),
    ),
    await row('delayed add, get and done, distinct keys', n, undefined, () => delayed(keys)),
    await row('rate-limited add, get, forget and done', n, clientGo.rateLimited, () =>
      rateLimited(keys),
    ),
  ];
}

async function produceAndConsume(keys: readonly string[]): Promise<number> {
  const queue = new WorkQueue<string>();
  return timedAsync(async () => {
    const consuming = (async () => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) queue.done(key);
    })();
    for (const [index, key] of keys.entries()) {
      queue.add(key);
      if (index % 256 === 255) await new Promise((resolve) => setImmediate(resolve));
    }
    queue.shutDown();
    await consuming;
  });
}

async function delayed(keys: readonly string[]): Promise<number> {
  const queue = new RateLimitingQueue<string>();
  return timedAsync(async () => {
    for (const [index, key] of keys.entries()) queue.addAfter(key, 1 + (index % 5));
    for (let left = keys.length; left > 0; left--) queue.done((await queue.get())!);
    queue.shutDown();
  });
}

/** As a controller whose every item fails once. */
async function rateLimited(keys: readonly string[]): Promise<number> {
  const queue = new RateLimitingQueue<string>({
    rateLimiter: new ItemExponentialFailureRateLimiter(1, 1_000),
  });
  return timedAsync(async () => {
    for (const key of keys) queue.addRateLimited(key);
    for (let left = keys.length; left > 0; left--) {
      const key = (await queue.get())!;
      queue.forget(key);
      queue.done(key);
    }
    queue.shutDown();
  });
}

async function cacheRows(n: number, { log }: BenchmarkOptions): Promise<Row[]> {
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

function filledQueue(keys: readonly string[]): WorkQueue<string> {
  const queue = new WorkQueue<string>();
  for (const key of keys) queue.add(key);
  return queue;
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

/** The middle of several rounds, each on data structures of its own. */
function rowMaker(log: (line: string) => void) {
  return async (
    name: string,
    n: number,
    peer: number | undefined,
    measure: () => Promise<number>,
  ): Promise<Row> => {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(n / (await measure()) / 1_000);
    const ours = rates.sort((one, other) => one - other)[Math.floor(rounds / 2)]!;
    log(`${name}: ${ours.toFixed(2)} M/s`);
    const row = { name, unit: 'M/s', ours, better: 'higher' } as const;
    if (peer === undefined) return row;
    const goal = { text: 'ahead of client-go', isMet: ours > peer };
    return { ...row, peers: { 'client-go 0.36': peer }, goal };
  };
}

/**
 * Without the time in which other programs had the processors, and without collecting what the round
 * before left: client-go's figures have neither, as Go collects before each benchmark.
 */
function timed(work: () => unknown): number {
  globalThis.gc?.();
  const started = undisturbedMs();
  work();
  return undisturbedMs() - started;
}

async function timedAsync(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const started = undisturbedMs();
  await work();
  return undisturbedMs() - started;
}
