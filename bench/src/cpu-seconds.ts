import { spawnSync } from 'node:child_process';

/** Runs a program, and gives the CPU that it used; undefined when it fails or is not there. */
export function cpuSeconds(
  command: string,
  args: readonly string[],
): { seconds: number; output: string } | undefined {
  const result = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', command, ...args],
    { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (result.status !== 0) return undefined;
  const [user = 0, system = 0] = result.stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { seconds: user + system, output: result.stdout };
}
