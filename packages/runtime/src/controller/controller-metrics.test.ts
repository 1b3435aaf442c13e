import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import { done, failed, type Reconcile, requeue, requeueAfter } from './reconcile-result.ts';

/** A controller that is started, and whatever it reports, in the order in which it does. */
function reporting(reconcile: Reconcile<string>, more: Partial<ControllerOptions<string>> = {}) {
  const clock = new FakeClock();
  const told: string[] = [];
  const metrics: ControllerMetrics = {
    reconciled: (result, seconds) => void told.push(`${result} in ${seconds}`),
    error: () => void told.push('error'),
    terminalError: () => void told.push('terminal'),
    panic: () => void told.push('panic'),
    timeout: () => void told.push('timeout'),
    activeWorkers: (change) => void told.push(`workers ${change}`),
    maxConcurrentReconciles: (count) => void told.push(`at most ${count}`),
  };
  const controller = new Controller<string>({
    name: 'things',
    reconcile,
    clock,
    metrics: {
      metricsOf: (name) => {
        told.push(`for ${name}`);
        return metrics;
      },
    },
    onError: (error, key) => void told.push(`${key}: ${error}`),
    ...more,
  });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await clock.settle();
    await running;
  };
  return { controller, clock, stopping, running, stop, told: () => told.splice(0) };
}

describe('what a controller reports', () => {
  test.each<[string, () => ReturnType<Reconcile<string>>, string[], number | undefined]>([
    ['nothing', () => undefined, ['success in 0.25'], undefined],
    ['done', () => done, ['success in 0.25'], undefined],
    ['later', () => requeueAfter(60_000), ['requeue_after in 0.25'], 60_250],
    ['again', () => requeue, ['requeue in 0.25'], 255],
    ['no use', () => failed('bad'), ['terminal', 'error', 'error in 0.25', 'a: bad'], undefined],
    [
      'an error',
      () => {
        throw new Error('no');
      },
      ['error', 'error in 0.25', 'a: Error: no'],
      255,
    ],
    [
      'a mistake',
      () => {
        throw new TypeError('x is undefined');
      },
      ['panic', 'error', 'error in 0.25', 'a: TypeError: x is undefined'],
      255,
    ],
    [
      'another mistake',
      () => {
        throw new ReferenceError('x');
      },
      ['panic', 'error', 'error in 0.25', 'a: ReferenceError: x'],
      255,
    ],
    [
      'a network that failed',
      () => {
        throw new TypeError('fetch failed', { cause: 'refused' });
      },
      ['error', 'error in 0.25', 'a: TypeError: fetch failed'],
      255,
    ],
  ])('of %s', async (_, result, reported, dueMs) => {
    const { controller, clock, stop, told } = reporting(async () => {
      clock.jump(250);
      return result();
    });
    expect(told()).toEqual(['for things', 'at most 1']);
    controller.enqueue('a');
    await clock.settle();
    expect(told()).toEqual(['workers 1', ...reported, 'workers -1']);
    expect(controller.queue.readyAtMs('a')).toBe(dueMs);
    await stop();
    expect([told(), clock.timerCount]).toEqual([[], 0]);
  });

  test('of one that takes too long: that it does, and what it then says', async () => {
    const { controller, clock, stop, told } = reporting(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { reconcileTimeoutMs: 100, maxConcurrentReconciles: 2 },
    );
    expect(told()).toEqual(['for things', 'at most 2']);
    controller.enqueue('a');
    await clock.advance(99);
    expect(told()).toEqual(['workers 1']);
    await clock.advance(1);
    expect(told()).toEqual([
      'timeout',
      'error',
      'error in 0.1',
      'a: RuntimeError: controller things: reconciling a took longer than 100 ms',
      'workers -1',
    ]);
    await stop();
  });

  test('of what is cut off by the end: nothing but that it ended', async () => {
    const { controller, clock, stop, told } = reporting(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('cut')));
        }),
    );
    controller.enqueue('a');
    await clock.settle();
    told();
    await stop();
    expect(told()).toEqual(['workers -1']);
    expect(controller.queue.numRequeues('a')).toBe(0);
  });

  test('of a reporter that fails: that it did, and the next goes on', async () => {
    const { controller, clock, stop, told } = reporting(() => failed('bad'), {
      onError: () => {
        throw new Error('reporter');
      },
    });
    told();
    for (const key of ['a', 'b']) controller.enqueue(key);
    await clock.settle();
    const each = ['workers 1', 'terminal', 'error', 'error in 0', 'panic', 'workers -1'];
    expect(told()).toEqual([...each, ...each]);
    await stop();
  });
});

describe('a controller', () => {
  test.each([0, -1, 1.5, Number.NaN])('has no %d workers', (maxConcurrentReconciles) => {
    expect(
      () => new Controller({ name: 'x', reconcile: () => done, maxConcurrentReconciles }),
    ).toThrow('controller x: maxConcurrentReconciles must be a whole number above zero');
  });

  test('runs once', async () => {
    const { controller, stop } = reporting(() => done);
    await expect(controller.run(new AbortController().signal)).rejects.toThrow(
      'controller things was started before',
    );
    await stop();
  });

  test('has as many in work as it may, and never one twice', async () => {
    const open: string[] = [];
    const ends: (() => void)[] = [];
    const { controller, clock, stop } = reporting(
      (key) => {
        open.push(key);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      { maxConcurrentReconciles: 2 },
    );
    for (const key of ['a', 'b', 'c', 'a']) controller.enqueue(key);
    await clock.settle();
    expect(open).toEqual(['a', 'b']);
    controller.enqueue('a');
    ends[1]?.();
    await clock.settle();
    expect(open).toEqual(['a', 'b', 'c']);
    ends[0]?.();
    await clock.settle();
    expect(open).toEqual(['a', 'b', 'c', 'a']);
    for (const end of ends) end();
    await stop();
  });

  test.each<[string, () => Promise<void>, string]>([
    [
      'cannot start',
      () => Promise.reject(new Error('no')),
      'controller things: source 0 could not start',
    ],
    [
      'does not fill',
      () => new Promise(() => {}),
      'controller things: source 0 did not fill in 50 ms',
    ],
  ])('ends by a source that %s, and ends the others', async (_, startSource, message) => {
    let isEnded = false;
    const { clock, running, controller } = reporting(() => done, {
      cacheSyncTimeoutMs: 50,
      sources: [
        { start: startSource },
        {
          name: 'good',
          start: async (_enqueue, signal) => {
            signal.addEventListener('abort', () => {
              isEnded = true;
            });
          },
        },
      ],
    });
    const ended = expect(running).rejects.toThrow(
      expect.objectContaining({ code: 'WG_RUNTIME_CACHE_SYNC', message }),
    );
    await clock.advance(50);
    await ended;
    expect([isEnded, controller.queue.isShuttingDown, clock.timerCount]).toEqual([true, true, 0]);
  });
});
