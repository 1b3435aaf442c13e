import {
  helmReleaseKind,
  kustomizationKind,
  loadVariables,
  releaseValuesText,
} from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import { printYaml } from '@waygate/text';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';

interface Flags extends ClusterFlags {
  readonly showStatus?: boolean;
  readonly showVars?: boolean;
  readonly showValues?: boolean;
  readonly showHistory?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME or helmrelease NAME; or kind/name')
    .option('--show-status', 'its status')
    .option('--show-vars', "a Kustomization's variables as they are substituted, in the clear")
    .option('--show-values', "a HelmRelease's values as the chart gets them, in the clear")
    .option('--show-history', 'what was reconciled before')
    .addHelpText(
      'after',
      `
Shows what a controller works with, as "flux debug" does. Variables and values of Secrets are printed as
they are: mind where that goes.

Examples:
  waygate debug ks apps --show-vars
  waygate debug hr web --show-values
  waygate debug ks/apps --show-status`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { kind, name } = objectOf(words);
  const isRelease = kind.kind === helmReleaseKind.kind;
  if (!isRelease && kind.kind !== kustomizationKind.kind)
    throw usage('only a Kustomization and a HelmRelease can be looked into');
  const own = isRelease ? '--show-values' : '--show-vars';
  const foreign = isRelease ? flags.showVars : flags.showValues;
  const chosen = [
    flags.showStatus,
    isRelease ? flags.showValues : flags.showVars,
    flags.showHistory,
  ].filter((each) => each === true);
  if (chosen.length !== 1 || foreign === true)
    throw usage(`exactly one of --show-status, ${own}, or --show-history must be set`);
  await withCluster(flags, context, async (client, space) => {
    const namespace = await namespaceOf(client, { kind, name }, space, flags, context);
    const text = await shown(client, { isRelease, name, namespace }, flags, context.signal);
    context.stdout.write(text);
  });
}

const components = 'https://fluxcd.io/flux/components';

/** Where the fields that are shown are explained: the API is Flux'. */
const pages = {
  kustomization: {
    status: `${components}/kustomize/kustomizations/#kustomization-status`,
    history: `${components}/kustomize/kustomizations/#history`,
  },
  release: {
    status: `${components}/helm/helmreleases/#helmrelease-status`,
    history: `${components}/helm/helmreleases/#history`,
  },
};

function usage(message: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage });
}

async function shown(
  client: KubeClient,
  { isRelease, name, namespace }: { isRelease: boolean; name: string; namespace: string },
  flags: Flags,
  signal: AbortSignal,
): Promise<string> {
  const release = isRelease
    ? await client.resource(helmReleaseKind).get(name, { namespace }, { signal })
    : undefined;
  const object =
    release ?? (await client.resource(kustomizationKind).get(name, { namespace }, { signal }));
  const page = isRelease ? pages.release : pages.kustomization;
  if (flags.showStatus === true)
    return `# Status documentation: ${page.status}\n${printYaml(object.status ?? {})}`;
  if (flags.showHistory === true) {
    const { history = [] } = (object.status ?? {}) as { history?: unknown[] };
    return `# History documentation: ${page.history}\n${printYaml(history)}`;
  }
  if (release !== undefined) return releaseValuesText(release, client, signal);
  const { postBuild } = (await client.resource(kustomizationKind).get(name, { namespace })).spec;
  if (postBuild === undefined) throw new CliError('no post build substitutions found');
  const variables = await loadVariables(client, postBuild, namespace, signal);
  const keys = [...variables.keys()].sort();
  // A value is one line wherever it is put.
  return keys.map((key) => `${key}=${variables.get(key)?.replaceAll('\n', '')}\n`).join('');
}
