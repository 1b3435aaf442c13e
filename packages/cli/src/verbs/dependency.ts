import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureHelmVerb } from '../helm/helm-verb.ts';
import type { Verb } from '../verb.ts';

const commands = [
  ['list', 'Show the dependencies of a chart, and which of them are there', ['ls']],
  ['update', 'Resolve the versions of dependencies, fetch them and write Chart.lock', ['up']],
  ['build', 'Fetch the dependencies that Chart.lock names', []],
] as const;

/** `waygate dependency build CHART`, and so on. */
export const verbs: readonly Verb[] = commands.map(([name, summary, aliases]) => ({
  name,
  aliases,
  summary,
  load: async () => ({
    configure: (command: Command, context: CliContext) =>
      configureHelmVerb(
        command,
        context,
        ['dependency', name],
        `
Example:
  waygate dependency ${name} ./chart`,
      ),
  }),
}));

export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
Examples:
  waygate dependency list ./chart
  waygate dependency update ./chart
  waygate dependency build ./chart`,
  );
}
