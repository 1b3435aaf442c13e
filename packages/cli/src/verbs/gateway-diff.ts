import type { AdminClient } from '@waygate/kong';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import {
  type ChangeOptions,
  changeOptions,
  eachRun,
  makePlan,
  sayDifferences,
  workspaceOf,
} from './gateway-change.ts';
import { type ConnectionOptions, withClient } from './gateway-connection.ts';
import { readStateFiles } from './gateway-files.ts';
import { printOperation, printSummary, reportOptions } from './gateway-report.ts';

export function configure(command: Command, context: CliContext): void {
  changeOptions(command)
    .option('--non-zero-exit-code', 'end with 2 when there are differences')
    .option('--exit-code', 'the same as --non-zero-exit-code')
    .addHelpText(
      'after',
      `
Examples:
  waygate gateway diff kong.yaml
  waygate gateway diff configuration/ --select-tag team-a --exit-code`,
    )
    .action((paths: readonly string[], options: ChangeOptions) =>
      eachRun(paths, options, context, (each, own) => diffFiles(each, own, context)),
    );
}

async function diffFiles(
  paths: readonly string[],
  options: ChangeOptions,
  context: CliContext,
): Promise<void> {
  const files = await readStateFiles(paths, options, context);
  const work = async (client: AdminClient, settled: ConnectionOptions) => {
    const prepared = await makePlan(client, files, { ...options, ...settled }, context);
    const report = reportOptions(options, files.secrets);
    if (prepared.isWorkspaceMissing)
      context.stdout.write(`creating workspace ${client.workspace}\n`);
    for (const operation of prepared.plan.operations) {
      printOperation(operation, options, report, context);
    }
    const result = { operations: prepared.plan.operations, errors: [], dropped: [] };
    printSummary(result, options, report, context);
    sayDifferences(prepared, options, context);
  };
  await withClient(options, context, work, workspaceOf(files, options, context));
}
