import { KubeError } from '@waygate/kube';
import type { CoreEvent, Event as EventsV1Event } from '@waygate/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { EventCorrelator } from './event-correlator.ts';
import { eventName, fitNote } from './event-object.ts';
import { CoreEventRecorder, makeCoreEvent } from './event-recorder.ts';
import { SeriesEventRecorder } from './event-series-recorder.ts';
import type { EventSink } from './event-sink.ts';

type AnyEvent = CoreEvent | EventsV1Event;

/** Keeps events by name, and can be told to fail. */
class MemorySink<E extends AnyEvent> implements EventSink<E> {
  readonly events = new Map<string, E>();
  readonly calls: string[] = [];
  failure: (() => Promise<void>) | undefined;

  async create(event: E): Promise<E> {
    this.calls.push('create');
    await this.failure?.();
    const stored = { ...event, metadata: { ...event.metadata, resourceVersion: '1' } };
    this.events.set(event.metadata.name!, stored);
    return stored;
  }

  async patch(event: E, patch: object): Promise<E> {
    this.calls.push('patch');
    await this.failure?.();
    const stored = this.events.get(event.metadata.name!);
    if (stored === undefined) throw new KubeError('WG_KUBE_API', 'gone', { statusCode: 404 });
    const patched = { ...stored, ...patch };
    this.events.set(event.metadata.name!, patched);
    return patched;
  }
}

const pod = { kind: 'Pod', apiVersion: 'v1', namespace: 'ns', name: 'web' };

async function recording(
  more: Partial<ConstructorParameters<typeof CoreEventRecorder>[0]> = {},
): Promise<{
  clock: FakeClock;
  sink: MemorySink<CoreEvent>;
  recorder: CoreEventRecorder;
  stop: () => Promise<void>;
  errors: unknown[];
}> {
  const clock = new FakeClock();
  const sink = new MemorySink<CoreEvent>();
  const errors: unknown[] = [];
  const recorder = new CoreEventRecorder({
    sink,
    clock,
    random: () => 0.5,
    source: { component: 'test' },
    onError: (error) => errors.push(error),
    ...more,
  });
  const controller = new AbortController();
  const running = recorder.run(controller.signal);
  await clock.settle();
  const stop = async () => {
    controller.abort();
    await clock.advance(5_000);
    await running;
  };
  return { clock, sink, recorder, stop, errors };
}

describe('CoreEventRecorder', () => {
  test('creates an event, counts the same one up, and recreates one that the API forgot', async () => {
    const { clock, sink, recorder, stop } = await recording();
    recorder.event(pod, 'Warning', 'Failed', 'no such image');
    recorder.event(pod, 'Warning', 'Failed', 'no such image');
    await clock.settle();
    expect(sink.calls).toEqual(['create', 'patch']);
    const [only] = [...sink.events.values()];
    expect(only).toMatchObject({
      count: 2,
      type: 'Warning',
      reason: 'Failed',
      message: 'no such image',
      metadata: { namespace: 'ns' },
      source: { component: 'test' },
    });
    sink.events.clear();
    recorder.event(pod, 'Warning', 'Failed', 'no such image');
    await clock.settle();
    expect(sink.calls).toEqual(['create', 'patch', 'patch', 'create']);
    expect([...sink.events.values()][0]?.count).toBe(3);
    await stop();
    expect(clock.timerCount).toBe(0);
  });

  test('waits out an unreachable API: first a random pause, then ten seconds each', async () => {
    const { clock, sink, recorder, stop, errors } = await recording();
    let left = 2;
    sink.failure = async () => {
      if (left-- > 0) throw new KubeError('WG_KUBE_CONNECTION', 'refused');
    };
    recorder.event(pod, 'Normal', 'Started', 'x');
    await clock.settle();
    expect(sink.calls).toHaveLength(1);
    await clock.advance(5_000);
    expect(sink.calls).toHaveLength(2);
    await clock.advance(10_000);
    expect(sink.calls).toHaveLength(3);
    expect(sink.events.size).toBe(1);
    expect(errors).toEqual([]);
    await stop();
  });

  test('a stop still writes what waits, but does not wait for a dead API', async () => {
    const healthy = await recording();
    for (let index = 0; index < 5; index++)
      healthy.recorder.event({ ...pod, name: `p${index}` }, 'Normal', 'Started', 'x');
    await healthy.stop();
    expect(healthy.sink.events.size).toBe(5);

    const dead = await recording();
    dead.sink.failure = () => new Promise(() => {});
    for (let index = 0; index < 5; index++)
      dead.recorder.event({ ...pod, name: `p${index}` }, 'Normal', 'Started', 'x');
    await dead.stop();
    expect(dead.recorder.dropped).toBe(4);
    expect(dead.clock.timerCount).toBe(0);
  });

  test('an object that does not say what it is is reported, not thrown at the caller', async () => {
    const { recorder, stop, errors } = await recording();
    recorder.event({ metadata: { name: 'x' } }, 'Normal', 'Started', 'x');
    expect(errors).toMatchObject([{ code: 'WG_RUNTIME_CONFIG' }]);
    await stop();
  });

  test('an event of a type that there is not is reported and dropped', async () => {
    const { clock, sink, recorder, stop, errors } = await recording();
    const series: unknown[] = [];
    const seriesSink = new MemorySink<EventsV1Event>();
    const seriesRecorder = new SeriesEventRecorder({
      sink: seriesSink,
      clock,
      reportingController: 'example.com/test',
      reportingInstance: 'test-1',
      onError: (error) => series.push(error),
    });
    for (const one of [recorder, seriesRecorder])
      one.event(pod, 'Info' as 'Normal', 'Started', 'x');
    await clock.settle();
    await stop();
    expect(sink.calls).toEqual([]);
    expect(errors).toMatchObject([{ code: 'WG_RUNTIME_CONFIG' }]);
    expect(series).toMatchObject([{ code: 'WG_RUNTIME_CONFIG' }]);
  });
});

