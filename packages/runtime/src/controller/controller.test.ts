import type { WatchEvent } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import type { ListerWatcher } from '../cache/lister-watcher.ts';
import { SharedInformer } from '../cache/shared-informer.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { generationChanged } from './controller-predicate.ts';
import { informerSource, ownerKeys } from './controller-source.ts';
import { prometheusMetrics } from './metrics.ts';
import { done, failed, requeue, requeueAfter } from './reconcile-result.ts';

function start(options: Partial<ControllerOptions<string>>, clock = new FakeClock()) {
  const metrics = prometheusMetrics();
  const errors: unknown[] = [];
  const controller = new Controller({
    name: 'test',
    reconcile: () => done,
    clock,
    metrics: metrics.controller,
    queueMetrics: metrics.queue,
    onError: (error) => errors.push(error),
    ...options,
  });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await clock.settle();
    await running;
  };
  const metric = async (name: string, labels: object = {}) => {
    const { values } = (await metrics.registry.getSingleMetric(name)!.get()) as {
      values: { value: number; labels: Record<string, unknown> }[];
    };
    return values.find((one) =>
      Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    )?.value;
  };
  return { controller, clock, stop, stopping, running, errors, metric };
}

describe('Controller', () => {
  test('each result does what it says', async () => {
    const seen: [string, number][] = [];
    const clock = new FakeClock();
    const results = { done, later: requeueAfter(60_000), again: requeue, bad: failed('nonsense') };
    const { controller, stop, errors, metric } = start(
      {
        reconcile: (key) => {
          const isFirst = !seen.some(([other]) => other === key);
          seen.push([key, clock.monotonicMs()]);
          return isFirst ? results[key as keyof typeof results] : undefined;
        },
      },
      clock,
    );
    for (const key of Object.keys(results)) controller.enqueue(key);
    await clock.advance(120_000);
    expect(seen).toEqual([
      ['done', 0],
      ['later', 0],
      ['again', 0],
      ['bad', 0],
      ['again', 5],
      ['later', 60_000],
    ]);
    expect(errors).toEqual(['nonsense']);
    const total = 'controller_runtime_reconcile_total';
    expect(await metric(total, { result: 'success' })).toBe(3);
    expect(await metric(total, { result: 'requeue' })).toBe(1);
    expect(await metric(total, { result: 'requeue_after' })).toBe(1);
    expect(await metric(total, { result: 'error' })).toBe(1);
    expect(await metric('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
    expect(await metric('workqueue_adds_total', { name: 'test' })).toBe(6);
    await stop();
    expect(clock.timerCount).toBe(0);
  });

  test('a throw is caught, counted, and tried again later each time; success forgets it', async () => {
    const at: number[] = [];
    const failures: number[] = [];
    const clock = new FakeClock();
    const { controller, stop, errors, metric } = start(
      {
        reconcile: (_key, context) => {
          at.push(clock.monotonicMs());
          failures.push(context.failures);
          if (at.length === 2) (undefined as unknown as { f(): void }).f();
          if (at.length < 5) throw new Error('not yet');
        },
      },
      clock,
    );
    controller.enqueue('a');
    await clock.advance(1_000);
    expect(at).toEqual([0, 5, 15, 35, 75]);
    expect(failures).toEqual([0, 1, 2, 3, 4]);
    expect(errors).toHaveLength(4);
    expect(await metric('controller_runtime_reconcile_errors_total')).toBe(4);
    expect(await metric('controller_runtime_reconcile_panics_total')).toBe(1);
    expect(controller.queue.numRequeues('a')).toBe(0);
    await stop();
  });

  test('one key is never reconciled twice at once; others run beside it up to the limit', async () => {
    const active = new Map<string, number>();
    let most = 0;
    let worst = 0;
    const clock = new FakeClock();
    const { controller, stop } = start(
      {
        maxConcurrentReconciles: 3,
        reconcile: async (key) => {
          active.set(key, (active.get(key) ?? 0) + 1);
          worst = Math.max(worst, ...active.values());
          most = Math.max(
            most,
            [...active.values()].reduce((sum, count) => sum + count, 0),
          );
          await clock.sleep(10);
          active.set(key, active.get(key)! - 1);
        },
      },
      clock,
    );
    for (let round = 0; round < 5; round++) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) controller.enqueue(key);
      await clock.advance(7);
    }
    await clock.advance(1_000);
    expect(worst).toBe(1);
    expect(most).toBe(3);
    await stop();
  });

  test('a reconciliation that takes too long is told, and its failure is tried again', async () => {
    const clock = new FakeClock();
    const { controller, stop, errors, metric } = start(
      {
        reconcileTimeoutMs: 1_000,
        reconcile: (_key, { signal, failures }) =>
          failures > 0
            ? undefined
            : new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => reject(signal.reason));
              }),
      },
      clock,
    );
    controller.enqueue('slow');
    await clock.advance(999);
    expect(errors).toEqual([]);
    await clock.advance(100);
    expect(errors).toMatchObject([{ code: 'WG_RUNTIME_RECONCILE_TIMEOUT' }]);
    expect(await metric('controller_runtime_reconcile_timeouts_total')).toBe(1);
    expect(await metric('controller_runtime_reconcile_total', { result: 'success' })).toBe(1);
    await stop();
    expect(clock.timerCount).toBe(0);
  });

  test('a stop ends what is under way, takes nothing new, and counts no error', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const { controller, stop, errors } = start(
      {
        reconcile: (key, { signal }) => {
          seen.push(key);
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('cancelled')));
          });
        },
      },
      clock,
    );
    controller.enqueue('a');
    controller.enqueue('b');
    await clock.settle();
    await stop();
    expect(seen).toEqual(['a']);
    expect(errors).toEqual([]);
    expect(clock.timerCount).toBe(0);
  });

  test('a source that does not fill in time ends the controller with an error', async () => {
    const { clock, running } = start({
      sources: [{ name: 'never', start: () => new Promise(() => {}) }],
    });
    const outcome = expect(running).rejects.toMatchObject({ code: 'WG_RUNTIME_CACHE_SYNC' });
    await clock.advance(120_000);
    await outcome;
    expect(clock.timerCount).toBe(0);
  });
});

