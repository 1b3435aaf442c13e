import type { KubeClient } from '@waygate/kube';
import type { Clock, Operator, Predicate, SharedInformer, Tracer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { type HelmRelease, helmChartKind, helmReleaseKind } from '../api/helm-objects.ts';
import type { SourceObject } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { ClusterClients, type KubeconfigPolicy } from '../kustomization/cluster-clients.ts';
import { deliverySources, dependencyKeysOf } from '../kustomization/delivery-sources.ts';
import { addOwnController, type OwnControllerOptions } from '../own-controller.ts';
import { OwnObjects } from '../own-objects.ts';
import { ChartLoader } from './chart-loader.ts';
import { ChartTemplates } from './chart-template.ts';
import { HelmReleaseReconciler } from './helm-release-reconciler.ts';

interface HelmReleaseControllerOptions extends OwnControllerOptions {
  readonly client: KubeClient;
  readonly fetcher: ArtifactFetcher;
  /** Caches of the kinds of sources that the cluster knows; HelmChart is among them. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  /** HelmReleases reconciled at a time. 4. */
  readonly concurrentReleases?: number | undefined;
  readonly defaultServiceAccount?: string | undefined;
  readonly kubeconfigs?: KubeconfigPolicy | undefined;
  readonly noCrossNamespaceRefs?: boolean | undefined;
  readonly requeueDependencyMs?: number | undefined;
  readonly jitter?: number | undefined;
  readonly namespace?: string | undefined;
  readonly watchedConfigSelector?: string | false | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Told of the steps of each new revision of a chart. */
  readonly tracer?: Tracer | undefined;
}

/** Adds the HelmRelease controller to an operator. Gives back what ends what it left open. */
export function addHelmReleaseController(
  operator: Operator,
  options: HelmReleaseControllerOptions,
): () => Promise<void> {
  const { client, sources, clock } = options;
  const informer = operator.informerFor(helmReleaseKind, {
    indexers: { source: sourceKeysOf, dependency: dependencyKeysOf, config: configKeysOf },
  });
  const clients = new ClusterClients({
    client,
    defaultServiceAccount: options.defaultServiceAccount,
    kubeconfigs: options.kubeconfigs,
  });
  const fieldManager = 'helm-controller';
  const objects = new OwnObjects({ client, kind: helmReleaseKind, informer, fieldManager, clock });
  const reconciler = new HelmReleaseReconciler({
    client,
    clients,
    objects,
    sources,
    templates: new ChartTemplates(client, operator.informerFor(helmChartKind)),
    charts: new ChartLoader(options.fetcher),
    events: operator.events,
    clock,
    random: options.random,
    jitter: options.jitter ?? 0.05,
    requeueDependencyMs: options.requeueDependencyMs ?? 30_000,
    noCrossNamespaceRefs: options.noCrossNamespaceRefs ?? false,
    tracer: options.tracer,
  });
  addOwnController(operator, options, {
    kind: helmReleaseKind,
    objects,
    concurrent: options.concurrentReleases ?? 4,
    reconciler,
    sources: deliverySources(operator, informer, {
      ...options,
      sourceMoved,
      dependencyMoved: (event) => event.type === 'update' && isReady(event.object),
    }),
  });
  return () => clients.close();
}

/** Another artifact, or one that is ready at last. */
const sourceMoved: Predicate<SourceObject> = (event) => {
  if (event.type !== 'update') return event.type === 'add';
  const now = event.object.status;
  const before = event.oldObject.status;
  return (
    now?.artifact?.digest !== before?.artifact?.digest ||
    now?.artifact?.revision !== before?.artifact?.revision ||
    now?.observedGeneration !== before?.observedGeneration ||
    readyMessageOf(now) !== readyMessageOf(before)
  );
};

/** Why a source is not ready is what those who wait for it tell. */
function readyMessageOf(status: SourceObject['status']): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? ready.message : undefined;
}

function isReady({ status, metadata }: HelmRelease): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && status?.observedGeneration === metadata.generation;
}

/** `Kind/namespace/name` of the chart of a release. */
function sourceKeysOf({ metadata, spec }: HelmRelease): string[] {
  const { namespace = '', name = '' } = metadata;
  if (spec.chartRef !== undefined) {
    const { kind, name: chart, namespace: other } = spec.chartRef;
    return [`${kind}/${other || namespace}/${chart}`];
  }
  if (spec.chart === undefined) return [];
  const source = spec.chart.spec.sourceRef.namespace || namespace;
  return [`HelmChart/${source}/${namespace}-${name}`];
}

function configKeysOf({ metadata, spec }: HelmRelease): string[] {
  const keys = (spec.valuesFrom ?? []).map(
    ({ kind, name }) => `${kind}/${metadata.namespace}/${name}`,
  );
  const { secretRef, configMapRef } = spec.kubeConfig ?? {};
  if (secretRef !== undefined) keys.push(`Secret/${metadata.namespace}/${secretRef.name}`);
  if (configMapRef !== undefined) keys.push(`ConfigMap/${metadata.namespace}/${configMapRef.name}`);
  return keys;
}
