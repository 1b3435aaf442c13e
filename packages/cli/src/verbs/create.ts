import { createCommand } from '@waygate/kustomize';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureObjects } from './create-object.ts';
import { configureKustomizeCommand } from './kustomize-command.ts';

export function configure(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    `
Without a command below it, makes kustomization.yaml, as "kustomize create" of version 5.8 does: same
flags, same bytes, same messages. A file that is there already is never changed. The commands below it
make objects of a cluster, as those of "flux create" do.`,
  );
  configureKustomizeCommand(command, createCommand, context, []);
  configureObjects(command, context);
  const parse = command.parseOptions.bind(command);
  // What follows a command below is that command's to read.
  command.parseOptions = (words) => {
    const [first = '', ...rest] = words;
    const isBelow = command.commands.some((each) =>
      [each.name(), ...each.aliases()].includes(first),
    );
    return isBelow ? { operands: [first], unknown: [...rest] } : parse(words);
  };
}
