import { openSync, readSync } from 'node:fs';

/** What the main thread has had so far, in milliseconds. */
export interface MainThreadTimes {
  /** Time on a processor. */
  readonly cpuMs: number;
  /** Time in which it could have run, and other programs had the processors. */
  readonly delayedMs: number;
}

const schedstat = open();
const text = Buffer.alloc(128);

/**
 * The times of the main thread, from the scheduler of Linux. Elsewhere it counts as never delayed, and
 * its processor time as that of the process.
 */
export function mainThreadTimes(): MainThreadTimes {
  // The scheduler brings the account of the running thread up to date when it is asked for this.
  const { user, system } = process.cpuUsage();
  if (schedstat === undefined) return { cpuMs: (user + system) / 1_000, delayedMs: 0 };
  const length = readSync(schedstat, text, 0, text.length, 0);
  const [cpuNs = 0, delayedNs = 0] = text.toString('latin1', 0, length).split(' ').map(Number);
  return { cpuMs: cpuNs / 1e6, delayedMs: delayedNs / 1e6 };
}

/** A clock that stands still while other programs keep the main thread from running. */
export function undisturbedMs(): number {
  return performance.now() - mainThreadTimes().delayedMs;
}

function open(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}
