import { KubeError } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { ChangeFeed } from './change-feed.ts';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';
import { metaNamespaceKey } from './object-key.ts';

const pod = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', resourceVersion },
});

/** An API that lists what it is told to, and sends the events of each watch before it closes it. */
function api(lists: KubeObject[][], watches: WatchedEvent<KubeObject>[][]) {
  const listerWatcher: ListerWatcher<KubeObject> = {
    supportsWatchList: false,
    list: async () => ({ items: lists.shift() ?? [], resourceVersion: '9', continue: '' }),
    async watch(_options, signal) {
      const events = watches.shift();
      return (async function* () {
        yield* events ?? [];
        if (events !== undefined) throw new KubeError('WG_KUBE_API', 'old', { statusCode: 410 });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      })();
    },
  };
  return listerWatcher;
}

test('hands on a list, its changes, and what a later list shows to be gone', async () => {
  const kept = new Map<string, string>();
  const log: string[] = [];
  const errors: unknown[] = [];
  const clock = new FakeClock();
  const feed = new ChangeFeed<KubeObject>({
    listerWatcher: api(
      [
        [pod('a', '1'), pod('bad', '1'), pod('b', '2')],
        [pod('b', '2'), pod('c', '7')],
      ],
      [
        [
          { type: 'MODIFIED', object: pod('a', '3') },
          { type: 'DELETED', object: pod('b', '4') },
          { type: 'ADDED', object: pod('d', '5') },
        ],
      ],
    ),
    clock,
    onError: (error) => errors.push(error),
    transform: (object) => ({ ...object, metadata: { ...object.metadata, labels: { x: 'y' } } }),
    knownKeys: () => kept.keys(),
    onPut: (object) => {
      const key = metaNamespaceKey(object);
      if (key === 'ns/bad') throw new Error('not this one');
      expect(object.metadata.labels).toEqual({ x: 'y' });
      kept.set(key, object.metadata.resourceVersion ?? '');
      log.push(`+${key}@${object.metadata.resourceVersion}`);
    },
    onDelete: (key, object) => {
      kept.delete(key);
      log.push(`-${key}${object === undefined ? '' : `@${object.metadata.resourceVersion}`}`);
    },
  });
  const stop = new AbortController();
  const running = feed.run(stop.signal);
  expect(feed.hasSynced).toBe(false);
  await clock.advance(60_000);
  expect(await feed.waitForSync(stop.signal)).toBe(true);
  expect(log).toEqual([
    ...['+ns/a@1', '+ns/b@2'],
    ...['+ns/a@3', '-ns/b@4', '+ns/d@5'],
    ...['-ns/a', '-ns/d', '+ns/b@2', '+ns/c@7'],
  ]);
  expect([...kept]).toEqual([
    ['ns/b', '2'],
    ['ns/c', '7'],
  ]);
  expect(errors).toContainEqual(new Error('not this one'));
  stop.abort();
  await running;
});

test('who is stopped before the first list came has not synced', async () => {
  const feed = new ChangeFeed<KubeObject>({
    listerWatcher: {
      supportsWatchList: false,
      list: (_options, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cut'))),
        ),
      watch: () => Promise.reject(new Error('never asked')),
    },
    clock: new FakeClock(),
    knownKeys: () => [],
    onPut: () => {},
    onDelete: () => {},
  });
  const stop = new AbortController();
  const running = feed.run(stop.signal);
  const synced = feed.waitForSync(stop.signal);
  stop.abort();
  expect(await synced).toBe(false);
  await running;
});
