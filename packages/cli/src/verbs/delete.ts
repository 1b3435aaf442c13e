import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { type ClusterFlags, clusterOptions, spokenKind, withCluster } from '../cluster-option.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';

interface Flags extends ClusterFlags {
  readonly silent?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, source git NAME, …; or kind/name')
    .option('-s, --silent', 'do not ask')
    .addHelpText(
      'after',
      `
Deletes a source, a Kustomization, a HelmRelease, an Alert, a Provider or a Receiver, as "flux delete"
does. What a Kustomization with prune has applied goes with it.

Examples:
  waygate delete kustomization apps
  waygate delete source git shop -n shop --silent`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { kind, name } = objectOf(words);
  const noun = spokenKind(kind);
  await withCluster(flags, context, async (client, own) => {
    const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
    const resource = client.resource(kind);
    const { metadata } = await resource.get(name, { namespace });
    if (flags.silent !== true) {
      await confirm(`Are you sure you want to delete this ${noun}`, context);
    }
    context.stderr.write(`► deleting ${noun} ${name} in ${namespace} namespace\n`);
    // Another of the same name that came in the meantime is not the one that was asked about.
    const { uid } = metadata;
    await resource.delete(name, {
      namespace,
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    });
    context.stderr.write(`✔ ${noun} deleted\n`);
  });
}
