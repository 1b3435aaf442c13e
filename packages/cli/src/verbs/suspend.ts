import type { KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import { namespaceOf, objectOf, selectionOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { untilReconciled, type WaitedObject } from '../reconcile-wait.ts';

export interface SuspendFlags extends ClusterFlags {
  readonly all?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  suspendOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  waygate suspend kustomization apps
  waygate suspend source git shop -n shop
  waygate suspend ks --all`,
    )
    .action((words: readonly string[], flags: SuspendFlags) =>
      setSuspended(true, words, flags, context),
    );
}

/** What suspend and resume share. */
export function suspendOptions(command: Command): Command {
  return clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, source git NAME, …; or kind/name')
    .option('--all', 'all objects of the kind in the namespace');
}

/** Stops or starts the reconciliation of objects. Waits for what comes of it when told how long. */
export async function setSuspended(
  isSuspended: boolean,
  words: readonly string[],
  flags: SuspendFlags,
  context: CliContext,
  waitMs?: number,
): Promise<void> {
  await withCluster(flags, context, async (client, own) => {
    for (const object of await selected(client, own, words, flags, context)) {
      const { kind, name, namespace } = object;
      const patch = { spec: { suspend: isSuspended } };
      const { metadata } = await client
        .resource(kind)
        .patch(name, patch, { namespace, fieldManager: 'waygate' });
      const done = isSuspended ? 'suspended' : 'resumed';
      context.stdout.write(`${kind.kind.toLowerCase()}/${name} in ${namespace} is ${done}\n`);
      if (waitMs === undefined) continue;
      const isHandled = ({ status }: ReportedObject) =>
        (status?.observedGeneration ?? -1) >= (metadata.generation ?? 0);
      context.stdout.write(`${await untilReconciled(object, isHandled, waitMs, context)}\n`);
    }
  });
}

async function selected(
  client: KubeClient,
  namespace: string,
  words: readonly string[],
  flags: SuspendFlags,
  context: CliContext,
): Promise<readonly WaitedObject[]> {
  if (flags.all !== true) {
    const object = objectOf(words);
    return [
      {
        client,
        ...object,
        namespace: await namespaceOf(client, object, namespace, flags, context),
      },
    ];
  }
  const { kinds, name } = selectionOf(words);
  if (name !== undefined) {
    throw new CliError('either --all or one object', { exitCode: exitCode.usage });
  }
  const found: WaitedObject[] = [];
  for (const kind of kinds) {
    const { items } = await client.resource(kind).list({ namespace });
    for (const { metadata } of items) {
      found.push({ client, kind, namespace, name: metadata.name ?? '' });
    }
  }
  return found;
}
