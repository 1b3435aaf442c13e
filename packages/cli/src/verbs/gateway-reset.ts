import { createInterface } from 'node:readline/promises';
import {
  type AdminClient,
  applyPlan,
  createPlan,
  failureText,
  KongState,
  readState,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import type { ChangeOptions } from './gateway-change.ts';
import { collect, connectionOptions, withClient } from './gateway-connection.ts';
import { SyncProgress } from './gateway-progress.ts';
import { printOperation, printSummary, reportOptions } from './gateway-report.ts';

interface ResetOptions extends ChangeOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  connectionOptions(command)
    .option('-f, --force', 'do not ask')
    .option('--yes', 'the same as --force')
    .option('--select-tag <tag>', 'only what has this tag; may be repeated', collect)
    .option('--skip-consumers', 'leave consumers and what belongs to them alone')
    .option('--skip-ca-certificates', 'leave CA certificates alone')
    .option('--json-output', 'print a report as JSON')
    .option('--silence-events', 'print only the summary')
    .option('--no-color', 'print without colours')
    .action(async (options: ResetOptions) => {
      if (options.force !== true && options.yes !== true && !(await isSure(context))) return;
      await withClient(options, context, (client) => reset(client, options, context));
    });
}

async function isSure(context: CliContext): Promise<boolean> {
  const question = "This will delete all configuration from Kong's database.\n> Are you sure? ";
  context.stdout.write(question);
  const lines = createInterface({ input: context.stdin });
  for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  throw new CliError('nobody is there to answer', { hint: '--force does not ask' });
}

async function reset(
  client: AdminClient,
  options: ResetOptions,
  context: CliContext,
): Promise<void> {
  const current = await readState(client, {
    tags: options.selectTag ?? [],
    skipsConsumers: options.skipConsumers === true,
    skipsCaCertificates: options.skipCaCertificates === true,
    parallelism: options.parallelism,
    signal: context.signal,
  });
  const plan = createPlan(current, new KongState());
  const report = reportOptions(options, []);
  const progress = new SyncProgress(context, plan.operations.length);
  const result = await applyPlan(client, plan, current, {
    parallelism: options.parallelism,
    signal: context.signal,
    onStart: (operation) => printOperation(operation, options, report, context),
    onEnd: () => progress.advance(),
  });
  progress.end();
  const errors = result.failed.map(({ operation, error }) => failureText(operation, error));
  const dropped = result.left.map(({ operation }) => operation);
  printSummary({ operations: result.done, errors, dropped }, options, report, context);
  if (errors.length > 0)
    throw new CliError(`${errors.length} errors occurred:\n\t${errors.join('\n\t')}`);
}
