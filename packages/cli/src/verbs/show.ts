import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';
import type { Verb } from '../verb.ts';

const parts = [
  ['all', 'Show everything that a chart tells of itself'],
  ['chart', "Show a chart's Chart.yaml"],
  ['values', "Show a chart's values"],
  ['readme', "Show a chart's README"],
  ['crds', "Show a chart's CRDs"],
] as const;

/** `waygate show values CHART`, and so on. */
export const verbs: readonly Verb[] = parts.map(([name, summary]) => ({
  name,
  summary,
  load: async () => ({
    configure: (command: Command, context: CliContext) =>
      configureHelmVerb(
        command,
        context,
        ['show', name],
        `
Examples:
  waygate show ${name} ./chart
  waygate show ${name} oci://registry.example.com/charts/web --version 1.2.3`,
      ),
  }),
}));

export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
Examples:
  waygate show values ./chart
  waygate show all web --repo https://charts.example.com`,
  );
}
