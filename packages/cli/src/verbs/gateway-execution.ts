import {
  type AdminClient,
  applyPlan,
  failureText,
  type KongEntities,
  type Plan,
  type ReportOptions,
  rollbackPlan,
  type SolveResult,
} from '@waygate/kong';
import { type CliContext, CliError } from '../context.ts';
import type { ChangeOptions } from './gateway-change.ts';
import { SyncProgress } from './gateway-progress.ts';
import { printOperation, printSummary } from './gateway-report.ts';

/** Options of the verbs that write. */
export interface ExecutionOptions extends ChangeOptions {
  readonly atomic?: boolean;
  /** Seconds. */
  readonly dbUpdatePropagationDelay?: number;
}

/** Carries out a plan, tells of each step and of the whole, and fails when a step did. */
export async function carryOut(
  client: AdminClient,
  plan: Plan,
  current: KongEntities,
  options: ExecutionOptions,
  report: ReportOptions,
  context: CliContext,
): Promise<void> {
  const progress = new SyncProgress(context, plan.operations.length);
  const result = await applyPlan(client, plan, {
    parallelism: options.parallelism,
    signal: context.signal,
    settleMs: (options.dbUpdatePropagationDelay ?? 0) * 1000,
    onStart: (operation) => {
      if (options.silenceEvents !== true) progress.clear();
      printOperation(operation, options, report, context);
    },
    onEnd: () => progress.advance(),
  });
  progress.clear();
  const errors = result.failed.map(({ operation, error }) => failureText(operation, error));
  const dropped = result.left.map(({ operation }) => operation);
  printSummary({ operations: result.done, errors, dropped }, options, report, context);
  if (result.failed.length === 0 && result.left.length === 0) return;
  reportRest(result, context);
  if (options.atomic === true) await undo(client, current, result, options, context);
  throw new CliError(
    errors.length === 0
      ? `the work was stopped: ${dropped.length} operations are left`
      : `${errors.length} errors occurred:\n\t${errors.join('\n\t')}`,
  );
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
  current: KongEntities,
  result: SolveResult,
  options: ExecutionOptions,
  context: CliContext,
): Promise<void> {
  const back = rollbackPlan(current, result);
  const undone = await applyPlan(client, back, { parallelism: options.parallelism });
  context.stderr.write(`undone: ${undone.done.length} of ${back.operations.length} operations\n`);
  for (const { operation, error } of undone.failed) {
    context.stderr.write(`  ${failureText(operation, error)}\n`);
  }
}
