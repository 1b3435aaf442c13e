import { type ChildProcess, spawn } from 'node:child_process';

/** How long a program may take to end by itself. */
const graceMs = 3_000;
/** How often a group is looked at that was told to end. */
const lookMs = 20;

/** Starts a program as the head of a group of its own, so that what it starts can be ended with it. */
export function startGroup(
  command: readonly string[],
  options: { readonly directory: string; readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program === 'node' ? process.execPath : program, args, {
    cwd: options.directory,
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Ends all of a group: asked first, then by force. Resolves when nothing of it is left. */
export async function endGroup(id: number): Promise<void> {
  if (!signalGroup(id, 'SIGTERM')) return;
  const deadline = performance.now() + graceMs;
  while (isAlive(id) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  signalGroup(id, 'SIGKILL');
}

/** False when nobody is in the group any more. */
export function signalGroup(id: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch {
    return false;
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(-id, 0);
    return true;
  } catch {
    return false;
  }
}
