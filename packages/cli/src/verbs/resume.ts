import type { Command } from 'commander';
import { type ClusterFlags, clusterOptions } from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { setSuspended } from './suspend.ts';

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<kind>', 'kustomization, gitrepository, …; or kind/name')
    .argument('[name]', 'the object')
    .addHelpText('after', '\nExamples:\n  waygate resume kustomization apps')
    .action((kind: string, name: string | undefined, flags: ClusterFlags) =>
      setSuspended(false, kind, name, flags, context),
    );
}
