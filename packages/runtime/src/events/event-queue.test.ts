import { KubeError } from '@waygate/kube';
import type { CoreEvent } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { eventNamespace, fitNote, referenceTo, toSeconds } from './event-object.ts';
import { EventQueue, type EventQueueSignals } from './event-queue.ts';
import { makeCoreEvent } from './event-recorder.ts';
import { writeEvent } from './event-sink.ts';

describe('a line of events', () => {
  function lined(handle: (event: string, signals: EventQueueSignals) => Promise<void>) {
    const clock = new FakeClock();
    const queue = new EventQueue<string>({ clock, length: 2, flushMs: 100, handle });
    const abort = new AbortController();
    return { clock, queue, abort, run: () => queue.run(abort.signal) };
  }

  test('holds so many, and what is more is dropped', async () => {
    const handled: string[] = [];
    const { clock, queue, abort, run } = lined(async (event) => void handled.push(event));
    for (const event of ['a', 'b', 'c']) queue.add(event);
    expect(queue.dropped).toBe(1);
    const running = run();
    await clock.settle();
    queue.add('d');
    await clock.settle();
    queue.add('e');
    abort.abort();
    await running;
    expect([handled, queue.dropped, clock.timerCount]).toEqual([['a', 'b', 'd', 'e'], 1, 0]);
  });

  test('goes on after one that fails', async () => {
    const handled: string[] = [];
    const { clock, queue, abort, run } = lined(async (event) => {
      handled.push(event);
      if (event === 'a') throw new Error('no');
    });
    queue.add('a');
    queue.add('b');
    const running = run();
    await clock.settle();
    expect([handled, queue.dropped]).toEqual([['a', 'b'], 1]);
    abort.abort();
    await running;
  });

  test('that is stopped gives what waits so long, then cuts it off', async () => {
    const told: string[] = [];
    const { clock, queue, abort, run } = lined((_, { stop, cut }) => {
      stop.addEventListener('abort', () => told.push(`stop at ${clock.monotonicMs()}`));
      cut.addEventListener('abort', () => told.push(`cut at ${clock.monotonicMs()}`));
      return new Promise(() => {});
    });
    queue.add('a');
    const running = run().then(() => void told.push(`ended at ${clock.monotonicMs()}`));
    await clock.advance(10);
    queue.add('b');
    queue.add('c');
    abort.abort();
    await clock.advance(99);
    expect(told).toEqual(['stop at 10']);
    await clock.advance(1);
    await running;
    expect(told).toEqual(['stop at 10', 'cut at 110', 'ended at 110']);
    expect([queue.dropped, clock.timerCount]).toEqual([2, 0]);
  });

  test('that is stopped before it runs still handles what waits', async () => {
    const handled: string[] = [];
    const { clock, queue, abort, run } = lined(async (event) => void handled.push(event));
    queue.add('a');
    abort.abort();
    await run();
    expect([handled, queue.dropped, clock.timerCount]).toEqual([['a'], 0, 0]);
  });
});

