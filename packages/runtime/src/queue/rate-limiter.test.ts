import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
} from './rate-limiter.ts';

/** What a limiter answers, one question after another. */
const answers = (limiter: RateLimiter<string>, count: number, item = 'a') =>
  Array.from({ length: count }, () => limiter.when(item));

/** The longest `time.Duration` of Go: 2⁶³ nanoseconds. */
const foreverMs = 9_223_372_036_854.775;

describe('the delays of one item', () => {
  const rows: [string, () => RateLimiter<string>, number[]][] = [
    [
      'double up to the longest',
      () => new ItemExponentialFailureRateLimiter(5, 30),
      [5, 10, 20, 30],
    ],
    [
      'are quick, then slow',
      () => new ItemFastSlowRateLimiter(5, 10_000, 2),
      [5, 5, 10_000, 10_000],
    ],
    [
      'are the longest of several limiters',
      () =>
        new MaxOfRateLimiter(
          new ItemExponentialFailureRateLimiter(3, 100),
          new ItemFastSlowRateLimiter(5, 11, 3),
        ),
      [5, 6, 12, 24],
    ],
    ['are none without a limiter', () => new MaxOfRateLimiter<string>(), [0, 0]],
    [
      'are cut at a longest wait',
      () => new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(400, 5_000), 1_000),
      [400, 800, 1_000],
    ],
    ['of a controller begin at 5 ms', () => defaultControllerRateLimiter(), [5, 10, 20, 40]],
    ['by item alone begin at 1 ms', () => defaultItemBasedRateLimiter(), [1, 2, 4, 8]],
  ];
  test.each(rows)('%s', (_, create, delays) => {
    const limiter = create();
    expect(answers(limiter, delays.length)).toEqual(delays);
    expect(limiter.numRequeues('b')).toBe(0);
    expect(limiter.when('b')).toBe(delays[0]);
    const isCounted = limiter.numRequeues('a') > 0;
    expect(limiter.numRequeues('a')).toBe(isCounted ? delays.length : 0);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).toBe(0);
    expect(limiter.when('a')).toBe(delays[0]);
  });

  test('end at a thousand seconds, however often it fails', () => {
    for (const limiter of [defaultControllerRateLimiter(), defaultItemBasedRateLimiter()])
      expect(answers(limiter as RateLimiter<string>, 1_200).at(-1)).toBe(1_000_000);
    // Beyond the largest number that there is, too.
    const endless = new ItemExponentialFailureRateLimiter<string>(0, 7);
    expect(answers(endless, 1_200).at(-1)).toBe(0);
  });
});

describe('a bucket', () => {
  test('gives its burst at once, then a token at a time, and promises those to come', () => {
    const clock = new FakeClock();
    const bucket = new BucketRateLimiter<string>(10, 2, clock);
    expect(answers(bucket, 4)).toEqual([0, 0, 100, 200]);
    clock.jump(200);
    expect(bucket.when('b')).toBe(100);
    clock.jump(60_000);
    expect(answers(bucket, 3)).toEqual([0, 0, 100]);
    bucket.forget('a');
    expect(bucket.numRequeues('a')).toBe(0);
    expect(bucket.when('a')).toBe(200);
  });

  test.each([
    ['without a burst never gives any', 10, 0, foreverMs],
    ['that is never filled gives no second one', 0, 1, foreverMs],
    ['without a limit always gives one', Number.POSITIVE_INFINITY, 1, 0],
    ['without a limit does not ask for a burst', Number.POSITIVE_INFINITY, 0, 0],
  ])('%s', (_, perSecond, burst, delay) => {
    const bucket = new BucketRateLimiter<string>(perSecond, burst, new FakeClock());
    bucket.when('a');
    expect(bucket.when('a')).toBe(delay);
  });

  test('of a controller holds a hundred, and ten more each second', () => {
    const clock = new FakeClock();
    const limiter = defaultControllerRateLimiter<number>(clock);
    const delays = Array.from({ length: 102 }, (_, item) => limiter.when(item));
    expect([delays[99], delays[100], delays[101]]).toEqual([5, 100, 200]);
  });
});

describe('failures in a table of the queue', () => {
  const table = () => {
    const told: string[] = [];
    return {
      told,
      increment: (item: string) => told.push(`+${item}`) - 1,
      countOf: () => 42,
      forget: (item: string) => void told.push(`-${item}`),
    };
  };
  test.each<[string, RateLimiter<string>, boolean]>([
    ['exponential', new ItemExponentialFailureRateLimiter(1, 9), true],
    ['fast and slow', new ItemFastSlowRateLimiter(1, 2, 1), true],
    ['cut', new WithMaxWaitRateLimiter(new ItemFastSlowRateLimiter(1, 2, 1), 9), true],
    ['cut bucket', new WithMaxWaitRateLimiter(new BucketRateLimiter(1, 1), 9), false],
    ['only buckets', new MaxOfRateLimiter(new BucketRateLimiter(1, 1)), false],
  ])('%s', (_, limiter, isTaken) => {
    const counted = table();
    expect(limiter.keepFailuresIn!(counted)).toBe(isTaken);
    limiter.when('a');
    limiter.forget('a');
    expect(counted.told).toEqual(isTaken ? ['+a', '-a'] : []);
    expect(limiter.numRequeues('a')).toBe(isTaken ? 42 : 0);
    expect(limiter.keepFailuresIn!(table())).toBe(false);
  });

  test('only one of several limiters gets it', () => {
    const counted = table();
    const both = new MaxOfRateLimiter<string>(
      new ItemFastSlowRateLimiter(1, 2, 1),
      new ItemFastSlowRateLimiter(3, 4, 1),
    );
    expect(both.keepFailuresIn(counted)).toBe(true);
    both.when('a');
    expect(counted.told).toEqual(['+a']);
  });

  test('a limiter that has counted keeps its own', () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>(1, 9);
    limiter.when('a');
    expect(limiter.keepFailuresIn(table())).toBe(false);
    expect(limiter.numRequeues('a')).toBe(1);
  });
});
