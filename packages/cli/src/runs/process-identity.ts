import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process was started, as a text that no later process with the same number has; undefined when
 * there is none. A number alone does not do: systems give it to others.
 */
export function processIdentity(id: number): string | undefined {
  if (!Number.isInteger(id) || id <= 0) return undefined;
  return process.platform === 'linux' ? linuxIdentity(id) : psIdentity(id);
}

function linuxIdentity(id: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name of the program may hold anything; what follows its last bracket is in order.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function psIdentity(id: number): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(id)], {
      encoding: 'utf8',
      stdio,
    });
    return text.trim() || undefined;
  } catch {
    return undefined;
  }
}
