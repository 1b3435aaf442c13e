import type { CliContext } from './context.ts';
import { TerminalStream } from './terminal-stream.ts';

/**
 * The context of a real process. The first Ctrl-C or SIGTERM asks for an orderly end,
 * a second one ends the process at once.
 */
export function processContext(): CliContext {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A reader that went away (`waygate build | head`) is not an error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    // Opening it takes a while, and few verbs read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout.isTTY ? new TerminalStream(process.stdout) : process.stdout,
    stderr: process.stderr.isTTY ? new TerminalStream(process.stderr) : process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: controller.signal,
    exitCode: 0,
  };
}
