import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import type { ResourceLock } from './lease-lock.ts';
import { LockNews } from './lock-news.ts';

/** A candidate that waits for a minute at a time, on a lock of which the test plays the part. */
function waiting(signal: AbortSignal, follow?: ResourceLock['follow']) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  let tell = () => {};
  let ending: AbortSignal | undefined;
  const lock = {
    follow:
      follow ??
      ((onNews: () => void, given: AbortSignal) => {
        tell = onNews;
        ending = given;
        return new Promise<void>((resolve) => {
          given.addEventListener('abort', () => resolve());
        });
      }),
  } as ResourceLock;
  const news = new LockNews(lock, signal, (error) => errors.push(error));
  const ended: number[] = [];
  const wait = () => void news.wait(clock, 60_000).then(() => ended.push(clock.monotonicMs()));
  return { clock, news, errors, ended, wait, tell: () => tell(), ending: () => ending };
}

describe('a candidate waits', () => {
  test('for its time, where nothing is told', async () => {
    const { clock, ended, wait } = waiting(new AbortController().signal);
    wait();
    await clock.advance(59_999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect([ended, clock.timerCount]).toEqual([[60_000], 0]);
  });

  test('until it is told, and not at all where it was told since it read', async () => {
    const { clock, news, ended, wait, tell } = waiting(new AbortController().signal);
    wait();
    await clock.advance(10);
    tell();
    await clock.settle();
    expect(ended).toEqual([10]);
    wait();
    await clock.settle();
    expect(ended).toEqual([10, 10]);
    news.read();
    wait();
    await clock.advance(5);
    expect(ended).toEqual([10, 10]);
    tell();
    await clock.settle();
    expect([ended, clock.timerCount]).toEqual([[10, 10, 15], 0]);
  });

  test('until the end, and not after it', async () => {
    const abort = new AbortController();
    const { clock, ended, wait, ending } = waiting(abort.signal);
    wait();
    await clock.advance(10);
    expect(ending()?.aborted).toBe(false);
    abort.abort();
    await clock.settle();
    wait();
    await clock.settle();
    expect([ended, ending()?.aborted, clock.timerCount]).toEqual([[10, 10], true, 0]);
  });
});

describe('what follows the lock', () => {
  test('ends with the candidate', async () => {
    const { news, ending, errors } = waiting(new AbortController().signal);
    await news[Symbol.asyncDispose]();
    expect([ending()?.aborted, errors]).toEqual([true, []]);
  });

  test('is waited for at the end', async () => {
    let end = () => {};
    const { clock, news } = waiting(
      new AbortController().signal,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    let isOver = false;
    const ending = news[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    await clock.settle();
    expect(isOver).toBe(false);
    end();
    await ending;
  });

  test('says why it cannot, but not when it is over', async () => {
    const failing = () => Promise.reject(new Error('no'));
    const early = waiting(new AbortController().signal, failing);
    await early.clock.settle();
    expect(early.errors).toEqual([new Error('no')]);
    const late = waiting(AbortSignal.abort(), failing);
    await late.clock.settle();
    expect(late.errors).toEqual([]);
  });
});
