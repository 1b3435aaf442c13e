import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  applyObjects,
  applySelectors,
  type Change,
  type ObjectFailure,
  printChangeDiff,
  readObjects,
  subjectOfObject,
} from '@waygate/apply';
import {
  buildManifests,
  type KustomizationPreview,
  kustomizationGroup,
  PhaseError,
  previewKustomization,
} from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import type { Command } from 'commander';
import { namespaceOf, objectOf } from '../cluster-objects.ts';
import { clusterOptions, reportedKind, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { localFiles } from '../kustomization-files.ts';
import { outputOption, print } from '../output.ts';
import { gatewayData, gatewayText, previewGateway } from '../preview-gateway.ts';
import {
  hookLines,
  originLines,
  originOf,
  type PreviewedRelease,
  previewNamedRelease,
  previewReleases,
} from '../preview-release.ts';
import { openProject } from '../up/open-project.ts';
import { type GivenKustomizationFlags, givenKustomization } from './given-kustomization.ts';

export interface PreviewFlags extends GivenKustomizationFlags {
  readonly filename?: readonly string[];
  readonly exitCode?: boolean;
  readonly strictSubstitute?: boolean;
  readonly gateway: boolean;
  readonly ingressClass: string;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('[target]', 'a directory, or an object of the cluster: ks/NAME or hr/NAME')
    .argument('[name]', 'its name, when its kind is given alone')
    .option(
      '--path <directory>',
      'files of this machine instead of the source of the object: for hr/NAME a chart',
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

A directory is built as waygate up would build it, with the path of its waygate.yaml. For a Kustomization of the cluster, its spec,
variables, keys and rights are used, and what it would delete is shown, too: from its source as it is
now, or with --path from files of this machine, before they are committed.

For a HelmRelease, its chart is rendered with its values as its controller would, and each object and
changed field names the template and the line that it came from; hooks that would run are listed. So it
is, too, for HelmReleases that would change in a directory or by a Kustomization.

Examples:
  waygate preview overlays/production
  waygate preview ks/apps
  waygate preview ks/apps --path ./apps --exit-code
  waygate preview hr/web -n shop --path ./charts/web
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

/** What is to be shown: objects, and what HelmReleases make of their charts. */
interface Shown extends KustomizationPreview {
  readonly releases: readonly PreviewedRelease[];
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
      const changes = allChanges(found);
      return {
        outcome: found,
        gateway: flags.gateway ? await previewGateway(client, changes, options) : undefined,
      };
    } catch (error) {
      if (error instanceof PhaseError) throw new CliError(error.message, { cause: error });
      throw error;
    }
  });
  const data = {
    ...changesData(outcome),
    ...(outcome.guard === undefined ? {} : { guard: outcome.guard }),
    ...(outcome.releases.length === 0 ? {} : { releases: outcome.releases.map(releaseData) }),
    ...(gateway === undefined ? {} : { gateway: gatewayData(gateway) }),
  };
  const isReleaseAlone = outcome.changes.length === 0 && outcome.releases.length > 0;
  const texts = [
    ...(isReleaseAlone ? [] : [textOf(outcome)]),
    ...outcome.releases.map(releaseText),
    ...(gateway === undefined ? [] : [gatewayText(gateway)]),
  ];
  print(context, flags.output, data, texts.join('\n\n'));
  const isRefused = outcome.releases.some(
    ({ preview }) => preview?.problem !== undefined || (preview?.failures.length ?? 0) > 0,
  );
  if (isRefused || outcome.failures.length > 0) return 'refused';
  return allChanges(outcome).some(isDifference) ? 'different' : 'same';
}

function allChanges({ changes, releases }: Shown): readonly Change[] {
  return [...changes, ...releases.flatMap(({ preview }) => preview?.changes ?? [])];
}

async function objectPreview(
  client: KubeClient,
  namespace: string,
  target: string | undefined,
  name: string | undefined,
  flags: PreviewFlags,
  context: CliContext,
): Promise<Shown> {
  const { signal } = context;
  if (flags.filename === undefined) {
    const release = nameOf('hr', target, name, context);
    if (release !== undefined) {
      const named = { kind: reportedKind('hr'), name: release };
      const place = await namespaceOf(client, named, namespace, flags, context);
      const at = { name: release, namespace: place };
      const previewed = await previewNamedRelease(client, at, flags.path, context);
      return { changes: [], failures: [], releases: [previewed] };
    }
  }
  const found = await manifestPreview(client, namespace, target, name, flags, context);
  return { ...found, releases: await previewReleases(client, found.changes, signal) };
}