/** Lists what is there and tells what happens, as an API does. */
class ModelApi implements ListerWatcher<KubeObject> {
  readonly objects = new Map<string, KubeObject>();
  readonly supportsWatchList = false;
  #version = 1;
  #tell: (event: WatchEvent<KubeObject>) => void = () => {};

  async list() {
    return { resourceVersion: `${this.#version}`, continue: '', items: [...this.objects.values()] };
  }

  async watch(_options: object, signal: AbortSignal) {
    const events: WatchEvent<KubeObject>[] = [];
    let wake = () => {};
    this.#tell = (event) => {
      events.push(event);
      wake();
    };
    signal.addEventListener('abort', () => wake());
    return (async function* () {
      while (!signal.aborted) {
        const event = events.shift();
        if (event !== undefined) yield event;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    })();
  }

  put(name: string, more: object = {}): void {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const object = {
      metadata: { name, namespace: 'ns', resourceVersion: `${++this.#version}`, ...more },
    };
    this.objects.set(name, object);
    this.#tell({ type, object });
  }
}

describe('informerSource', () => {
  async function watching(options: Parameters<typeof informerSource<KubeObject>>[1] = {}) {
    const clock = new FakeClock();
    const api = new ModelApi();
    api.put('old', { generation: 1 });
    const informer = new SharedInformer<KubeObject>({ listerWatcher: api, clock });
    const seen: string[] = [];
    const { stop } = start(
      {
        sources: [informerSource(informer, options)],
        reconcile: (key) => {
          seen.push(key);
        },
      },
      clock,
    );
    const stopping = new AbortController();
    const running = informer.run(stopping.signal);
    await clock.settle();
    const end = async () => {
      await stop();
      expect(informer.handlerCount).toBe(0);
      stopping.abort();
      await clock.settle();
      await running;
    };
    return { api, clock, seen, end };
  }

  test('feeds what is there, then what happens, less what the predicates drop', async () => {
    const { api, clock, seen, end } = await watching({ predicates: [generationChanged] });
    expect(seen).toEqual(['ns/old']);
    api.put('new', { generation: 1 });
    await clock.settle();
    api.put('old', { generation: 1, labels: { a: 'b' } });
    await clock.settle();
    expect(seen).toEqual(['ns/old', 'ns/new']);
    api.put('old', { generation: 2 });
    await clock.settle();
    expect(seen).toEqual(['ns/old', 'ns/new', 'ns/old']);
    await end();
  });

  test('maps to owners, of the old state and of the new', async () => {
    const { api, clock, seen, end } = await watching({
      map: ownerKeys({ group: 'example.com', kind: 'Widget' }),
    });
    const owned = (name: string) => ({
      ownerReferences: [
        { apiVersion: 'example.com/v1', kind: 'Widget', name, uid: '1', controller: true },
        { apiVersion: 'other.com/v1', kind: 'Widget', name: 'no', uid: '2', controller: true },
        { apiVersion: 'example.com/v1', kind: 'Widget', name: 'no', uid: '3' },
      ],
    });
    api.put('child', owned('one'));
    await clock.settle();
    api.put('child', owned('two'));
    await clock.settle();
    expect(seen).toEqual(['ns/one', 'ns/one', 'ns/two']);
    await end();
  });
});
