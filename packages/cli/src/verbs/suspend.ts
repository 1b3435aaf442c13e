import type { Command } from 'commander';
import {
  type ClusterFlags,
  clusterOptions,
  objectArgument,
  withCluster,
} from '../cluster-option.ts';
import type { CliContext } from '../context.ts';

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<kind>', 'kustomization, gitrepository, …; or kind/name')
    .argument('[name]', 'the object')
    .addHelpText(
      'after',
      '\nExamples:\n  waygate suspend kustomization apps\n  waygate suspend git/shop -n shop',
    )
    .action((kind: string, name: string | undefined, flags: ClusterFlags) =>
      setSuspended(true, kind, name, flags, context),
    );
}

/** Stops or starts the reconciliation of an object. */
export async function setSuspended(
  isSuspended: boolean,
  kindText: string,
  nameText: string | undefined,
  flags: ClusterFlags,
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectArgument(kindText, nameText);
  await withCluster(flags, context, async (client, namespace) => {
    const patch = { spec: { suspend: isSuspended } };
    await client.resource(kind).patch(name, patch, { namespace, fieldManager: 'waygate' });
    const done = isSuspended ? 'suspended' : 'resumed';
    context.stdout.write(`${kind.kind.toLowerCase()}/${name} in ${namespace} is ${done}\n`);
  });
}
