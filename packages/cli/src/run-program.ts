import { spawn } from 'node:child_process';
import type { ProgramOutcome } from '@waygate/kustomize';
import { type CliContext, CliError } from './context.ts';

/** More than this is no list of manifests any more. */
const mostOutputBytes = 64 * 1024 * 1024;

export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
}

/** Runs a program to its end: its output is bounded, and so is its time. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; input?: string; env: CliContext['env'] },
  limits: RunLimits,
  signal: AbortSignal,
): Promise<ProgramOutcome> {
  const most = limits.maxOutputBytes ?? mostOutputBytes;
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, signal });
  let problem: CliError | undefined;
  const stop = (message: string): void => {
    problem ??= new CliError(message);
    child.kill('SIGKILL');
  };
  const timer = setTimeout(
    () => stop(`'${command}' did not end within ${limits.timeoutMs / 1_000} s`),
    limits.timeoutMs,
  );
  const collect = (stream: NodeJS.ReadableStream, keep: number): (() => string) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > keep) stop(`'${command}' printed more than ${keep} bytes`);
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks).toString('utf8');
  };
  const stdout = collect(child.stdout, most);
  const stderr = collect(child.stderr, most);
  // A program that does not read its input is no problem.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  try {
    const exitCode = await new Promise<number>((done, fail) => {
      child.on('error', fail);
      child.on('close', (code) => done(code ?? 1));
    });
    if (problem !== undefined) throw problem;
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(`cannot run '${command}': ${(cause as Error).message}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
