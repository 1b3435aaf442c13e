import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What one run of a program cost. */
export interface RunCost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const run = promisify(execFile);

/** Runs a program to its end under GNU time, which says what it used. A failure throws. */
export async function timedRun(command: readonly string[], directory: string): Promise<RunCost> {
  const report = join(directory, 'time');
  const env = { ...process.env, DECK_ANALYTICS: 'off', HOME: directory };
  const args = ['-f', '%e %U %S %M', '-o', report, ...command];
  await run('/usr/bin/time', args, { cwd: directory, env, maxBuffer: 1024 ** 3 });
  const [wall = 0, user = 0, system = 0, kilobytes = 0] = (await readFile(report, 'utf8'))
    .trim()
    .split(' ')
    .map(Number);
  return { wallSeconds: wall, cpuSeconds: user + system, peakBytes: kilobytes * 1024 };
}
