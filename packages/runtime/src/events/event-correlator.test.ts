import type { CoreEvent } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { EventCorrelator, type EventCorrelatorOptions } from './event-correlator.ts';
import { EventSpamFilter } from './event-spam-filter.ts';

const event = (message: string, more: Partial<CoreEvent> = {}): CoreEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `web.${message}`, namespace: 'shop' },
  involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web' },
  source: { component: 'test' },
  reason: 'Failed',
  message,
  firstTimestamp: '1970-01-01T00:00:00Z',
  lastTimestamp: '1970-01-01T00:00:09Z',
  count: 1,
  type: 'Warning',
  ...more,
});

function correlating(options: Partial<EventCorrelatorOptions> = {}) {
  const clock = new FakeClock(1_000_000);
  const correlator = new EventCorrelator({ clock, burst: 1_000, ...options });
  const write = (...args: Parameters<typeof event>) => {
    const result = correlator.correlate(event(...args));
    return result.kind === 'skip' ? 'skipped' : result;
  };
  return { clock, correlator, write };
}

describe('an event that happens again', () => {
  test('is counted up under the name that it has, as the API knows it', () => {
    const { correlator, write } = correlating();
    expect(write('a')).toEqual({ kind: 'write', event: event('a'), patch: undefined });
    correlator.updateState(
      event('a', {
        metadata: { name: 'stored', namespace: 'shop', resourceVersion: '7' },
        count: 4,
        firstTimestamp: '1970-01-01T00:00:01Z',
      }),
    );
    const again = event('a', {
      metadata: { name: 'stored', namespace: 'shop', resourceVersion: '7' },
      count: 5,
      firstTimestamp: '1970-01-01T00:00:01Z',
    });
    const patch = { count: 5, lastTimestamp: '1970-01-01T00:00:09Z', message: 'a' };
    expect(write('a')).toEqual({ kind: 'write', event: again, patch });
    expect(write('a')).toMatchObject({ patch: { count: 6 } });
  });

  test('is written anew where the API’s copy has no count', () => {
    const { correlator, write } = correlating();
    write('a');
    const { count: _, ...uncounted } = event('a');
    correlator.updateState(uncounted);
    expect(write('a')).toMatchObject({ patch: undefined });
    expect(write('a')).toMatchObject({ patch: { count: 2 } });
  });

  test.each([
    ['another source', { source: { component: 'other' } }],
    ['another host', { source: { component: 'test', host: 'h' } }],
    ['another kind', { involvedObject: { kind: 'Job', namespace: 'shop', name: 'web' } }],
    ['another namespace', { involvedObject: { kind: 'Pod', namespace: 'x', name: 'web' } }],
    ['another name', { involvedObject: { kind: 'Pod', namespace: 'shop', name: 'x' } }],
    [
      'another part',
      { involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web', fieldPath: 'x' } },
    ],
    ['another uid', { involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web', uid: 'x' } }],
    ['another type', { type: 'Normal' }],
    ['another reason', { reason: 'Other' }],
  ])('is another one with %s', (_, more) => {
    const { write } = correlating();
    write('a');
    expect(write('a', more)).toMatchObject({ patch: undefined });
    expect(write('a', more)).toMatchObject({ patch: { count: 2 } });
  });
});

describe('many messages on one matter', () => {
  const combined = (text: string) => `(combined from similar events): ${text}`;
  const messagesOf = (results: ReturnType<ReturnType<typeof correlating>['write']>[]) =>
    results.map((one) => (one === 'skipped' ? one : one.event.message));

  test('become one Event, from the tenth on', () => {
    const { write } = correlating();
    const texts = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const results = texts.map((text) => write(text));
    expect(messagesOf(results)).toEqual([
      ...texts.slice(0, 9),
      ...texts.slice(9).map((text) => combined(text)),
    ]);
    const [first, second] = [results[9], results[10]];
    expect(first).toMatchObject({
      event: {
        metadata: { namespace: 'shop' },
        count: 1,
        firstTimestamp: '1970-01-01T00:16:40Z',
        lastTimestamp: '1970-01-01T00:16:40Z',
        reason: 'Failed',
      },
      patch: undefined,
    });
    expect(second).toMatchObject({
      patch: { count: 2, lastTimestamp: '1970-01-01T00:16:40Z', message: combined('m10') },
    });
    if (typeof first !== 'object' || typeof second !== 'object') throw new Error('skipped');
    expect(first.event.metadata.name).toMatch(/^web\.[0-9a-f]+$/);
    expect(second.event.metadata.name).toBe(first.event.metadata.name);
  });

  test('are told apart again once it was quiet for ten minutes', async () => {
    const { clock, write } = correlating({ maxEvents: 3 });
    expect(messagesOf([write('a'), write('b'), write('c')])).toEqual(['a', 'b', combined('c')]);
    await clock.advance(600_000);
    // Of those before, the oldest was forgotten: a and this one are known beside b and c.
    expect(messagesOf([write('d')])).toEqual([combined('d')]);
    await clock.advance(600_001);
    expect(messagesOf([write('e'), write('f'), write('g')])).toEqual(['e', 'f', combined('g')]);
  });

  test('one that is repeated is no new message', () => {
    const { write } = correlating({ maxEvents: 3 });
    expect(messagesOf([write('a'), write('a'), write('b'), write('b'), write('a')])).toEqual([
      'a',
      'a',
      'b',
      'b',
      'a',
    ]);
  });

  test('are forgotten beyond what is remembered', () => {
    const { write } = correlating({ cacheSize: 1 });
    write('a');
    write('b');
    expect(write('a')).toMatchObject({ patch: undefined });
  });
});

describe('what comes too fast', () => {
  test('is dropped once its burst is spent, and comes back a token at a time', async () => {
    const clock = new FakeClock();
    const filter = new EventSpamFilter({ clock });
    const ask = (count: number, more: Partial<CoreEvent> = {}) =>
      Array.from({ length: count }, () => filter.isSpam(event('a', more)));
    expect(ask(26)).toEqual([...Array.from({ length: 25 }, () => false), true]);
    expect(ask(1, { type: 'Normal' })).toEqual([false]);
    expect(ask(1, { reason: 'Other', message: 'b' })).toEqual([true]);
    await clock.advance(299_999);
    expect(ask(1)).toEqual([true]);
    await clock.advance(1);
    expect(ask(2)).toEqual([false, true]);
    await clock.advance(600_000);
    expect(ask(3)).toEqual([false, false, true]);
    await clock.advance(100 * 300_000);
    expect(ask(26).filter((isSpam) => isSpam)).toEqual([true]);
  });

  test('has the budget that it is given, by the key that it is given', async () => {
    const { clock, write } = correlating({
      burst: 1,
      qps: 2,
      spamKey: ({ reason }) => reason ?? '',
    });
    expect(write('a')).toMatchObject({ kind: 'write' });
    expect(write('b')).toBe('skipped');
    expect(write('c', { reason: 'Other' })).toMatchObject({ kind: 'write' });
    await clock.advance(500);
    expect(write('b')).toMatchObject({ kind: 'write' });
  });
});
