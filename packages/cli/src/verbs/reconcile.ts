import { type Kustomization, kustomizationKind, requestedAtAnnotation } from '@waygate/gitops';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  reportedKind,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { timeoutOption, untilReconciled, type WaitedObject } from '../reconcile-wait.ts';

interface Flags extends ClusterFlags {
  readonly timeout: number;
  readonly withSource?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, source git NAME, …; or kind/name')
    .option('--with-source', 'the source of a Kustomization first')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Asks for a reconciliation now, and waits for it.

Examples:
  waygate reconcile kustomization apps --with-source
  waygate reconcile source git shop
  waygate reconcile ks/apps --timeout 1m`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { kind, name } = objectOf(words);
  if (flags.withSource === true && kind.kind !== kustomizationKind.kind) {
    throw new CliError('only a Kustomization has a source', { exitCode: exitCode.usage });
  }
  await withCluster(flags, context, async (client, own) => {
    const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
    const object = { client, kind, name, namespace };
    if (flags.withSource === true) {
      const source = await sourceOf(object);
      const said = await reconcile(source, flags.timeout, context);
      context.stdout.write(`${source.kind.kind.toLowerCase()}/${source.name}: ${said}\n`);
    }
    context.stdout.write(`${await reconcile(object, flags.timeout, context)}\n`);
  });
}

async function sourceOf({ client, name, namespace }: WaitedObject): Promise<WaitedObject> {
  const found: Kustomization = await client.resource(kustomizationKind).get(name, { namespace });
  const { sourceRef } = found.spec;
  return {
    client,
    kind: reportedKind(sourceRef.kind),
    name: sourceRef.name,
    namespace: sourceRef.namespace ?? namespace,
  };
}

/** Asks, waits, and gives back what the controller says. */
async function reconcile(
  object: WaitedObject,
  timeoutMs: number,
  context: CliContext,
): Promise<string> {
  const { client, kind, name, namespace } = object;
  const resource = client.resource(kind);
  const before: ReportedObject = await resource.get(name, { namespace });
  if (before.spec?.suspend === true) {
    throw new CliError(`${kind.kind.toLowerCase()}/${name} is suspended`, {
      hint: `waygate resume ${kind.kind.toLowerCase()} ${name} -n ${namespace}`,
    });
  }
  const requestedAt = new Date().toISOString();
  const patch = { metadata: { annotations: { [requestedAtAnnotation]: requestedAt } } };
  await resource.patch(name, patch, { namespace, fieldManager: 'waygate' });
  const isHandled = ({ status }: ReportedObject) => status?.lastHandledReconcileAt === requestedAt;
  return untilReconciled(object, isHandled, timeoutMs, context);
}
