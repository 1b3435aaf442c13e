import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';

export function configure(command: Command, context: CliContext): void {
  configureHelmVerb(
    command,
    context,
    ['package'],
    `
Packs a chart into NAME-VERSION.tgz. With SOURCE_DATE_EPOCH the same chart is the same bytes.

Examples:
  waygate package ./chart
  waygate package ./chart --version 1.2.3 -d dist`,
  );
}
