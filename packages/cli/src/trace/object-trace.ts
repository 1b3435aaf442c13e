import { helmChartKind, helmReleaseKind, kustomizationKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { orNothing, type ReportedObject, readyOf, reportedKind } from '../cluster-option.ts';
import { CliError, exitCode } from '../context.ts';
import { traceCommit } from './commit-trace.ts';
import { type Owner, ownerOf } from './object-owner.ts';
import { templateOf } from './release-template.ts';
import { shownUrl } from './shown-url.ts';

/** One block of lines: `Kustomization: apps`, `Namespace: shop`, … */
type TraceBlock = readonly (readonly [name: string, value: string])[];

/** An object, and what brought it into the cluster, each block further back. */
interface ObjectTrace {
  readonly object: DynamicObject;
  readonly blocks: readonly TraceBlock[];
  readonly isManaged: boolean;
}

/** Finds an object by what kubectl calls its kind: `deploy`, `Deployment`, `deployments.apps`. */
export async function findNamed(
  client: KubeClient,
  word: string,
  name: string,
  namespace: string,
  signal: AbortSignal,
): Promise<DynamicObject> {
  const [kindWord = '', ...rest] = word.toLowerCase().split('.');
  const group = rest.join('.');
  const { resources } = await client.discovery.surface({ signal });
  const found = resources.find(
    (each) =>
      (group === '' || each.group === group || `${each.version}.${each.group}` === group) &&
      [each.plural, each.singular, each.kind.toLowerCase(), ...each.shortNames].includes(kindWord),
  );
  if (found === undefined) {
    throw new CliError(`the cluster has no kind "${word}"`, {
      exitCode: exitCode.usage,
      hint: 'An object is KIND NAME or KIND/NAME; a request is a URL with http://.',
    });
  }
  const apiVersion = found.group === '' ? found.version : `${found.group}/${found.version}`;
  const resource = await client.resourceOf({ apiVersion, kind: found.kind }, { signal });
  const scope = found.scope === 'Namespaced' ? { namespace } : {};
  return { ...(await resource.get(name, scope, { signal })), apiVersion, kind: found.kind };
}

/**
 * Follows an object back: to its Kustomization or HelmRelease, to the source, and to the commit. Of an object of a
 * HelmRelease, a field is followed to the line of the template that it came from.
 */
export async function traceObject(
  client: KubeClient,
  object: DynamicObject,
  field: string | undefined,
  signal: AbortSignal,
): Promise<ObjectTrace> {
  const { kind = '', metadata } = object;
  const { namespace = '', name = '' } = metadata;
  const head = (status: string): TraceBlock => [
    ['Object', `${kind}/${name}`],
    ...(namespace === '' ? [] : ([['Namespace', namespace]] as const)),
    ['Status', status],
  ];
  const owner = ownerOf(metadata.labels ?? {});
  if (owner === undefined)
    return { object, blocks: [head('Not managed by Flux or Waygate')], isManaged: false };
  if (owner.kind === 'Kustomization' && field !== undefined) {
    throw new CliError(`${kind} ${name} was applied by a Kustomization`, {
      exitCode: exitCode.usage,
      hint: `--field is about charts; of a kustomization: waygate build DIR --explain ${field} --resource ${kind}/${name}`,
    });
  }
  const blocks =
    owner.kind === 'Kustomization'
      ? await kustomizationBlocks(client, owner, object, signal)
      : await releaseBlocks(client, owner, object, field, signal);
  return { object, blocks: [head('Managed by Flux'), ...blocks], isManaged: true };
}

async function kustomizationBlocks(
  client: KubeClient,
  { name, namespace }: Owner,
  object: DynamicObject,
  signal: AbortSignal,
): Promise<TraceBlock[]> {
  const found = await orNothing(
    client.resource(kustomizationKind).get(name, { namespace }, { signal }),
  );
  if (found === undefined)
    return [
      [
        ['Kustomization', name],
        ['Namespace', namespace],
        ['Status', 'It is gone'],
      ],
    ];
  const { spec, status } = found;
  const own: TraceBlock = [
    ['Kustomization', name],
    ['Namespace', namespace],
    ...optional('Target', spec.targetNamespace),
    ['Path', spec.path ?? './'],
    ['Revision', status?.lastAppliedRevision ?? ''],
    ...readyLines(found as unknown as ReportedObject),
  ];
  const source = await sourceBlock(client, spec.sourceRef, namespace, signal);
  const [group = '', version = ''] = (object.apiVersion ?? '').includes('/')
    ? (object.apiVersion ?? '').split('/')
    : ['', object.apiVersion];
  const commit = await traceCommit(
    client,
    {
      group,
      version,
      kind: object.kind ?? '',
      namespace: object.metadata.namespace ?? '',
      name: object.metadata.name ?? '',
    },
    signal,
  );
  const file: TraceBlock = [
    ...optional('File', commit.file),
    ...(commit.file === undefined
      ? optional(
          'File',
          commit.stopped && `unknown: ${commit.stopped.replace(/^its file is unknown: /, '')}`,
        )
      : []),
  ];
  return [own, [...source, ...file]];
}

async function releaseBlocks(
  client: KubeClient,
  { name, namespace }: Owner,
  object: DynamicObject,
  field: string | undefined,
  signal: AbortSignal,
): Promise<TraceBlock[]> {
  const found = await orNothing(
    client.resource(helmReleaseKind).get(name, { namespace }, { signal }),
  );
  if (found === undefined)
    return [
      [
        ['HelmRelease', name],
        ['Namespace', namespace],
        ['Status', 'It is gone'],
      ],
    ];
  const { spec, status } = found;
  const { chart, chartRef } = spec as {
    chart?: { spec: { sourceRef: SourceRef } };
    chartRef?: SourceRef;
  };
  const traced = await templateOf(client, found, object, field, signal);
  const unknown = field === undefined ? undefined : `${field}, of no line that can be told`;
  const own: TraceBlock = [
    ['HelmRelease', name],
    ['Namespace', namespace],
    ...optional('Target', spec.targetNamespace),
    ['Revision', status?.lastAttemptedRevision ?? ''],
    ...optional('Template', traced?.template),
    ...optional('Field', traced?.field === undefined ? unknown : `${field} from ${traced.field}`),
    ...readyLines(found as unknown as ReportedObject),
  ];
  const made = (status as { helmChart?: string } | undefined)?.helmChart;
  const charts = made === undefined ? [] : await chartBlock(client, made, signal);
  const source = chartRef ?? chart?.spec.sourceRef;
  if (source === undefined) return [own, ...charts];
  const blocks = [own, ...charts, await sourceBlock(client, source, namespace, signal)];
  // The release itself may have come by a Kustomization.
  const above = ownerOf(found.metadata.labels ?? {});
  if (above === undefined || (above.kind === 'HelmRelease' && above.name === name)) return blocks;
  const typed = { ...found, apiVersion: `${helmReleaseKind.group}/${helmReleaseKind.version}` };
  const more = await kustomizationBlocks(
    client,
    above,
    { ...typed, kind: helmReleaseKind.kind } as unknown as DynamicObject,
    signal,
  );
  return [...blocks, ...more];
}

/** The HelmChart that a controller made for a release: `namespace/name`. */
async function chartBlock(
  client: KubeClient,
  key: string,
  signal: AbortSignal,
): Promise<TraceBlock[]> {
  const [namespace = '', name = ''] = key.split('/');
  const found = await orNothing(
    client.resource(helmChartKind).get(name, { namespace }, { signal }),
  );
  if (found === undefined) return [];
  const { spec, status } = found;
  return [
    [
      ['HelmChart', name],
      ['Namespace', namespace],
      ['Chart', spec.chart],
      ['Version', spec.version ?? '*'],
      ...optional('Revision', status?.artifact?.revision),
      ...readyLines(found as unknown as ReportedObject),
    ],
  ];
}

interface SourceRef {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

async function sourceBlock(
  client: KubeClient,
  { kind, name, namespace }: SourceRef,
  own: string,
  signal: AbortSignal,
): Promise<TraceBlock> {
  const place = namespace ?? own;
  const found = await orNothing(
    client.resource(reportedKind(kind)).get(name, { namespace: place }, { signal }),
  );
  const head = [[kind, name] as const, ['Namespace', place] as const];
  if (found === undefined) return [...head, ['Status', 'It is gone']];
  const spec = (found.spec ?? {}) as { url?: string; ref?: unknown };
  const ref = isObject(spec.ref) ? spec.ref : {};
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? value : undefined;
  const tag = text(ref.tag) ?? text(ref.semver);
  const { metadata } = (found.status?.artifact ?? {}) as { metadata?: Record<string, string> };
  return [
    ...head,
    ...optional('URL', spec.url && shownUrl(spec.url)),
    ...optional('Tag', tag),
    ...optional('Branch', tag === undefined ? text(ref.branch) : undefined),
    ...optional('Digest', tag === undefined ? text(ref.digest) : undefined),
    ...optional('Revision', found.status?.artifact?.revision),
    ...optional('Origin Source', metadata?.['org.opencontainers.image.source']),
    ...optional('Origin Revision', metadata?.['org.opencontainers.image.revision']),
    ...readyLines(found),
  ];
}

function optional(name: string, value: string | undefined): TraceBlock {
  return value === undefined || value === '' ? [] : [[name, value]];
}

function readyLines(object: ReportedObject): TraceBlock {
  const ready = readyOf(object) as
    | { status: string; message?: string; lastTransitionTime?: string }
    | undefined;
  if (ready === undefined) return [['Status', 'Unknown']];
  const done = ready.status === 'False' ? 'reconciliation failed' : 'reconciled';
  return [
    ['Status', `Last ${done} at ${goTime(ready.lastTransitionTime ?? '')}`],
    ...optional('Message', ready.message),
  ];
}

/** A moment as Go prints it. */
function goTime(timestamp: string): string {
  return timestamp.replace(/^(\S+)T(\S+)Z$/, '$1 $2 +0000 UTC');
}

/** As `flux trace` prints it: a release in narrower columns than a Kustomization, if its names fit. */
export function objectTraceText({ blocks }: ObjectTrace): string {
  const isRelease = blocks[1]?.[0]?.[0] === 'HelmRelease';
  const longest = Math.max(...blocks.flat().map(([name]) => name.length));
  const width = Math.max(isRelease ? 16 : 17, longest + ': '.length);
  const text = blocks.map((block) =>
    block.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`).join('\n'),
  );
  return `\n${text.join('\n---\n')}\n`;
}