function manifestPreview(
  client: KubeClient,
  namespace: string,
  target: string | undefined,
  name: string | undefined,
  flags: PreviewFlags,
  context: CliContext,
): Promise<KustomizationPreview> {
  if (flags.filename !== undefined) return previewFiles(client, namespace, flags.filename, context);
  const kustomization = nameOf('ks', target, name, context);
  return kustomization === undefined
    ? previewDirectory(client, namespace, target ?? '.', context)
    : previewObject(client, namespace, kustomization, flags, context);
}

const kindWords = {
  ks: /^(?:ks|kustomizations?)(?:\/|$)/i,
  hr: /^(?:hr|helmreleases?)(?:\/|$)/i,
} as const;

/** The name of an object of the kind, unless a directory or another kind is meant. */
function nameOf(
  kind: keyof typeof kindWords,
  target: string | undefined,
  name: string | undefined,
  context: CliContext,
): string | undefined {
  if (target === undefined) return undefined;
  const isKind = kindWords[kind].test(target);
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
  const { object, source } = await givenKustomization(client, name, own, flags, context);
  const { strictSubstitute: strictSubstitution } = flags;
  return previewKustomization(object, source, { client, signal, strictSubstitution });
}

async function previewDirectory(
  client: KubeClient,
  namespace: string,
  directory: string,
  context: CliContext,
): Promise<KustomizationPreview> {
  const project = openProject(resolve(context.cwd, directory), 'directory', undefined);
  const { files, path } = await localFiles(join(project.source.directory, project.path));
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
  const parts = [...changeTexts(changes), ...failures.map(({ message }) => `! ${message}`)];
  if (guard !== undefined) parts.push(`! ${guard}`);
  return [...parts, summaryOf(changes, failures)].join('\n');
}

function releaseText({ name, chart, preview, unknown }: PreviewedRelease): string {
  if (preview === undefined) return `The release ${name} is not shown: ${unknown}`;
  const { changes, failures, files, problem } = preview;
  return [
    `The release ${name} of the chart ${chart}:`,
    ...changeTexts(changes, (change) => originLines(originOf(change, files))),
    ...hookLines(preview),
    ...failures.map(({ message }) => `! ${message}`),
    ...(problem === undefined ? [] : [`! ${problem}`]),
    summaryOf(changes, failures),
  ].join('\n');
}

function changeTexts(
  changes: readonly Change[],
  more: (change: Change) => readonly string[] = () => [],
): string[] {
  const parts: string[] = [];
  for (const change of changes.filter(isDifference)) {
    const isReplaced = change.action === 'created' && change.before !== undefined;
    const what = isReplaced ? 'deleted and created anew' : change.action;
    parts.push(`${marks[change.action]} ${change.subject} ${what}`, ...more(change));
    const diff = change.action === 'deleted' ? '' : printChangeDiff(change);
    if (diff !== '') parts.push(diff.replaceAll(/^/gm, '    '));
  }
  return parts;
}

function changesData({ changes, failures }: KustomizationPreview) {
  return {
    changes: changes.map(({ subject, action, paths = [] }) => ({ subject, action, paths })),
    refused: failures.map(({ subject, message }) => ({ subject, message })),
  };
}

function releaseData({ name, chart, preview, unknown }: PreviewedRelease) {
  if (preview === undefined) return { name, unknown };
  const { changes, hooks, files, problem } = preview;
  const data = changesData(preview);
  return {
    name,
    chart,
    ...data,
    changes: data.changes.map((each, at) => ({ ...each, ...originOf(changes[at]!, files) })),
    hooks: hooks.map(({ object, events }) => ({ subject: subjectOfObject(object), events })),
    ...(problem !== undefined && { problem }),
  };
}

function summaryOf(changes: readonly Change[], failures: readonly ObjectFailure[]): string {
  const count = (wanted: string) => changes.filter(({ action }) => action === wanted).length;
  const counts = ['created', 'configured', 'deleted', 'unchanged', 'skipped'].map(
    (action) => `${count(action)} ${action}`,
  );
  return [...counts, `${failures.length} refused`].join(', ');
}
