import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AdminClient,
  applyPlan,
  createWorkspace,
  failureText,
  findDrift,
  flatConfig,
  type KongState,
  loadConfig,
  type Plan,
  parsePlan,
  type ReportOptions,
  readState,
  rollbackPlan,
  type SolveResult,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type ChangeOptions, changeOptions, makePlan, workspaceOf } from './gateway-change.ts';
import { withClient } from './gateway-connection.ts';
import { readStateFiles } from './gateway-files.ts';
import { SyncProgress } from './gateway-progress.ts';
import { printOperation, printSummary, reportOptions } from './gateway-report.ts';

interface SyncOptions extends ChangeOptions {
  readonly atomic?: boolean;
  readonly plan?: string;
  readonly skipWorkspaceCrud?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  changeOptions(command)
    .option('--atomic', 'undo what was done when something fails')
    .option('--plan <file>', 'carry out a plan that diff --plan-out saved')
    .option('--skip-workspace-crud', 'do not make a workspace that is missing')
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
        const plan = parsePlan(await readFile(resolve(context.cwd, options.plan), 'utf8'));
        await withClient(options, context, (client) => followPlan(client, plan, options, context));
        return;
      }
      const files = await readStateFiles(paths, options, context);
      const report = reportOptions(options, files.secrets);
      const work = async (client: AdminClient) => {
        const prepared = await makePlan(client, files, options, context);
        const { database } = await client.info(context.signal);
        if (database === 'off') {
          await replace(client, prepared.target, prepared.plan, options, report, context);
          return;
        }
        if (prepared.isWorkspaceMissing && options.skipWorkspaceCrud !== true) {
          context.stdout.write(`creating workspace ${client.workspace}\n`);
          await createWorkspace(client, context.signal);
        }
        await carryOut(client, prepared.plan, prepared.current, options, report, context);
      };
      await withClient(options, context, work, workspaceOf(files, options, context));
    });
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
  target: KongState,
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
    const result = await loadConfig(client, flatConfig(target), context.signal);
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

async function carryOut(
  client: AdminClient,
  plan: Plan,
  current: KongState,
  options: SyncOptions,
  report: ReportOptions,
  context: CliContext,
): Promise<void> {
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
  if (result.failed.length === 0 && result.left.length === 0) return;
  reportRest(result, context);
  if (options.atomic === true) await undo(client, current, result, options, context);
  throw new CliError(`${errors.length} errors occurred:\n\t${errors.join('\n\t')}`);
}

function reportRest(result: SolveResult, context: CliContext): void {
  if (result.left.length === 0) return;
  context.stderr.write(`${result.left.length} operations are left:\n`);
  for (const { operation, reason } of result.left) {
    context.stderr.write(
      `  ${operation.op} ${operation.collection} ${operation.label} (${reason})\n`,
    );
  }
}

async function undo(
  client: AdminClient,
  current: KongState,
  result: SolveResult,
  options: SyncOptions,
  context: CliContext,
): Promise<void> {
  const back = rollbackPlan(current, result);
  const undone = await applyPlan(client, back, current, { parallelism: options.parallelism });
  context.stderr.write(`undone: ${undone.done.length} of ${back.operations.length} operations\n`);
  for (const { operation, error } of undone.failed) {
    context.stderr.write(`  ${failureText(operation, error)}\n`);
  }
}
