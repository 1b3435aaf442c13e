import { createInterface } from 'node:readline/promises';
import { type CliContext, CliError } from './context.ts';

/**
 * Asks, and waits for a line: only a `y` is a yes. The terminal echoes what is typed, so the stream that asks
 * need not be one that readline could draw on.
 */
export async function isAgreed(
  question: string,
  context: CliContext,
  { on, hint }: { readonly on: 'stdout' | 'stderr'; readonly hint: string },
): Promise<boolean> {
  context[on].write(question);
  const lines = createInterface({ input: context.stdin, signal: context.signal });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  } finally {
    lines.close();
  }
  if (context.signal.aborted) return false;
  throw new CliError('nobody is there to answer', { hint });
}

/** Asks on standard error, as what is printed may go elsewhere; without a yes the verb ends. */
export async function confirm(question: string, context: CliContext): Promise<void> {
  const asking = { on: 'stderr', hint: '--silent does not ask.' } as const;
  if (!(await isAgreed(`${question} [y/N] `, context, asking)))
    throw new CliError('nothing was done');
}
