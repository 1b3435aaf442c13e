import { describe, expect, test } from 'vitest';
import { Backoff, type BackoffOptions } from './backoff.ts';
import { FakeClock } from './fake-clock.ts';
import { callWithin } from './within-deadline.ts';

describe('growing delays', () => {
  const clock = new FakeClock();
  const delays = (options: Partial<BackoffOptions>, count = 5) => {
    const backoff = new Backoff({
      initialMs: 100,
      maxMs: 1_000,
      factor: 2,
      jitter: 0,
      resetMs: 60_000,
      clock,
      ...options,
    });
    return Array.from({ length: count }, () => backoff.nextMs());
  };

  test.each<[string, Partial<BackoffOptions>, number[]]>([
    ['double up to the longest', {}, [100, 200, 400, 800, 1_000]],
    ['grow by another factor', { factor: 3 }, [100, 300, 900, 1_000, 1_000]],
    [
      'are never longer than the longest',
      { initialMs: 3_000 },
      [1_000, 1_000, 1_000, 1_000, 1_000],
    ],
    ['are the longer for jitter', { jitter: 1, random: () => 0.5 }, [150, 300, 600, 1_200, 1_500]],
    ['by a share of it', { jitter: 0.5, random: () => 0.5 }, [125, 250, 500, 1_000, 1_250]],
  ])('%s', (_, options, wanted) => {
    expect(delays(options)).toEqual(wanted);
  });

  test('start over when told, and after so long', async () => {
    const backoff = new Backoff({
      initialMs: 100,
      maxMs: 1_000,
      factor: 2,
      jitter: 0,
      resetMs: 5_000,
      clock,
    });
    expect([backoff.nextMs(), backoff.nextMs()]).toEqual([100, 200]);
    backoff.reset();
    expect(backoff.nextMs()).toBe(100);
    await clock.advance(5_000);
    expect(backoff.nextMs()).toBe(200);
    await clock.advance(1);
    expect([backoff.nextMs(), backoff.nextMs()]).toEqual([100, 200]);
    await clock.advance(5_000);
    expect(backoff.nextMs()).toBe(400);
  });
});

describe('a call that has only so long', () => {
  test.each([
    ['answers', () => Promise.resolve(7), { kind: 'value', value: 7 }],
    ['fails', () => Promise.reject('no'), { kind: 'error', error: 'no' }],
    [
      'throws',
      () => {
        throw 'no';
      },
      { kind: 'error', error: 'no' },
    ],
  ])('%s', async (_, call, wanted) => {
    const clock = new FakeClock();
    expect(await callWithin<unknown>(clock, 50, undefined, call)).toEqual(wanted);
    expect(clock.timerCount).toBe(0);
  });

  test('is not made once its signal aborted', async () => {
    let isCalled = false;
    const call = async () => {
      isCalled = true;
    };
    expect(await callWithin(new FakeClock(), 50, AbortSignal.abort(), call)).toEqual({
      kind: 'aborted',
    });
    expect(isCalled).toBe(false);
  });

  test('is given up at its deadline, and told', async () => {
    const clock = new FakeClock();
    let given: AbortSignal | undefined;
    let ended: unknown;
    const calling = callWithin(clock, 50, new AbortController().signal, (signal) => {
      given = signal;
      return new Promise(() => {});
    }).then((within) => {
      ended = within;
    });
    await clock.advance(49);
    expect([ended, given?.aborted]).toEqual([undefined, false]);
    await clock.advance(1);
    await calling;
    expect([ended, given?.aborted]).toEqual([{ kind: 'timeout' }, true]);
    expect(clock.timerCount).toBe(0);
  });

  test('is given up with its caller, for the same reason', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    let given: AbortSignal | undefined;
    const calling = callWithin(clock, 50, abort.signal, (signal) => {
      given = signal;
      return new Promise(() => {});
    });
    abort.abort('enough');
    expect(await calling).toEqual({ kind: 'aborted' });
    expect([given?.reason, clock.timerCount]).toEqual(['enough', 0]);
  });
});
