import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { changeOptions, eachRun } from './gateway-change.ts';
import { wholeNumber } from './gateway-option-values.ts';
import { type SyncOptions, syncFiles } from './gateway-sync.ts';

export function configure(command: Command, context: CliContext): void {
  changeOptions(command)
    .option('--atomic', 'undo what was done when something fails')
    .option(
      '--db-update-propagation-delay <seconds>',
      'how long to wait before writing what refers to something just written',
      wholeNumber,
    )
    .addHelpText(
      'after',
      `
Creates and updates what the files name, and deletes nothing: what they do not name stays as it is, and
may be referred to. An entity that is named is made as the file says it, whole.

Examples:
  waygate gateway apply route.yaml
  waygate gateway apply team-a/ --select-tag team-a`,
    )
    .action((paths: readonly string[], options: SyncOptions) =>
      eachRun(paths, options, context, (each, own) =>
        syncFiles(each, { ...own, isPartial: true }, context),
      ),
    );
}
