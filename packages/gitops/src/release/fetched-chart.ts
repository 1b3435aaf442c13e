import type { Chart } from '@waygate/helm';
import { isNotFound, type KubeClient } from '@waygate/kube';
import type { Kind } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { type HelmRelease, helmChartKind } from '../api/helm-objects.ts';
import {
  externalArtifactKind,
  gitRepositoryKind,
  ociRepositoryKind,
  type SourceObject,
} from '../api/source-objects.ts';
import { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { GitOpsError } from '../gitops-error.ts';
import { ChartLoader, withSourceRevision } from './chart-loader.ts';
import { chartOfTemplate } from './chart-template.ts';

const chartKinds = [helmChartKind, ociRepositoryKind, externalArtifactKind, gitRepositoryKind];

/**
 * The chart that a HelmRelease has now: of its HelmChart, or of the source that it refers to.
 *
 * ```ts
 * const object = await client.resource(helmReleaseKind).get('web', { namespace: 'shop' });
 * const { metadata } = await fetchedChart(object, client, signal);
 * ```
 *
 * @throws GitOpsError when that is not there, or not yet the one that it asks for
 */
export async function fetchedChart(
  object: HelmRelease,
  client: KubeClient,
  signal: AbortSignal,
): Promise<Chart> {
  const wanted = chartOfTemplate(object);
  const reference = wanted
    ? { kind: 'HelmChart', name: wanted.metadata.name!, namespace: wanted.metadata.namespace }
    : object.spec.chartRef;
  const kind = chartKinds.find((each) => each.kind === reference?.kind);
  if (reference === undefined || kind === undefined) throw missing('it names no chart');
  const namespace = reference.namespace ?? object.metadata.namespace;
  const source = await sourceNamed(
    client,
    kind as unknown as Kind,
    reference.name,
    namespace,
    signal,
  );
  const shown = `${kind.kind} ${namespace}/${reference.name}`;
  if (source === undefined) throw missing(`${shown} is not there yet`);
  const { spec, status, metadata } = source;
  const asks = wanted && { ...wanted.spec, interval: undefined };
  const has = { ...(spec as object), interval: undefined };
  if (asks !== undefined && !equalJson(definedOf(has), definedOf(asks)))
    throw missing(`${shown} does not have the chart yet that it asks for`);
  if (
    status?.artifact === undefined ||
    (status.observedGeneration ?? 0) < (metadata.generation ?? 0)
  )
    throw missing(`${shown} has no artifact yet`);
  const loader = new ChartLoader(new ArtifactFetcher({ maxTries: 1 }));
  const chart = await loader.load(status.artifact, signal);
  return withSourceRevision(chart, { ...source, kind: kind.kind }).chart;
}

async function sourceNamed(
  client: KubeClient,
  kind: Kind,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<SourceObject | undefined> {
  try {
    const found = await client.resource(kind).get(name, { namespace }, { signal });
    return found as unknown as SourceObject;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function definedOf(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function missing(message: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_NOT_FOUND', message);
}
