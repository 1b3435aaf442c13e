import type { KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import { namespaceOf, objectsOf, selectionOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  spokenKind,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { isStatic, reconciledText, untilReconciled, type WaitedObject } from '../reconcile-wait.ts';

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
  waygate suspend source git shop base -n shop
  waygate suspend ks --all`,
    )
    .action((words: readonly string[], flags: SuspendFlags) =>
      setSuspended(true, words, flags, context),
    );
}

/** What suspend and resume share. */
export function suspendOptions(command: Command): Command {
  return clusterOptions(command)
    .argument('<object...>', 'kustomization NAME…, source git NAME…, …; or kind/name')
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
  const say = (text: string): void => void context.stderr.write(`${text}\n`);
  const [doing, done] = isSuspended ? ['suspending', 'suspended'] : ['resuming', 'resumed'];
  await withCluster(flags, context, async (client, own) => {
    for (const object of await selected(client, own, words, flags, context)) {
      const { kind, name, namespace } = object;
      const noun = spokenKind(kind);
      // What is not suspended does not say so: it is as it was before.
      const spec = { suspend: isSuspended ? true : null };
      const options = { namespace, fieldManager: 'waygate' };
      say(`► ${doing} ${noun} ${name} in ${namespace} namespace`);
      const now = await client.resource(kind).patch(name, { spec }, options);
      say(`✔ ${noun} ${done}`);
      if (waitMs === undefined) continue;
      say(`◎ waiting for ${kind.kind} reconciliation`);
      if (!isStatic(now)) {
        const isHandled = ({ status }: ReportedObject) =>
          (status?.observedGeneration ?? -1) >= (now.metadata.generation ?? 0);
        await untilReconciled(object, isHandled, waitMs, context);
      }
      say(`✔ ${kind.kind} ${name} reconciliation completed`);
      say(`✔ ${reconciledText(await client.resource(kind).get(name, { namespace }))}`);
    }
  });
}

/** One object, several of a kind, or with `--all` those of the namespace. */
async function selected(
  client: KubeClient,
  namespace: string,
  words: readonly string[],
  flags: SuspendFlags,
  context: CliContext,
): Promise<readonly WaitedObject[]> {
  if (flags.all !== true) {
    const found: WaitedObject[] = [];
    for (const object of objectsOf(words))
      found.push({
        client,
        ...object,
        namespace: await namespaceOf(client, object, namespace, flags, context),
      });
    return found;
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
  if (found.length === 0 && kinds.length === 1)
    throw new CliError(`no ${kinds[0]?.kind} objects found in ${namespace} namespace`);
  return found;
}
