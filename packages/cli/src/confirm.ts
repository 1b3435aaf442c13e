import { createInterface } from 'node:readline/promises';
import { type CliContext, CliError } from './context.ts';

/** Asks on standard error, as what is printed may go elsewhere; only a `y` is a yes. */
export async function confirm(question: string, context: CliContext): Promise<void> {
  context.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: context.stdin });
  try {
    for await (const line of lines) {
      if (/^y(es)?$/i.test(line.trim())) return;
      throw new CliError('nothing was done');
    }
  } finally {
    lines.close();
  }
  throw new CliError('nobody is there to answer', { hint: '--silent does not ask.' });
}
