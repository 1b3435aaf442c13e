import { isNotFound, type KubeClient } from '@waygate/kube';
import type { DynamicObject, Kind } from '@waygate/schema';
import type { Command } from 'commander';
import { namespaceOf, objectOf, selectionOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { exportedObject, exportText } from '../flux/export-text.ts';

interface Flags extends ClusterFlags {
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly withCredentials?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME, source git NAME, …; or kind/name; or all')
    .option('--all', 'all objects of the kind in the namespace')
    .option('-A, --all-namespaces', 'all objects of the kind in all namespaces')
    .option('--with-credentials', 'with the Secret of a source, in the clear')
    .addHelpText(
      'after',
      `
Prints what is wanted of a source, a Kustomization, a HelmRelease, an Alert, a Provider or a Receiver as
YAML, as "flux export" does: to be kept in a repository, or applied elsewhere.

Examples:
  waygate export kustomization apps > apps.yaml
  waygate export source git --all
  waygate export source git shop --with-credentials`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const isOfMany = flags.all === true || flags.allNamespaces === true;
  const selection = selectionOf(words);
  if (isOfMany && selection.name !== undefined) {
    throw new CliError('either --all or one object', { exitCode: exitCode.usage });
  }
  await withCluster(flags, context, async (client, own) => {
    const found = isOfMany
      ? await listOf(client, selection.kinds, flags.allNamespaces === true ? undefined : own)
      : [await oneOf(client, words, own, flags, context)];
    // Nobody asked for this namespace: it is the kubeconfig's. What is asked for is where it is.
    const isAsked = flags.namespace !== undefined || flags.allNamespaces === true || !isOfMany;
    const all =
      found.length > 0 || isAsked ? found : await listOf(client, selection.kinds, undefined);
    if (all.length === 0) throw new CliError(`no objects found in ${own} namespace`);
    if (found.length === 0)
      context.stderr.write(`There are none in the namespace ${own}; these are in others.\n`);
    for (const object of all) {
      context.stdout.write(exportText(exportedObject(object)));
      if (flags.withCredentials !== true) continue;
      const secret = await credentialsOf(client, object);
      if (secret !== undefined) context.stdout.write(exportText(secret));
    }
  });
}

async function oneOf(
  client: KubeClient,
  words: readonly string[],
  own: string,
  flags: Flags,
  context: CliContext,
): Promise<DynamicObject> {
  const { kind, name } = objectOf(words);
  const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
  return typed(await client.resource(kind).get(name, { namespace }), kind);
}

async function listOf(
  client: KubeClient,
  kinds: readonly Kind<ReportedObject>[],
  namespace: string | undefined,
): Promise<DynamicObject[]> {
  const found: DynamicObject[] = [];
  for (const kind of kinds) {
    try {
      const { items } = await client
        .resource(kind)
        .listAll(namespace === undefined ? {} : { namespace });
      found.push(...items.map((item) => typed(item, kind)));
    } catch (error) {
      // A cluster need not know every kind.
      if (!isNotFound(error) || kinds.length === 1) throw error;
    }
  }
  return found;
}

/** Items of a list do not say their kind. */
function typed(
  object: ReportedObject,
  { group, version, kind }: Kind<ReportedObject>,
): DynamicObject {
  return { ...object, apiVersion: `${group}/${version}`, kind } as unknown as DynamicObject;
}

async function credentialsOf(client: KubeClient, { metadata, spec }: DynamicObject) {
  const { secretRef } = (spec ?? {}) as { secretRef?: { name: string } };
  if (secretRef === undefined) return undefined;
  const { namespace } = metadata;
  const secrets = await client.resourceOf({ apiVersion: 'v1', kind: 'Secret' });
  const { data, type } = await secrets.get(secretRef.name, { namespace });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretRef.name, namespace },
    data,
    type,
  };
}
