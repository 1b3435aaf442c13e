import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { informerMetrics } from './informer-metrics.ts';
import type { WatchedEvent } from './lister-watcher.ts';
import { SharedInformer } from './shared-informer.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

test('the age of the last event tells a watch that has gone silent', async () => {
  const clock = new FakeClock();
  let send: (event: WatchedEvent<Thing>) => void = () => {};
  const informer = new SharedInformer<Thing>({
    clock,
    useWatchList: false,
    listerWatcher: {
      list: async () => ({ resourceVersion: '1', continue: '', items: [thing('a', '1')] }),
      watch: async (_options, signal) =>
        (async function* () {
          while (!signal.aborted)
            yield await new Promise<WatchedEvent<Thing>>((resolve) => {
              send = resolve;
              signal.addEventListener('abort', () =>
                resolve({ type: 'BOOKMARK', object: thing('a', '1') }),
              );
            });
        })(),
    },
  });
  const registry = new Registry();
  informerMetrics(registry).observe('things', informer);
  expect(await registry.metrics()).not.toContain('informer_last_event_age_seconds{');
  const stopping = new AbortController();
  const running = informer.run(stopping.signal);
  await informer.waitForSync();
  await clock.advance(40_000);
  const silent = await registry.metrics();
  expect(silent).toContain('informer_last_event_age_seconds{name="things"} 40');
  expect(silent).toContain('informer_objects{name="things"} 1');
  send({ type: 'BOOKMARK', object: thing('a', '2') });
  await clock.advance(2_000);
  expect(await registry.metrics()).toContain('informer_last_event_age_seconds{name="things"} 2');
  stopping.abort();
  await running;
});

function thing(name: string, resourceVersion: string): Thing {
  return { metadata: { name, resourceVersion } };
}
