import { FakeClock } from '@waygate/runtime';
import { describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { EventLimit } from './event-limit.ts';
import { Outbox, type Sending } from './outbox.ts';

function makeOutbox(options: { maxLength?: number; maxAgeMs?: number } = {}) {
  const clock = new FakeClock();
  const state = { isDown: false, tried: [] as string[], sent: [] as string[] };
  const late: string[] = [];
  const lost: string[] = [];
  const stop = new AbortController();
  const cut = new AbortController();
  const outbox = new Outbox<string>({
    clock,
    ...options,
    send: async (message): Promise<Sending> => {
      state.tried.push(message);
      if (message.startsWith('bad')) return { kind: 'refused', why: 'HTTP 400' };
      if (state.isDown) return { kind: 'later', why: 'HTTP 503' };
      state.sent.push(message);
      return { kind: 'sent' };
    },
    onLate: (message) => late.push(message),
    onLost: (message, why) => lost.push(`${message}: ${why}`),
  });
  const run = () => outbox.run(stop.signal, cut.signal);
  return { clock, state, late, lost, stop, cut, outbox, run };
}

describe('messages to one receiver', () => {
  test('all arrive, once and in order, when it was away for a while', async () => {
    const { clock, state, late, lost, outbox, run } = makeOutbox();
    state.isDown = true;
    for (const one of ['a', 'b', 'c']) outbox.add(one);
    const running = run();
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    // 2, 4, 8, 16 and 30 seconds.
    await clock.advance(60_000);
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    expect(state.tried).toEqual(['a', 'a', 'a', 'a', 'a', 'a']);
    state.isDown = false;
    await clock.advance(60_000);
    await running;
    expect(state.sent).toEqual(['a', 'b', 'c']);
    expect(lost).toEqual([]);
    expect(late).toEqual(['a']);
    expect(outbox.length).toBe(0);
  });

  test('one that is refused does not hold up the next', async () => {
    const { state, lost, outbox, run } = makeOutbox();
    for (const one of ['a', 'bad', 'b']) outbox.add(one);
    await run();
    expect(state.sent).toEqual(['a', 'b']);
    expect(lost).toEqual(['bad: HTTP 400']);
  });

  test('a change ends the pause', async () => {
    const { clock, state, outbox, run } = makeOutbox();
    state.isDown = true;
    outbox.add('a');
    const running = run();
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    state.isDown = false;
    outbox.wake();
    await running;
    expect(state.sent).toEqual(['a']);
  });

  test('too many: the oldest give way, but not one that is under way', async () => {
    const { clock, state, lost, outbox, run } = makeOutbox({ maxLength: 3 });
    state.isDown = true;
    outbox.add('first');
    const running = run();
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    for (const one of ['b', 'c', 'd', 'e']) outbox.add(one);
    expect(lost).toEqual(['first: more than 3 wait', 'b: more than 3 wait']);
    state.isDown = false;
    outbox.wake();
    await running;
    expect(state.sent).toEqual(['c', 'd', 'e']);
  });

  test('too old: it is given up', async () => {
    const { clock, state, lost, outbox, run } = makeOutbox({ maxAgeMs: 1_000 });
    state.isDown = true;
    outbox.add('a');
    const running = run();
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    await clock.advance(2_000);
    await running;
    expect(lost).toEqual(['a: HTTP 503']);
  });

  test('after the stop everything is tried once more, and no longer', async () => {
    const { clock, state, lost, stop, outbox, run } = makeOutbox();
    state.isDown = true;
    for (const one of ['a', 'b']) outbox.add(one);
    const running = run();
    await vi.waitFor(() => expect(clock.timerCount).toBe(1), patience);
    stop.abort();
    await running;
    expect(state.tried).toEqual(['a', 'a', 'b']);
    expect(lost).toEqual(['a: HTTP 503', 'b: HTTP 503']);
  });
});

test('the same event is let through once in the interval', async () => {
  const clock = new FakeClock();
  const limit = new EventLimit(1_000, clock);
  expect([limit.admit('a'), limit.admit('a'), limit.admit('b')]).toEqual([true, false, true]);
  await clock.advance(999);
  expect(limit.admit('a')).toBe(false);
  await clock.advance(1);
  expect([limit.admit('a'), limit.admit('a')]).toEqual([true, false]);
});

test('what is remembered of events is bounded', () => {
  const limit = new EventLimit(1_000, new FakeClock());
  for (let index = 0; index < 20_001; index++) limit.admit(`key-${index}`);
  // The first gave way: telling it again is better than keeping all for ever.
  expect(limit.admit('key-0')).toBe(true);
  expect(limit.admit('key-20000')).toBe(false);
});
