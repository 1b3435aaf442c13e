import { FakeClock } from '@waygate/runtime';
import { describe, expect, test } from 'vitest';
import { ChangeGate } from './change-gate.ts';

function setUp() {
  const clock = new FakeClock();
  const gate = new ChangeGate({ clock, settleMs: 0, maxPauseMs: 1000 });
  const stop = new AbortController();
  let passes = 0;
  const next = () =>
    gate.wait(stop.signal).then((isOpen) => {
      if (isOpen) passes += 1;
      return isOpen;
    });
  return { clock, gate, stop, next, passes: () => passes };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the gate', () => {
  test('opens at once for a change of an idle cluster, also right after a long pass', async () => {
    const { clock, gate, next } = setUp();
    gate.notify();
    expect(await next()).toBe(true);
    const started = clock.monotonicMs();
    await clock.advance(900);
    gate.finished(started);
    gate.notify();
    expect(await next()).toBe(true);
  });

  test('collects the changes of a storm for as long as a pass takes', async () => {
    const { clock, gate, next, passes } = setUp();
    gate.notify();
    await next();
    const started = clock.monotonicMs();
    await clock.advance(400);
    gate.notify();
    gate.finished(started);
    const opened = next();
    await turn();
    expect(passes()).toBe(1);
    await clock.advance(399);
    await turn();
    expect(passes()).toBe(1);
    await clock.advance(1);
    expect(await opened).toBe(true);
  });

  test('waits no longer than allowed, and longer after a failure', async () => {
    const { clock, gate, next, passes } = setUp();
    gate.notify();
    await next();
    const started = clock.monotonicMs();
    await clock.advance(60_000);
    gate.notify();
    gate.finished(started, 5000);
    const opened = next();
    await clock.advance(4999);
    await turn();
    expect(passes()).toBe(1);
    await clock.advance(1);
    expect(await opened).toBe(true);
  });

  test('lets go when it is told to stop', async () => {
    const { stop, next } = setUp();
    const opened = next();
    stop.abort();
    expect(await opened).toBe(false);
  });
});
