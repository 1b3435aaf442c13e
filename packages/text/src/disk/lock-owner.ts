import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Who holds a lock, for the message that somebody else reads. */
export interface LockOwner {
  readonly pid: number;
  readonly command: string;
  /** RFC 3339. */
  readonly since: string;
}

const longestCommand = 200;

export function thisProcess(): LockOwner {
  const [, script = 'node', ...flags] = process.argv;
  const command = [basename(script), ...flags].join(' ').slice(0, longestCommand);
  return { pid: process.pid, command, since: new Date().toISOString() };
}

export function parseOwner(text: string): LockOwner | undefined {
  try {
    const { pid, command, since } = JSON.parse(text) as Partial<LockOwner>;
    if (typeof pid !== 'number' || typeof command !== 'string') return undefined;
    return { pid, command, since: String(since) };
  } catch {
    // Cut short, or not there yet: the lock counts, the name is for people.
    return undefined;
  }
}

export function readOwner(file: string): LockOwner | undefined {
  try {
    return parseOwner(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

export function ownerText(owner: LockOwner | undefined): string {
  return owner === undefined
    ? 'another process'
    : `process ${owner.pid} (${owner.command}), since ${owner.since}`;
}
