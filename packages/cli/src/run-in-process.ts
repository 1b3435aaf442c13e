import { Readable, Writable } from 'node:stream';
import { main } from './main.ts';

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line inside this process and collects what it printed: for tests of verbs. */
export async function runInProcess(
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    stdin?: string;
    signal?: AbortSignal;
    /** Told of what is printed while the verb still runs. */
    onStdout?: (text: string) => void;
    onStderr?: (text: string) => void;
  } = {},
): Promise<RunResult> {
  const stdout = collector(options.onStdout);
  const stderr = collector(options.onStderr);
  const exitCode = await main(args, {
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    signal: options.signal ?? new AbortController().signal,
    exitCode: 0,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(onText?: (text: string) => void): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      onText?.(chunk.toString());
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
