import { readFileSync } from 'node:fs';

/** What a process uses of its machine. */
export interface ProcessFacts {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly virtualBytes: number;
  /** Of disks; 0 where the system does not say. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Seconds since the epoch; 0 once it is gone. */
  readonly startedAt: number;
  /** Timers that have not fired yet. */
  readonly waitingTimers: number;
}

const pageBytes = 4_096;

/** Of this process. */
export function processFacts(): ProcessFacts {
  const { user, system } = process.cpuUsage();
  const disk = proc('io');
  const bytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(disk)?.[1] ?? 0);
  return {
    cpuSeconds: (user + system) / 1_000_000,
    residentBytes: process.memoryUsage.rss(),
    virtualBytes: Number(proc('statm').split(' ')[0] ?? 0) * pageBytes,
    readBytes: bytes('read_bytes'),
    writtenBytes: bytes('write_bytes'),
    startedAt: Math.floor(Date.now() / 1_000 - process.uptime()),
    waitingTimers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
  };
}

/** What is left to tell of a process that is gone: what it used up. */
export function retiredFacts(facts: ProcessFacts): ProcessFacts {
  return { ...facts, residentBytes: 0, virtualBytes: 0, startedAt: 0, waitingTimers: 0 };
}

/** Two processes as one. */
export function addFacts(one: ProcessFacts, two: ProcessFacts): ProcessFacts {
  const starts = [one.startedAt, two.startedAt].filter((start) => start > 0);
  return {
    cpuSeconds: one.cpuSeconds + two.cpuSeconds,
    residentBytes: one.residentBytes + two.residentBytes,
    virtualBytes: one.virtualBytes + two.virtualBytes,
    readBytes: one.readBytes + two.readBytes,
    writtenBytes: one.writtenBytes + two.writtenBytes,
    startedAt: starts.length === 0 ? 0 : Math.min(...starts),
    waitingTimers: one.waitingTimers + two.waitingTimers,
  };
}

function proc(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    // Not this system, or not allowed: nothing is said then.
    return '';
  }
}
