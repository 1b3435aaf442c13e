import type { Readable, Writable } from 'node:stream';

/** Everything a verb may touch of the outside world, so that a test can run it in-process. */
export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** What the program ends with when the verb did not throw; a verb sets it to say `differences`. */
  exitCode: number;
}

/** What a command's exit code means, for every verb. */
export const exitCode = {
  /** The verb did what it was told. */
  done: 0,
  /** It could not: the last lines of standard error say what, where and what to do. */
  failed: 1,
  /** It did, and there is a difference; only of verbs that compare, and as their help says. */
  differences: 2,
  /** The command line is wrong: an unknown verb or option, or options that exclude each other. */
  usage: 64,
} as const;

/** Ends the verb with a message for a person and an exit code; no stack trace is shown. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  /** What to do about it, printed on a line of its own. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: { exitCode?: number; hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCode.failed;
    this.hint = options.hint;
  }
}
