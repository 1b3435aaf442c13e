import { type Clock, systemClock, type TimerOptions } from '@waygate/runtime';

/** A clock on which everything takes less time: half a minute of patience is over in two seconds. */
export function fastClock(factor: number): Clock {
  const startMs = systemClock.monotonicMs();
  return {
    now: () => systemClock.now(),
    monotonicMs: () => startMs + (systemClock.monotonicMs() - startMs) * factor,
    after: (delayMs: number, callback: () => void, options?: TimerOptions) =>
      systemClock.after(delayMs / factor, callback, options),
    sleep: (delayMs: number, signal?: AbortSignal) => systemClock.sleep(delayMs / factor, signal),
    yield: () => systemClock.yield(),
  };
}
