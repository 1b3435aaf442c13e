import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { timeoutOption } from '../reconcile-wait.ts';
import { type SuspendFlags, setSuspended, suspendOptions } from './suspend.ts';

interface Flags extends SuspendFlags {
  readonly timeout: number;
  readonly wait: boolean;
}

export function configure(command: Command, context: CliContext): void {
  suspendOptions(command)
    .option('--no-wait', 'do not wait for the reconciliation')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Goes on with what was suspended, and waits for its reconciliation.

Examples:
  waygate resume kustomization apps
  waygate resume source git --all --timeout 1m`,
    )
    .action((words: readonly string[], flags: Flags) =>
      setSuspended(false, words, flags, context, flags.wait ? flags.timeout : undefined),
    );
}
