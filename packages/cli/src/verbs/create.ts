import { createCommand } from '@waygate/kustomize';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { configureKustomizeCommand } from './kustomize-command.ts';

export function configure(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    `
Makes kustomization.yaml, as "kustomize create" of version 5.8 does: same flags, same bytes, same
messages. A file that is there already is never changed.`,
  );
  configureKustomizeCommand(command, createCommand, context, []);
}
