import type { StorageError } from '@waygate/text';
import { CommanderError } from 'commander';
import { type CliContext, CliError, exitCode } from './context.ts';
import { ordinaryFailure } from './ordinary-failure.ts';
import { buildProgram } from './program.ts';
import { stackVerbs } from './stack-verbs.ts';

/** Runs one `waygate` command line and returns its exit code. */
export async function main(args: readonly string[], given: CliContext): Promise<number> {
  const verbPath = args.filter((argument) => !argument.startsWith('-'));
  const path = verbPath[0] === 'help' ? verbPath.slice(1) : verbPath;
  let context = given;
  try {
    if (verbPath[0] !== 'help') context = await withStack(args, path, given);
    // After a verb nothing is said of the others.
    const program = await buildProgram(context, path, { isAlone: args[0] === path[0] });
    if (args.length === 0) {
      program.outputHelp();
      return exitCode.usage;
    }
    await program.parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, context);
  }
}

/** Verbs that name no cluster find the one that runs for the directory; the others do not pay for the look. */
async function withStack(
  args: readonly string[],
  path: readonly string[],
  context: CliContext,
): Promise<CliContext> {
  if (!stackVerbs.has(path[0] ?? '')) return context;
  const { asksForStack, withOwnStack } = await import('./runs/own-stack.ts');
  return asksForStack(args, path, context.env) ? withOwnStack(context) : context;
}

function report(error: unknown, context: CliContext): number {
  // Commander has printed its own message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage;
  if (error instanceof CliError || isStorageError(error)) {
    context.stderr.write(`waygate: ${error.message}\n`);
    if (error.hint !== undefined) context.stderr.write(`${error.hint}\n`);
    return error instanceof CliError ? error.exitCode : exitCode.failed;
  }
  const ordinary = ordinaryFailure(error);
  if (ordinary !== undefined) {
    context.stderr.write(`waygate: ${ordinary.message}\n`);
    if (ordinary.hint !== undefined) context.stderr.write(`${ordinary.hint}\n`);
    return exitCode.failed;
  }
  if (context.signal.aborted) return exitCode.failed;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`waygate: this is a defect in Waygate, please report it\n${text}\n`);
  return exitCode.failed;
}

/** Known by its name: to load the room for its class would cost every verb more than its own work does. */
function isStorageError(error: unknown): error is StorageError {
  return error instanceof Error && error.name === 'StorageError';
}
