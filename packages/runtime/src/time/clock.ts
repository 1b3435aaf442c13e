/** A timer that has been set. Cancelling it twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** How a timer is set. */
export interface TimerOptions {
  /** A background timer never keeps the process alive on its own. */
  readonly isBackground?: boolean;
}

/**
 * Where every loop of this room takes its time from, so that tests own it.
 * The wall clock may jump in either direction; what measures a duration uses `monotonicMs`.
 */
export interface Clock {
  /** Wall clock: milliseconds since the epoch. For what other programs read, such as timestamps. */
  now(): number;
  /** Never goes backwards and never jumps. For durations, deadlines and back-off. */
  monotonicMs(): number;
  /** Calls back once, `delayMs` from now and never synchronously. Any finite delay is honoured. */
  after(delayMs: number, callback: () => void, options?: TimerOptions): Timer;
  /** Waits. True when the time passed, false when the signal aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<boolean>;
  /**
   * Gives timers and sockets a turn. A loop over settled promises runs in microtasks only and would
   * otherwise starve them: a lease is lost while a queue is emptied.
   */
  yield(): Promise<void>;
}

/** The longest delay that Node's timers take; beyond it they fire at once. */
const longestDelayMs = 2 ** 31 - 1;

class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, callback: () => void, options: TimerOptions = {}): Timer {
    const deadline = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (remainingMs: number) => {
      handle = setTimeout(fire, Math.min(Math.max(remainingMs, 0), longestDelayMs));
      if (options.isBackground) handle.unref();
    };
    const fire = () => {
      const remainingMs = deadline - performance.now();
      // Node may fire a fraction of a millisecond early; only a clamped delay has more to wait.
      if (remainingMs > 1) arm(remainingMs);
      else callback();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<boolean> {
    return sleepOn(this, delayMs, signal);
  }

  yield(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The clock of the machine.
 *
 * ```ts
 * const queue = new DelayingQueue<string>({ clock: systemClock }); // a test gives a `FakeClock`
 * ```
 */
export const systemClock: Clock = new SystemClock();

/** `Clock.sleep` in terms of `Clock.after`; leaves no listener on the signal behind. */
export function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
