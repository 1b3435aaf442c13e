import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { findRun } from '../runs/find-run.ts';
import { endLeftBehind } from '../runs/left-behind.ts';
import { isRunning, RunRegistry } from '../runs/run-registry.ts';

/** Longer than an `up` takes that stops in order, and says so when a part does not. */
const patienceMs = 40_000;
const lookMs = 50;

export function configure(command: Command, context: CliContext): void {
  command
    .argument('[dir]', 'the directory that it follows, or one in it', '.')
    .addHelpText(
      'after',
      `
Ends the waygate up of a directory, and waits until it and all that it started are gone. What an up that was
killed has left behind is ended, too.

Examples:
  waygate down
  waygate down ~/src/shop`,
    )
    .action((directory: string) => down(resolve(context.cwd, directory), context));
}

async function down(directory: string, context: CliContext): Promise<void> {
  const run = findRun(directory, context.env);
  if (run === undefined) {
    const left = await endKilled(directory, context);
    const ended =
      left === 1
        ? '; one process of one that was killed was ended'
        : `; ${left} processes of one that was killed were ended`;
    context.stdout.write(`No waygate up runs for ${directory}${left === 0 ? '' : ended}.\n`);
    return;
  }
  const { id } = run.process;
  process.kill(id, 'SIGTERM');
  const deadline = performance.now() + patienceMs;
  while (isRunning(run)) {
    if (context.signal.aborted) return;
    if (performance.now() > deadline)
      throw new CliError(`process ${id} did not end within ${patienceMs / 1_000} s`, {
        hint: `kill -9 ${id} ends it; waygate down then ends what it left behind.`,
      });
    await setTimeout(lookMs);
  }
  context.stdout.write(`Ended waygate up for ${run.directory}.\n`);
}

async function endKilled(directory: string, context: CliContext): Promise<number> {
  const registry = new RunRegistry(context.env);
  let count = 0;
  for (const record of registry.killed(directory)) {
    count += (await endLeftBehind(record)).length;
    registry.forget(record);
  }
  return count;
}
