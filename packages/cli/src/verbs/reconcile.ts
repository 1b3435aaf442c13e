import {
  forceAtAnnotation,
  helmChartKind,
  helmReleaseKind,
  kustomizationKind,
  requestedAtAnnotation,
  resetAtAnnotation,
} from '@waygate/gitops';
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
import { isStatic, timeoutOption, untilReconciled, type WaitedObject } from '../reconcile-wait.ts';

interface Flags extends ClusterFlags {
  readonly timeout: number;
  readonly withSource?: boolean;
  readonly force?: boolean;
  readonly reset?: boolean;
}

/** Those that are made from what others fetched. */
const withSources = [kustomizationKind.kind, helmReleaseKind.kind, helmChartKind.kind];

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, source git NAME, …; or kind/name')
    .option('--with-source', 'what the object is made from first: a source, a chart')
    .option('--force', 'install or upgrade a HelmRelease once, whatever its state is')
    .option('--reset', 'forget the failures of a HelmRelease, so that it is tried again')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Asks for a reconciliation now, and waits for it.

Examples:
  waygate reconcile kustomization apps --with-source
  waygate reconcile source git shop
  waygate reconcile hr web --reset --force
  waygate reconcile ks/apps --timeout 1m`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { kind, name } = objectOf(words);
  if (flags.withSource === true && !withSources.includes(kind.kind)) {
    throw new CliError('only a Kustomization, a HelmRelease or a HelmChart has a source', {
      exitCode: exitCode.usage,
    });
  }
  if ((flags.force ?? flags.reset) !== undefined && kind.kind !== helmReleaseKind.kind) {
    throw new CliError('--force and --reset are for HelmReleases', { exitCode: exitCode.usage });
  }
  await withCluster(flags, context, async (client, own) => {
    const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
    const object = { client, kind, name, namespace };
    if (flags.withSource === true) {
      for (const source of await sourcesOf(object)) {
        const said = await reconcile(source, { timeout: flags.timeout }, context);
        context.stdout.write(`${source.kind.kind.toLowerCase()}/${source.name}: ${said}\n`);
      }
    }
    context.stdout.write(`${await reconcile(object, flags, context)}\n`);
  });
}

/** What an object is made from, the farthest first: what a chart comes from, the chart, … */
async function sourcesOf(object: WaitedObject): Promise<WaitedObject[]> {
  const { client, kind, name, namespace } = object;
  const at = (kindName: string, ref: { name: string; namespace?: string | undefined }) => ({
    client,
    kind: reportedKind(kindName),
    name: ref.name,
    namespace: ref.namespace ?? namespace,
  });
  switch (kind.kind) {
    case kustomizationKind.kind: {
      const { spec } = await client.resource(kustomizationKind).get(name, { namespace });
      return [at(spec.sourceRef.kind, spec.sourceRef)];
    }
    case helmChartKind.kind: {
      const { spec } = await client.resource(helmChartKind).get(name, { namespace });
      const source = at(spec.sourceRef.kind, { name: spec.sourceRef.name });
      const found = await client
        .resource(source.kind)
        .get(source.name, { namespace: source.namespace });
      return isStatic(found) ? [] : [source];
    }
    default: {
      const { spec, status } = await client.resource(helmReleaseKind).get(name, { namespace });
      const [chartNamespace, chartName] = status?.helmChart?.split('/') ?? [];
      const chart =
        spec.chartRef !== undefined
          ? at(spec.chartRef.kind, spec.chartRef)
          : at('HelmChart', { name: chartName ?? '', namespace: chartNamespace });
      if (chart.name === '') return [];
      return chart.kind.kind === helmChartKind.kind
        ? [...(await sourcesOf(chart)), chart]
        : [chart];
    }
  }
}

/** Asks, waits, and gives back what the controller says. */
async function reconcile(
  object: WaitedObject,
  { timeout, force, reset }: Flags,
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
  if (isStatic(before)) return 'reconciliation not supported by the object';
  const requestedAt = new Date().toISOString();
  const annotations = {
    [requestedAtAnnotation]: requestedAt,
    // They count only together with a request, and only once.
    ...(force === true && { [forceAtAnnotation]: requestedAt }),
    ...(reset === true && { [resetAtAnnotation]: requestedAt }),
  };
  const patch = { metadata: { annotations } };
  context.stderr.write(`► annotating ${kind.kind} ${name} in ${namespace} namespace\n`);
  await resource.patch(name, patch, { namespace, fieldManager: 'waygate' });
  context.stderr.write(`✔ ${kind.kind} annotated\n◎ waiting for ${kind.kind} reconciliation\n`);
  const isHandled = ({ status }: ReportedObject) => status?.lastHandledReconcileAt === requestedAt;
  return untilReconciled(object, isHandled, timeout, context);
}
