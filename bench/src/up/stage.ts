import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where a benchmark of `waygate up` plays. */
export interface Stage {
  readonly home: string;
  /** The program, as it is installed. */
  readonly program: string;
  readonly project: string;
}

export interface RunningStack {
  readonly processId: number;
  /** What the summary proposes to ask for. */
  readonly url: string;
  /** Its HTTP port, without a path. */
  readonly gateway: string;
  stop(): Promise<void>;
}

/** Starts a stack, with nothing of the user's own, and waits for its summary. */
export async function startStack(
  { home, program }: Stage,
  project: string,
  ...flags: string[]
): Promise<RunningStack> {
  const child = spawn(process.execPath, [program, 'up', project, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CACHE_HOME: join(home, 'cache'),
    },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (!output.includes('What changes')) await once(child.stdout, 'data');
  const gateway = /Gateway\s+(http:\/\/[^\s/]+)/.exec(output)?.[1] ?? '';
  return {
    processId: child.pid as number,
    url: /curl (http:\S+)/.exec(output)?.[1] ?? gateway,
    gateway,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean>, everyMs = 5): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
