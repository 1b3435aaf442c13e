import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of CPU that a process and all below it have used. */
export function cpuTime(processId: number): number {
  return below(processId)
    .map((id) => {
      const fields = read(id, 'stat').split(') ')[1]?.split(' ') ?? [];
      // The system counts in hundredths of a second.
      return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
    })
    .reduce((sum, each) => sum + each, 0);
}

/**
 * What a stack takes from the machine: the pages that each of its processes has to itself, and those of the program
 * that they share, once. The example's backends are its own business, and are not counted.
 */
export function memoryBytes(processId: number): number {
  const parts = below(processId).filter((id) => !read(id, 'cmdline').includes('backends/'));
  const kilobytes = (id: number, key: string): number =>
    Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(read(id, 'smaps_rollup'))?.[1] ?? 0);
  const own = (id: number): number =>
    kilobytes(id, 'Private_Dirty') + kilobytes(id, 'Private_Clean');
  const shared = Math.max(...parts.map((id) => kilobytes(id, 'Rss') - own(id)));
  return 1024 * (parts.reduce((sum, id) => sum + own(id), 0) + shared);
}

function below(processId: number): number[] {
  const found = [processId];
  const all = readdirSync('/proc').filter((id) => /^\d+$/.test(id));
  for (const parent of found)
    for (const id of all)
      if (read(Number(id), 'status').includes(`PPid:\t${parent}\n`)) found.push(Number(id));
  return found;
}

function read(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    // It ended since it was listed, or there is no such directory on this system.
    return '';
  }
}
