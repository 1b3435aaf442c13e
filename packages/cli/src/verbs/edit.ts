import { editCommands } from '@waygate/kustomize';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureKustomizeCommand } from './kustomize-command.ts';

const groups = {
  set: 'Set fields of the kustomization file',
  add: 'Add to the kustomization file',
  remove: 'Remove from the kustomization file',
} as const;

/** Declares the commands below `edit`, as the kustomize room lists them. */
export function configure(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    `
Changes the kustomization file of the working directory, as "kustomize edit" of version 5.8 does:
same commands and flags, same bytes in the file, same messages. As there, comments before a field
stay, one in the middle of a field moves before it, and one after the last field goes.

Examples:
  waygate edit set image web=registry.example/shop/web:1.4.2
  waygate edit add resource ../base
  waygate edit remove label team
  waygate edit fix`,
  );
  const parents = new Map<string, Command>();
  for (const [name, summary] of Object.entries(groups)) {
    parents.set(name, inheriting(command, name).description(summary));
  }
  for (const edit of editCommands) {
    const [first = '', second] = edit.path;
    const parent = second === undefined ? command : parents.get(first)!;
    configureKustomizeCommand(inheriting(parent, second ?? first), edit, context, ['edit']);
  }
}

function inheriting(parent: Command, name: string): Command {
  return parent.command(name).copyInheritedSettings(parent);
}
