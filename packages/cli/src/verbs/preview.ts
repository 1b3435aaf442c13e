import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  applyObjects,
  applySelectors,
  type Change,
  type ObjectFailure,
  printChangeDiff,
  readObjects,
} from '@waygate/apply';
import {
  buildManifests,
  type KustomizationPreview,
  kustomizationGroup,
  kustomizationKind,
  PhaseError,
  previewKustomization,
} from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { type ClusterFlags, clusterOptions, reportedKind, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { artifactFiles, localFiles } from '../kustomization-files.ts';
import { outputOption, print } from '../output.ts';
import { gatewayData, gatewayText, previewGateway } from '../preview-gateway.ts';

export interface PreviewFlags extends ClusterFlags {
  readonly path?: string;
  readonly filename?: readonly string[];
  readonly exitCode?: boolean;
  readonly gateway: boolean;
  readonly ingressClass: string;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('[target]', 'a directory, or a Kustomization of the cluster: ks/NAME')
    .argument('[name]', 'the Kustomization, when its kind is given alone')
    .option(
      '--path <directory>',
      'files of this machine instead of the source of the Kustomization',
    )
    .option('-f, --filename <path...>', 'manifests: files, or - for stdin')
    .option('--exit-code', 'end with 2 when something would change')
    .option('--no-gateway', 'do not show what would change in the gateway')
    .option('--ingress-class <name>', 'the class of objects that the gateway serves', 'kong')
    .addHelpText(
      'after',
      `
Asks the cluster what applying would change, and shows it: objects, and where these are of kinds that
the ingress controller follows, what would change in the gateway: routes, services, plugins. Nothing is
changed. Values of Secrets are never shown, only that they differ.

A directory is built as a Kustomization would build it. For a Kustomization of the cluster, its spec,
variables, keys and rights are used, and what it would delete is shown, too: from its source as it is
now, or with --path from files of this machine, before they are committed.

Examples:
  waygate preview overlays/production
  waygate preview ks/apps
  waygate preview ks/apps --path ./apps --exit-code
  waygate build . | waygate preview -f -`,
    )
    .action((target: string | undefined, name: string | undefined, flags: PreviewFlags) =>
      run(target, name, flags, context),
    );
  outputOption(command);
}

async function run(
  target: string | undefined,
  name: string | undefined,
  flags: PreviewFlags,
  context: CliContext,
): Promise<void> {
  const found = await showPreview(target, name, flags, context);
  if (found === 'refused') context.exitCode = exitCode.failed;
  else if (flags.exitCode && found === 'different') context.exitCode = exitCode.differences;
}

/** Prints what applying would change, and says what there was to print. */
export async function showPreview(
  target: string | undefined,
  name: string | undefined,
  flags: PreviewFlags,
  context: CliContext,
): Promise<'same' | 'different' | 'refused'> {
  const { outcome, gateway } = await withCluster(flags, context, async (client, namespace) => {
    try {
      const found = await objectPreview(client, namespace, target, name, flags, context);
      const { ingressClass } = flags;
      const options = { ingressClass, signal: context.signal };
      return {
        outcome: found,
        gateway: flags.gateway ? await previewGateway(client, found.changes, options) : undefined,
      };
    } catch (error) {
      if (error instanceof PhaseError) throw new CliError(error.message, { cause: error });
      throw error;
    }
  });
  const data = {
    changes: outcome.changes.map(({ subject, action, paths = [] }) => ({ subject, action, paths })),
    refused: outcome.failures.map(({ subject, message }) => ({ subject, message })),
    ...(outcome.guard === undefined ? {} : { guard: outcome.guard }),
    ...(gateway === undefined ? {} : { gateway: gatewayData(gateway) }),
  };
  const texts = [textOf(outcome), ...(gateway === undefined ? [] : [gatewayText(gateway)])];
  print(context, flags.output, data, texts.join('\n\n'));
  if (outcome.failures.length > 0) return 'refused';
  return outcome.changes.some(isDifference) ? 'different' : 'same';
}

function objectPreview(
  client: KubeClient,
  namespace: string,
  target: string | undefined,
  name: string | undefined,
  flags: PreviewFlags,
  context: CliContext,
): Promise<KustomizationPreview> {
  if (flags.filename !== undefined) {
    return previewFiles(client, namespace, flags.filename, context);
  }
  const kustomization = kustomizationName(target, name, context);
  return kustomization === undefined
    ? previewDirectory(client, namespace, target ?? '.', context)
    : previewObject(client, namespace, kustomization, flags, context);
}

/** The name of a Kustomization, unless a directory is meant. */
function kustomizationName(
  target: string | undefined,
  name: string | undefined,
  context: CliContext,
): string | undefined {
  if (target === undefined) return undefined;
  const isKind = /^(?:ks|kustomizations?)(?:\/|$)/i.test(target);
  if (!isKind || (name === undefined && existsSync(resolve(context.cwd, target)))) {
    if (name !== undefined) reportedKind(target);
    return undefined;
  }
  return objectOf(name === undefined ? [target] : [target, name]).name;
}

async function previewObject(
  client: KubeClient,
  own: string,
  name: string,
  flags: PreviewFlags,
  context: CliContext,
): Promise<KustomizationPreview> {
  const { signal } = context;
  const { path } = flags;
  const named = { kind: reportedKind('ks'), name };
  const namespace = await namespaceOf(client, named, own, flags, context);
  const object = await client.resource(kustomizationKind).get(name, { namespace }, { signal });
  const source =
    path === undefined
      ? await artifactFiles(client, object, signal)
      : await localFiles(resolve(context.cwd, path));
  return previewKustomization(object, source, { client, signal });
}

async function previewDirectory(
  client: KubeClient,
  namespace: string,
  directory: string,
  context: CliContext,
): Promise<KustomizationPreview> {
  const { files, path } = await localFiles(resolve(context.cwd, directory));
  const spec = { interval: '1h', prune: false, sourceRef: { kind: 'GitRepository', name: '' } };
  const variables = new Map<string, string>();
  const built = await buildManifests({ files, path, spec, variables, isStrict: true }).catch(
    (cause: unknown) => {
      throw new CliError((cause as Error).message, { cause });
    },
  );
  return previewManifests(client, namespace, built.objects, context.signal);
}

async function previewFiles(
  client: KubeClient,
  namespace: string,
  paths: readonly string[],
  context: CliContext,
): Promise<KustomizationPreview> {
  const objects: DynamicObject[] = [];
  for (const path of paths) {
    const text =
      path === '-' ? readText(context.stdin) : readFile(resolve(context.cwd, path), 'utf8');
    try {
      objects.push(...readObjects(await text));
    } catch (cause) {
      throw new CliError(`cannot read ${path}: ${(cause as Error).message}`, { cause });
    }
  }
  return previewManifests(client, namespace, objects, context.signal);
}

function previewManifests(
  client: KubeClient,
  defaultNamespace: string,
  objects: readonly DynamicObject[],
  signal: AbortSignal,
): Promise<KustomizationPreview> {
  return applyObjects(client, objects, {
    fieldManager: 'waygate',
    selectors: applySelectors(kustomizationGroup),
    defaultNamespace,
    isPreview: true,
    signal,
  });
}

const isDifference = ({ action }: Change) =>
  action === 'created' || action === 'configured' || action === 'deleted';

const marks: Readonly<Record<string, string>> = { created: '+', configured: '~', deleted: '-' };

function textOf({ changes, failures, guard }: KustomizationPreview): string {
  const parts: string[] = [];
  for (const change of changes.filter(isDifference)) {
    const isReplaced = change.action === 'created' && change.before !== undefined;
    const what = isReplaced ? 'deleted and created anew' : change.action;
    parts.push(`${marks[change.action]} ${change.subject} ${what}`);
    const diff = change.action === 'deleted' ? '' : printChangeDiff(change);
    if (diff !== '') parts.push(diff.replaceAll(/^/gm, '    '));
  }
  for (const { message } of failures as readonly ObjectFailure[]) parts.push(`! ${message}`);
  if (guard !== undefined) parts.push(`! ${guard}`);
  return [...parts, summaryOf(changes, failures)].join('\n');
}

function summaryOf(changes: readonly Change[], failures: readonly ObjectFailure[]): string {
  const count = (wanted: string) => changes.filter(({ action }) => action === wanted).length;
  const counts = ['created', 'configured', 'deleted', 'unchanged', 'skipped'].map(
    (action) => `${count(action)} ${action}`,
  );
  return [...counts, `${failures.length} refused`].join(', ');
}
