import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { DelayingQueue } from './delaying-queue.ts';
import type { QueueMetricsProvider } from './queue-metrics.ts';
import { WorkQueue } from './work-queue.ts';

/** Writes down whatever is reported, in the order in which it is. */
function heard() {
  const told: string[] = [];
  const counter = (name: string) => ({ increment: () => void told.push(`${name}+1`) });
  const gauge = (name: string) => ({ set: (value: number) => void told.push(`${name}=${value}`) });
  const histogram = (name: string) => ({
    observe: (value: number) => void told.push(`${name} ${value}`),
  });
  const metricsProvider: QueueMetricsProvider = {
    metricsOf: (queue) => {
      told.push(`for ${queue}`);
      return {
        depth: { ...counter('depth'), decrement: () => void told.push('depth-1') },
        adds: counter('adds'),
        latency: histogram('latency'),
        workDuration: histogram('work'),
        unfinishedWorkSeconds: gauge('unfinished'),
        longestRunningProcessorSeconds: gauge('longest'),
        retries: counter('retries'),
      };
    },
  };
  return { metricsProvider, told: () => told.splice(0) };
}

describe('what a queue reports', () => {
  test('of an item that is added, added again, taken and done', async () => {
    const { metricsProvider, told } = heard();
    const clock = new FakeClock();
    const queue = new WorkQueue<string>({ name: 'things', clock, metricsProvider });
    expect(told()).toEqual(['for things']);
    queue.add('a');
    queue.add('a');
    expect(told()).toEqual(['adds+1', 'depth+1']);
    clock.jump(200);
    queue.tryGet();
    expect(told()).toEqual(['depth-1', 'latency 0.2']);
    clock.jump(100);
    // Added while it is worked on, it waits from now on.
    queue.add('a');
    expect(told()).toEqual(['adds+1', 'depth+1']);
    clock.jump(50);
    queue.done('a');
    expect(told()).toEqual(['work 0.15']);
    queue.tryGet();
    expect(told()).toEqual(['depth-1', 'latency 0.05']);
    queue.done('a');
    expect(told()).toEqual(['work 0']);
    queue.done('a');
    queue.done('stranger');
    expect(told()).toEqual([]);
  });

  test('of work that does not end, every half second, and late only once', async () => {
    const { metricsProvider, told } = heard();
    const clock = new FakeClock();
    const queue = new WorkQueue<string>({ name: 'things', clock, metricsProvider });
    queue.add('a');
    queue.add('b');
    await clock.advance(100);
    queue.tryGet();
    await clock.advance(100);
    queue.tryGet();
    told();
    await clock.advance(299);
    expect(told()).toEqual([]);
    await clock.advance(1);
    expect(told()).toEqual(['unfinished=0.7', 'longest=0.4']);
    // Asleep for two updates and a half: one comes late, the next when it is due.
    await clock.leap(1_250);
    expect(told()).toEqual(['unfinished=3.2', 'longest=1.65']);
    queue.done('a');
    told();
    await clock.advance(249);
    expect(told()).toEqual([]);
    await clock.advance(1);
    expect(told()).toEqual(['unfinished=1.8', 'longest=1.8']);
    queue.shutDown();
    expect(clock.timerCount).toBe(0);
  });

  test('of retries: each that was put off, also by nothing', () => {
    const { metricsProvider, told } = heard();
    const queue = new DelayingQueue<string>({
      name: 'things',
      clock: new FakeClock(),
      metricsProvider,
      unfinishedWorkUpdateMs: 5,
    });
    told();
    queue.addAfter('a', 10);
    expect(told()).toEqual(['retries+1']);
    queue.addAfter('a', 0);
    expect(told()).toEqual(['retries+1', 'adds+1', 'depth+1']);
    queue.shutDown();
    queue.addAfter('b', 10);
    expect(told()).toEqual([]);
  });

  test.each([undefined, ''])('nothing under the name %j', (name) => {
    const { metricsProvider, told } = heard();
    const clock = new FakeClock();
    new WorkQueue({ ...(name !== undefined && { name }), clock, metricsProvider }).add('a');
    expect([told(), clock.timerCount]).toEqual([[], 0]);
  });
});
