import { type AdminClient, createPlan, KongEntities, readState } from '@waygate/kong';
import type { Command } from 'commander';
import { isAgreed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { connectionOptions, withClient } from './gateway-connection.ts';
import { carryOut, type ExecutionOptions } from './gateway-execution.ts';
import { collectList } from './gateway-option-values.ts';
import { reportOptions } from './gateway-report.ts';
import { checkAllWorkspaces, forEachWorkspace } from './gateway-workspaces.ts';

interface ResetOptions extends ExecutionOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly allWorkspaces?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  connectionOptions(command)
    .option('-f, --force', 'do not ask')
    .option('--yes', 'the same as --force')
    .option('--all-workspaces', 'every workspace (Kong Enterprise)')
    .option('--select-tag <tag>', 'only what has this tag; may be repeated', collectList)
    .option('--skip-consumers', 'leave consumers and what belongs to them alone')
    .option('--skip-ca-certificates', 'leave CA certificates alone')
    .option('--skip-consumers-with-consumer-groups', 'leave alone who is in which consumer group')
    .option('--json-output', 'print a report as JSON')
    .option('--silence-events', 'print only the summary')
    .option('--no-color', 'print without colours')
    .addHelpText(
      'after',
      `
Examples:
  waygate gateway reset
  waygate gateway reset --force --select-tag team-a`,
    )
    .action(async (options: ResetOptions) => {
      checkAllWorkspaces(options);
      if (options.force !== true && options.yes !== true && !(await isSure(context))) return;
      await withClient(options, context, (client) =>
        options.allWorkspaces === true
          ? forEachWorkspace(client, context, (one) => reset(one, options, context))
          : reset(client, options, context),
      );
    });
}

function isSure(context: CliContext): Promise<boolean> {
  const question = "This will delete all configuration from Kong's database.\n> Are you sure? ";
  return isAgreed(question, context, { on: 'stdout', hint: '--force does not ask' });
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
    skipsMemberships: options.skipConsumersWithConsumerGroups === true,
    parallelism: options.parallelism,
    signal: context.signal,
  });
  const plan = createPlan(current, new KongEntities());
  await carryOut(client, plan, current, options, reportOptions(options, []), context);
}
