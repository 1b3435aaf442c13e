import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';

export function configure(command: Command, context: CliContext): void {
  configureHelmVerb(
    command,
    context,
    ['lint'],
    `
Says what is wrong with charts, and what could be better.

Examples:
  waygate lint ./chart
  waygate lint ./chart --strict --with-subcharts`,
  );
}
