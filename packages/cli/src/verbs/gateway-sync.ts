import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AdminClient,
  createWorkspace,
  findDrift,
  flatConfig,
  type KongEntities,
  type Plan,
  parsePlan,
  type ReportOptions,
  readState,
  type SavedPlan,
  sendConfig,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { changeOptions, eachRun, makePlan, workspaceOf } from './gateway-change.ts';
import { type ConnectionOptions, withClient } from './gateway-connection.ts';
import { carryOut, type ExecutionOptions } from './gateway-execution.ts';
import { readStateFiles } from './gateway-files.ts';
import { wholeNumber } from './gateway-option-values.ts';
import { printOperation, printSummary, reportOptions } from './gateway-report.ts';

export interface SyncOptions extends ExecutionOptions {
  readonly plan?: string;
}

export function configure(command: Command, context: CliContext): void {
  changeOptions(command)
    .option('--atomic', 'undo what was done when something fails')
    .option('--plan <file>', 'carry out a plan that diff --plan-out saved')
    .option('--yes', 'never ask: sync asks nothing')
    .option(
      '--db-update-propagation-delay <seconds>',
      'how long to wait before writing what refers to something just written',
      wholeNumber,
    )
    .addHelpText(
      'after',
      `
Examples:
  waygate gateway sync kong.yaml
  waygate gateway sync configuration/ --select-tag team-a --parallelism 20
  waygate gateway diff kong.yaml --plan-out plan.json && waygate gateway sync --plan plan.json`,
    )
    .action(async (paths: readonly string[], options: SyncOptions) => {
      if (options.plan !== undefined) {
        const plan = await readPlan(options.plan, context);
        const workspace = workspaceOfPlan(plan, options);
        const work = (client: AdminClient) => followPlan(client, plan, options, context);
        await withClient(options, context, work, workspace);
        return;
      }
      await eachRun(paths, options, context, (each, own) => syncFiles(each, own, context));
    });
}

/** Makes a Kong as files say, or as far as they say it. */
export async function syncFiles(
  paths: readonly string[],
  options: SyncOptions,
  context: CliContext,
): Promise<void> {
  const files = await readStateFiles(paths, options, context);
  const report = reportOptions(options, files.secrets);
  const work = async (client: AdminClient, settled: ConnectionOptions) => {
    const prepared = await makePlan(client, files, { ...options, ...settled }, context);
    const { database } = await client.info(context.signal);
    if (database === 'off') {
      await replace(client, prepared.target, prepared.plan, options, report, context);
      return;
    }
    if (prepared.isWorkspaceMissing) {
      context.stdout.write(`creating workspace ${client.workspace}\n`);
      await createWorkspace(client, context.signal);
    }
    await carryOut(client, prepared.plan, prepared.current, options, report, context);
  };
  await withClient(options, context, work, workspaceOf(files, options, context));
}

async function readPlan(file: string, context: CliContext): Promise<SavedPlan> {
  try {
    return parsePlan(await readFile(resolve(context.cwd, file), 'utf8'));
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** A plan is for the workspace that it was made in, and for no other. */
function workspaceOfPlan(plan: SavedPlan, options: SyncOptions): string | undefined {
  const { workspace = 'default' } = plan;
  if (options.workspace !== undefined && options.workspace !== workspace) {
    throw new CliError(`the plan is for the workspace ${workspace}, not ${options.workspace}`);
  }
  return plan.workspace;
}

/** Carries out a saved plan, unless the Kong has changed since it was made. */
async function followPlan(
  client: AdminClient,
  plan: Plan,
  options: SyncOptions,
  context: CliContext,
): Promise<void> {
  const current = await readState(client, { signal: context.signal });
  const drift = findDrift(plan, current);
  if (drift.length > 0) {
    throw new CliError(`the plan no longer fits:\n  ${drift.join('\n  ')}`, {
      hint: 'make a new one with waygate gateway diff --plan-out',
    });
  }
  await carryOut(client, plan, current, options, reportOptions(options, []), context);
}

/** A Kong without a database takes its configuration as a whole. */
async function replace(
  client: AdminClient,
  target: KongEntities,
  plan: Plan,
  options: SyncOptions,
  report: ReportOptions,
  context: CliContext,
): Promise<void> {
  if ((options.selectTag ?? []).length > 0 || options.skipConsumers === true) {
    throw new CliError('a Kong without a database takes only a whole configuration', {
      hint: 'leave out --select-tag and --skip-consumers',
    });
  }
  if (plan.operations.length > 0) {
    const result = await sendConfig(client, flatConfig(target), context.signal);
    if (result.kind === 'refused') {
      const lines = result.problems.map(
        ({ collection, object, field, message }) => `${collection} ${object}: ${field}: ${message}`,
      );
      throw new CliError([result.message, ...lines].join('\n  '));
    }
  }
  for (const operation of plan.operations) printOperation(operation, options, report, context);
  printSummary({ operations: plan.operations, errors: [], dropped: [] }, options, report, context);
}
