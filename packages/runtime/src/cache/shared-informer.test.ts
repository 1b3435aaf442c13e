import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';
import { SharedInformer } from './shared-informer.ts';

/** One list, and a watch that the test feeds. */
class FedSource implements ListerWatcher<KubeObject> {
  readonly supportsWatchList = false;
  readonly items: KubeObject[];
  readonly #events: WatchedEvent<KubeObject>[] = [];
  #wake = () => {};

  constructor(items: KubeObject[]) {
    this.items = items;
  }

  async list() {
    return { resourceVersion: '1', continue: '', items: [...this.items] };
  }

  async watch(_: object, signal: AbortSignal) {
    const source = this;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    return (async function* () {
      while (!signal.aborted) {
        while (source.#events.length > 0) yield source.#events.shift()!;
        await new Promise<void>((resolve) => {
          source.#wake = resolve;
        });
      }
    })();
  }

  feed(event: WatchedEvent<KubeObject>): void {
    this.#events.push(event);
    this.#wake();
  }
}

const thing = (index: number, version: number): KubeObject => ({
  metadata: {
    name: `thing-${index}`,
    namespace: `team-${index % 10}`,
    resourceVersion: String(version),
    annotations: { filling: `${version}-${'x'.repeat(200)}` },
  },
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('SharedInformer', () => {
  test('a large list is taken in turns: nothing waits long, and readers see it whole', async () => {
    const source = new FedSource(Array.from({ length: 60_000 }, (_, index) => thing(index, 1)));
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: source,
      indexers: { team: ({ metadata }) => [metadata.namespace!] },
    });
    const abort = new AbortController();
    let handled = 0;
    informer.addEventHandler({ onAdd: () => void handled++ });
    let turns = 0;
    const sizes = new Set<number>();
    const watching = setInterval(() => {
      turns++;
      sizes.add(informer.indexer.size);
    }, 1);
    const running = informer.run(abort.signal);
    await informer.waitForSync();
    clearInterval(watching);
    expect(turns).toBeGreaterThan(2);
    expect([...sizes].filter((size) => size !== 0 && size !== 60_000)).toEqual([]);
    while (handled < 60_000) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await running;
  });

  test('a handler that joins while a list is being told hears of everything once', async () => {
    const clock = new FakeClock();
    const source = new FedSource(Array.from({ length: 20_000 }, (_, index) => thing(index, 1)));
    // On the machine's clock, as the turns depend on it.
    const informer = new SharedInformer<KubeObject>({ listerWatcher: source });
    const abort = new AbortController();
    const counts = new Map<string, number>();
    const running = informer.run(abort.signal);
    while (informer.indexer.size === 0) await clock.yield();
    const registration = informer.addEventHandler({
      onAdd: ({ metadata }) => {
        const key = `${metadata.namespace}/${metadata.name}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      },
      onUpdate: () => expect.unreachable('nothing changed'),
    });
    expect(await registration.waitForSync()).toBe(true);
    expect(counts.size).toBe(20_000);
    expect(Math.max(...counts.values())).toBe(1);
    abort.abort();
    await running;
  });

  test('an object that an index function cannot take does not keep out the others', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: new FedSource([thing(0, 1), thing(1, 1), thing(2, 1)]),
      clock,
      onError: (error) => errors.push(error),
      indexers: {
        picky: ({ metadata }) => {
          if (metadata.name === 'thing-1') throw new Error('not this one');
          return [];
        },
      },
    });
    const seen: (string | undefined)[] = [];
    informer.addEventHandler({ onAdd: ({ metadata }) => void seen.push(metadata.name) });
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await clock.settle();
    expect(informer.hasSynced).toBe(true);
    expect(seen).toEqual(['thing-0', 'thing-2']);
    expect(errors).toHaveLength(1);
    abort.abort();
    await running;
    expect(clock.timerCount).toBe(0);
  });

  test('neither a transform nor a reporter that throws stops anything', async () => {
    const clock = new FakeClock();
    const source = new FedSource([thing(0, 1), thing(1, 1)]);
    let reports = 0;
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: source,
      clock,
      transform: (object) => {
        if (object.metadata.name === 'thing-1') throw new Error('not this one');
        return object;
      },
      onError: () => {
        reports++;
        throw new Error('nor this reporter');
      },
    });
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await clock.settle();
    expect(informer.indexer.listKeys()).toEqual(['team-0/thing-0']);
    source.feed({ type: 'ADDED', object: thing(1, 2) });
    source.feed({ type: 'ADDED', object: thing(2, 3) });
    await clock.settle();
    expect(informer.indexer.listKeys()).toEqual(['team-0/thing-0', 'team-2/thing-2']);
    expect(reports).toBe(2);
    expect(warnings).toHaveBeenCalledTimes(2);
    warnings.mockRestore();
    abort.abort();
    await running;
  });

  test('an error handler and a transform may be set until it starts, and replace those it was made with', async () => {
    const clock = new FakeClock();
    const source = new FedSource([thing(1, 1)]);
    const [first, second]: unknown[][] = [[], []];
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: source,
      clock,
      transform: () => ({ metadata: { name: 'never' } }),
      onError: (error) => first!.push(error),
    });
    informer.setWatchErrorHandler((error) => second!.push(error));
    informer.setTransform(({ metadata }) => ({ metadata: { name: `${metadata.name}-seen` } }));
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await clock.settle();
    source.feed({ type: 'ADDED', object: thing(2, 2) });
    source.feed({
      type: 'ERROR',
      object: { kind: 'Status', code: 403, message: 'Access Denied', reason: 'Forbidden' },
    });
    await clock.settle();
    expect(informer.indexer.listKeys()).toEqual(['thing-1-seen', 'thing-2-seen']);
    expect(first).toEqual([]);
    expect(second).toMatchObject([{ message: 'Access Denied' }]);
    const started = expect.objectContaining({ code: 'WG_RUNTIME_STATE' });
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow(started);
    expect(() => informer.setTransform((object) => object)).toThrow(started);
    stop.abort();
    await running;
    expect(() => informer.setTransform((object) => object)).toThrow(started);
  });

  test('a soak of updates with handlers coming and going ends with the heap it began with', async () => {
    const objects = 1_000;
    const updates = 20_000;
    const source = new FedSource(Array.from({ length: objects }, (_, index) => thing(index, 1)));
    const informer = new SharedInformer<KubeObject>({ listerWatcher: source });
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await informer.waitForSync();
    const soak = async (from: number, to: number) => {
      for (let version = from; version < to; version++) {
        source.feed({ type: 'MODIFIED', object: thing(version % objects, version) });
        if (version % 500 === 0) {
          const registration = informer.addEventHandler({ onUpdate: () => {} });
          await registration.waitForSync();
          informer.removeEventHandler(registration);
        }
        if (version % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      while (informer.lastSyncResourceVersion !== String(to - 1))
        await new Promise((resolve) => setImmediate(resolve));
    };
    await soak(2, 4_000);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await soak(4_000, 4_000 + updates);
    collectGarbage();
    expect(process.memoryUsage().heapUsed).toBeLessThan(before * 1.1);
    abort.abort();
    await running;
  });
});