describe('EventCorrelator', () => {
  test('any burst becomes at most 25 writes for one object, and counts never go back', () => {
    const message = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
    fc.assert(
      fc.property(fc.array(message, { maxLength: 200 }), (messages) => {
        const correlator = new EventCorrelator({ clock: new FakeClock() });
        const counts = new Map<string, number>();
        let writes = 0;
        for (const text of messages) {
          const result = correlator.correlate(makeCoreEvent(pod, 'Normal', 'Reason', text, 0));
          if (result.kind === 'skip') continue;
          writes++;
          const { name } = result.event.metadata;
          const count = result.event.count ?? 0;
          expect(count).toBeGreaterThan(counts.get(name!) ?? 0);
          expect(result.patch === undefined).toBe(!counts.has(name!));
          counts.set(name!, count);
          correlator.updateState(result.event);
        }
        expect(writes).toBe(Math.min(messages.length, 25));
      }),
    );
  });
});

describe('SeriesEventRecorder', () => {
  async function series() {
    const clock = new FakeClock();
    const sink = new MemorySink<EventsV1Event>();
    const recorder = new SeriesEventRecorder({
      sink,
      clock,
      reportingController: 'example.com/test',
      reportingInstance: 'test-1',
    });
    const controller = new AbortController();
    const running = recorder.run(controller.signal);
    const happen = async () => {
      recorder.event(pod, 'Normal', 'Synced', 'it is so', { action: 'Sync' });
      await clock.settle();
    };
    const stop = async () => {
      controller.abort();
      await clock.settle();
      await running;
    };
    return { clock, sink, happen, stop };
  }

  test('the second time is patched at once, later ones when the series is refreshed', async () => {
    const { clock, sink, happen, stop } = await series();
    await happen();
    await happen();
    expect(sink.calls).toEqual(['create', 'patch']);
    for (let minute = 0; minute < 30; minute++) {
      await happen();
      await clock.advance(60_000);
    }
    expect(sink.calls).toEqual(['create', 'patch', 'patch']);
    const [only] = [...sink.events.values()];
    expect(only?.series?.count).toBe(32);
    expect(only).toMatchObject({ action: 'Sync', note: 'it is so', regarding: pod });
    await stop();
    expect(clock.timerCount).toBe(0);
  });

  test('a quiet series is finished with its last count, and the next one is a new event', async () => {
    const { clock, sink, happen, stop } = await series();
    for (let index = 0; index < 4; index++) await happen();
    await clock.advance(720_000);
    expect([...sink.events.values()][0]?.series?.count).toBe(4);
    await happen();
    expect(sink.events.size).toBe(2);
    await stop();
  });
});

test('names are unique within one instant and legal for any object', () => {
  const names = [eventName('web', 5), eventName('web', 5), eventName('web', 5)];
  expect(new Set(names).size).toBe(3);
  expect(eventName('system:node', 5)).toMatch(/^[0-9a-f-]{36}$/);
});

test('a note is cut between characters', () => {
  const note = fitNote(`a${'日本語'.repeat(200)}`);
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
  expect(note).not.toContain('\ufffd');
  expect(fitNote('short')).toBe('short');
});
