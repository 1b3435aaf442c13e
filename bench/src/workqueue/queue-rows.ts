import { ItemExponentialFailureRateLimiter, RateLimitingQueue, WorkQueue } from '@waygate/runtime';
import type { Row } from '../benchmark.ts';
import { rowMaker, timed, timedAsync } from './row-maker.ts';

/** Operations a second of client-go 0.36 with Go 1.26 on a machine of 2 cores, in millions. */
const clientGo = {
  addDistinct: 1.0,
  getDone: 1.9,
  addHot: 21,
  addGetDoneHot: 3.0,
  producerConsumer: 0.95,
  rateLimited: 0.54,
} as const;

const hotKeys = 1_000;

/** Adds, gets and dones of the queues. */
export async function queueRows(n: number, log: (line: string) => void): Promise<Row[]> {
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

function filledQueue(keys: readonly string[]): WorkQueue<string> {
  const queue = new WorkQueue<string>();
  for (const key of keys) queue.add(key);
  return queue;
}
