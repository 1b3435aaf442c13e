import fc from 'fast-check';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { prometheusQueueMetrics } from './prometheus-queue-metrics.ts';
import { WorkQueue } from './work-queue.ts';

/** The rules of client-go's queue in their plainest form. */
class ModelQueue {
  readonly queue: string[] = [];
  readonly dirty = new Set<string>();
  readonly processing = new Set<string>();
  isShutDown = false;

  add(item: string): void {
    if (this.isShutDown || this.dirty.has(item)) return;
    this.dirty.add(item);
    if (!this.processing.has(item)) this.queue.push(item);
  }

  get(): string | undefined {
    const item = this.queue.shift();
    if (item === undefined) return undefined;
    this.processing.add(item);
    this.dirty.delete(item);
    return item;
  }

  done(item: string): void {
    this.processing.delete(item);
    if (this.dirty.has(item)) this.queue.push(item);
  }
}

describe('WorkQueue', () => {
  test('does what its model does', () => {
    const command = fc.oneof(
      fc.record({ op: fc.constant('add' as const), item: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ op: fc.constant('get' as const) }),
      fc.record({ op: fc.constant('done' as const), index: fc.nat(5) }),
      fc.record({ op: fc.constant('shutDown' as const) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const queue = new WorkQueue<string>();
        const model = new ModelQueue();
        for (const one of commands) {
          if (one.op === 'add') {
            queue.add(one.item);
            model.add(one.item);
          } else if (one.op === 'get') expect(queue.tryGet()).toBe(model.get());
          else if (one.op === 'shutDown') {
            queue.shutDown();
            model.isShutDown = true;
          } else {
            const item = [...model.processing][one.index];
            if (item === undefined) continue;
            queue.done(item);
            model.done(item);
          }
          expect(queue.length).toBe(model.queue.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a loop over a full queue lets timers fire', async () => {
    const queue = new WorkQueue<number>();
    let left = 300_000;
    for (let item = 0; item < left; item++) queue.add(item);
    let firedAt = -1;
    setTimeout(() => {
      firedAt = left;
    }, 1);
    for (; left > 0; left--) queue.done((await queue.get())!);
    expect(firedAt).toBeGreaterThan(0);
  });

  test('ten workers do not starve timers either', async () => {
    const queue = new WorkQueue<number>();
    let left = 300_000;
    for (let item = 0; item < left; item++) queue.add(item);
    queue.shutDown();
    let firedAt = -1;
    setTimeout(() => {
      firedAt = left;
    }, 1);
    const worker = async () => {
      for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
        queue.done(item);
        left--;
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    expect(firedAt).toBeGreaterThan(0);
  });

  test('a get that is given up takes nothing from the others', async () => {
    const queue = new WorkQueue<string>();
    const abort = new AbortController();
    const givenUp = queue.get(abort.signal);
    const waiting = queue.get();
    abort.abort();
    expect(await givenUp).toBeUndefined();
    queue.add('a');
    expect(await waiting).toBe('a');
    expect(await queue.get(abort.signal)).toBeUndefined();
  });

  test('drain waits for an item that was added again while it was worked on', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    queue.tryGet();
    queue.add('a');
    let isDrained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      isDrained = true;
    });
    queue.done('a');
    await Promise.resolve();
    expect(isDrained).toBe(false);
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    await draining;
  });

  test('reports to Prometheus under client-go’s names', async () => {
    const registry = new Registry();
    const clock = new FakeClock();
    const queue = new WorkQueue<string>({
      name: 'things',
      clock,
      metricsProvider: prometheusQueueMetrics(registry),
    });
    queue.add('a');
    queue.add('b');
    await clock.leap(250);
    queue.tryGet();
    await clock.leap(750);
    const text = await registry.metrics();
    expect(text).toContain('workqueue_depth{name="things",controller="things"} 1');
    expect(text).toContain('workqueue_adds_total{name="things",controller="things"} 2');
    expect(text).toContain(
      'workqueue_queue_duration_seconds_sum{name="things",controller="things"} 0.25',
    );
    expect(text).toContain(
      'workqueue_unfinished_work_seconds{name="things",controller="things"} 0.75',
    );
    queue.shutDown();
    expect(clock.timerCount).toBe(0);
  });

  test('an item in work is neither waiting nor taken twice', async () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    expect([queue.tryGet(), queue.length, queue.rememberedCount]).toEqual([undefined, 0, 0]);
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    expect([queue.length, queue.tryGet(), queue.rememberedCount]).toEqual([0, undefined, 1]);
    queue.done('a');
    expect([queue.length, queue.tryGet()]).toEqual([1, 'a']);
  });

  test('done of what was not taken makes it wait twice, as client-go does', () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    queue.add('a');
    queue.done('a');
    expect(queue.length).toBe(2);
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  test('whoever waits is served in order, and all are sent home at the end', async () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    const { signal } = new AbortController();
    const [first, second, third] = [queue.get(), queue.get(signal), queue.get(signal)];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
    expect(queue.isShuttingDown).toBe(false);
    queue.shutDown();
    queue.shutDown();
    expect(queue.isShuttingDown).toBe(true);
    expect(await Promise.all([third, queue.get()])).toEqual([undefined, undefined]);
    queue.add('c');
    expect(queue.length).toBe(0);
  });

  test('what waits at the end is still handed out', async () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    queue.add('a');
    queue.shutDown();
    expect([await queue.get(), await queue.get()]).toEqual(['a', undefined]);
  });

  test('a drain ends with the last item in work, or with a shutdown', async () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    for (const item of ['a', 'b', 'c']) queue.add(item);
    queue.tryGet();
    queue.tryGet();
    const ended: string[] = [];
    const draining = queue.shutDownWithDrain().then(() => void ended.push('drained'));
    queue.done('b');
    await Promise.resolve();
    expect(ended).toEqual([]);
    queue.done('a');
    await draining;
    expect(ended).toEqual(['drained']);
    await queue.shutDownWithDrain();
    expect(queue.tryGet()).toBe('c');
    const another = queue.shutDownWithDrain();
    queue.shutDown();
    await another;
  });

  test('what is collected in between is nobody’s: an aborted wait leaves no listener', async () => {
    const queue = new WorkQueue<string>({ clock: new FakeClock() });
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove.apply(signal, args);
    };
    const waiting = queue.get(signal);
    expect(listeners).toBe(1);
    queue.add('a');
    expect([await waiting, listeners]).toEqual(['a', 0]);
  });
});
