import { describe, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('systemClock', () => {
  test('does not fire a timer of a month at once', async () => {
    let fired = false;
    const timer = systemClock.after(2 ** 31 + 10_000, () => {
      fired = true;
    });
    await systemClock.sleep(5);
    expect(fired).toBe(false);
    timer.cancel();
  });

  test('sleep ends early when aborted and leaves no listener', async () => {
    const abort = new AbortController();
    const slept = systemClock.sleep(60_000, abort.signal);
    abort.abort();
    expect(await slept).toBe(false);
    expect(await systemClock.sleep(60_000, abort.signal)).toBe(false);
    expect(await systemClock.sleep(1)).toBe(true);
  });
});

describe('FakeClock', () => {
  test('fires timers in order of time, then of setting, each at its instant', async () => {
    const clock = new FakeClock(1_000);
    const seen: string[] = [];
    clock.after(20, () => seen.push(`b@${clock.now()}`));
    clock.after(10, () => {
      seen.push(`a@${clock.now()}`);
      clock.after(5, () => seen.push(`nested@${clock.now()}`));
    });
    clock.after(20, () => seen.push(`c@${clock.now()}`));
    const cancelled = clock.after(12, () => seen.push('never'));
    cancelled.cancel();
    await clock.advance(19);
    expect(seen).toEqual(['a@1010', 'nested@1015']);
    await clock.advance(1);
    expect(seen).toEqual(['a@1010', 'nested@1015', 'b@1020', 'c@1020']);
    expect(clock.timerCount).toBe(0);
  });

  test('a wall clock jump moves no timer and no duration', async () => {
    const clock = new FakeClock();
    let fired = false;
    clock.after(100, () => {
      fired = true;
    });
    clock.jumpWallClock(3_600_000);
    await clock.settle();
    expect(fired).toBe(false);
    expect([clock.now(), clock.monotonicMs()]).toEqual([3_600_000, 0]);
    await clock.leap(150);
    expect(fired).toBe(true);
  });

  test('settle follows loops that yield', async () => {
    const clock = new FakeClock();
    let turns = 0;
    const loop = async () => {
      for (; turns < 50; turns++) await clock.yield();
    };
    void loop();
    await clock.settle();
    expect(turns).toBe(50);
  });
});
