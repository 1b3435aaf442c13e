import { requestedAtAnnotation } from '@waygate/gitops';
import { parseDuration } from '@waygate/schema';
import type { Command } from 'commander';
import {
  type ClusterFlags,
  clusterOptions,
  objectArgument,
  readyOf,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError } from '../context.ts';

interface Flags extends ClusterFlags {
  readonly timeout: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<kind>', 'kustomization, gitrepository, …; or kind/name')
    .argument('[name]', 'the object')
    .option('--timeout <duration>', 'how long to wait for the answer', '5m')
    .addHelpText(
      'after',
      '\nAsks for a reconciliation now, and waits for it.\n\nExamples:\n  waygate reconcile git shop\n  waygate reconcile ks/apps --timeout 1m',
    )
    .action((kind: string, name: string | undefined, flags: Flags) =>
      run(kind, name, flags, context),
    );
}

async function run(
  kindText: string,
  nameText: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectArgument(kindText, nameText);
  const timeoutMs = parseDuration(flags.timeout);
  await withCluster(flags, context, async (client, namespace) => {
    const resource = client.resource(kind);
    const before = await resource.get(name, { namespace });
    if (before.spec?.suspend === true) {
      throw new CliError(`${kind.kind.toLowerCase()}/${name} is suspended`, {
        hint: `waygate resume ${kind.kind.toLowerCase()} ${name} -n ${namespace}`,
      });
    }
    const requestedAt = new Date().toISOString();
    const patch = { metadata: { annotations: { [requestedAtAnnotation]: requestedAt } } };
    await resource.patch(name, patch, { namespace, fieldManager: 'waygate' });
    const deadline = performance.now() + timeoutMs;
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 1.5, 1000)) {
      const now = await resource.get(name, { namespace });
      const ready = readyOf(now);
      const isHandled = now.status?.lastHandledReconcileAt === requestedAt;
      if (isHandled && ready?.status === 'True') {
        context.stdout.write(`${ready.message}\n`);
        return;
      }
      if (isHandled && ready?.status === 'False') throw new CliError(ready.message ?? 'it failed');
      if (performance.now() > deadline || context.signal.aborted) {
        throw new CliError(`${kind.kind.toLowerCase()}/${name} was not reconciled in time`, {
          hint: 'Do its controllers run? waygate events shows what they said.',
        });
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  });
}