describe('a write', () => {
  const event = makeCoreEvent(
    { kind: 'Pod', name: 'web', namespace: 'shop' },
    'Normal',
    'R',
    'm',
    0,
  );
  const versioned = { ...event, metadata: { ...event.metadata, resourceVersion: '5' } };
  const connection = new KubeError('WG_KUBE_CONNECTION', 'refused');
  const api = (statusCode: number) => new KubeError('WG_KUBE_API', 'no', { statusCode });

  /** What fails, try by try; what is called is told. */
  async function written(failures: readonly unknown[], patch?: object) {
    const clock = new FakeClock();
    const calls: string[] = [];
    const left = [...failures];
    const call = (what: string) => async (given: CoreEvent) => {
      calls.push(`${what} ${given.metadata.resourceVersion ?? '-'} at ${clock.monotonicMs()}`);
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return given;
    };
    const sink = { create: call('create'), patch: call('patch') };
    const options = { clock, maxTries: 3, pauseMs: (count: number) => count * 10 };
    const outcome = writeEvent(sink, versioned, patch, options);
    await clock.advance(1_000);
    return { outcome: await outcome, calls };
  }

  test.each<[string, unknown[], object | undefined, string, string[]]>([
    ['creates without a version', [], undefined, 'written', ['create - at 0']],
    ['patches', [], {}, 'written', ['patch 5 at 0']],
    ['creates what is gone', [api(404)], {}, 'written', ['patch 5 at 0', 'create - at 0']],
    ['takes a no for an answer', [api(403)], undefined, 'dropped', ['create - at 0']],
    ['and of a patch', [api(409)], {}, 'dropped', ['patch 5 at 0']],
    [
      'comes again when nobody answers',
      [connection, new KubeError('WG_KUBE_DECODE', 'what')],
      undefined,
      'written',
      ['create - at 0', 'create - at 10', 'create - at 30'],
    ],
    [
      'comes again after what is no answer of the API',
      [new Error('odd')],
      {},
      'written',
      ['patch 5 at 0', 'patch 5 at 10'],
    ],
    [
      'gives up in the end',
      [connection, connection, connection, connection],
      undefined,
      'dropped',
      ['create - at 0', 'create - at 10', 'create - at 30'],
    ],
  ])('%s', async (_, failures, patch, kind, calls) => {
    const { outcome, calls: made } = await written(failures, patch);
    expect([outcome.kind, made]).toEqual([kind, calls]);
    if (outcome.kind === 'dropped')
      expect([outcome.error, outcome.tries]).toEqual([failures[0], calls.length]);
  });

  test('is not tried again after a stop', async () => {
    const sink = {
      create: () => Promise.reject(connection),
      patch: () => Promise.reject(connection),
    };
    const options = {
      clock: new FakeClock(),
      maxTries: 3,
      pauseMs: () => 10,
      stop: AbortSignal.abort(),
    };
    expect(await writeEvent(sink, event, undefined, options)).toEqual({
      kind: 'dropped',
      error: connection,
      tries: 1,
    });
  });
});

describe('the parts of an event', () => {
  test.each([
    [
      { apiVersion: 'v1', kind: 'Pod', metadata: {} },
      { apiVersion: 'v1', kind: 'Pod' },
    ],
    [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: 'd', labels: {} },
      },
      { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'b', uid: 'c', resourceVersion: 'd' },
    ],
    [
      { kind: 'Pod', fieldPath: 'x' },
      { kind: 'Pod', fieldPath: 'x' },
    ],
  ])('a reference to %j', (object, reference) => {
    expect(referenceTo(object)).toEqual(reference);
  });

  test.each([
    [{ kind: 'Pod', metadata: { name: 'a', namespace: 'b' } }, 'b/a'],
    [{ apiVersion: 'v1', metadata: {} }, '/'],
  ])('no reference to %j', (object, name) => {
    expect(() => referenceTo(object)).toThrow(
      `an event cannot refer to ${name}: the object has no apiVersion and kind`,
    );
  });

  test('where it lives, and when it was', () => {
    expect([eventNamespace({}), eventNamespace({ namespace: 'a' })]).toEqual(['default', 'a']);
    expect(toSeconds(1_999)).toBe('1970-01-01T00:00:01Z');
  });

  test.each([
    ['a'.repeat(1_024), 1_024],
    ['a'.repeat(1_025), 1_024],
    [`${'a'.repeat(1_023)}é`, 1_023],
    [`${'a'.repeat(1_022)}é`, 1_024],
    [`${'a'.repeat(1_021)}😀`, 1_021],
    ['é'.repeat(400), 800],
  ])('a note is at most 1,024 bytes long', (note, bytes) => {
    const fitted = fitNote(note);
    expect(Buffer.byteLength(fitted)).toBe(bytes);
    expect(note.startsWith(fitted)).toBe(true);
  });
});
