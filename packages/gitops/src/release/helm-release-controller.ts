import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  done,
  ItemExponentialFailureRateLimiter,
  informerSource,
  type Operator,
  type SharedInformer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { type HelmRelease, helmChartKind, helmReleaseKind } from '../api/helm-objects.ts';
import type { SourceObject } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { ErrorSubject } from '../gitops-error.ts';
import { ClusterClients, type KubeconfigPolicy } from '../kustomization/cluster-clients.ts';
import { configSources } from '../kustomization/config-sources.ts';
import type { ReconcileMetrics } from '../metrics.ts';
import { OwnObjects } from '../own-objects.ts';
import { wantsReconcile } from '../wake-predicates.ts';
import { ChartLoader } from './chart-loader.ts';
import { ChartTemplates } from './chart-template.ts';
import { HelmReleaseReconciler } from './helm-release-reconciler.ts';

interface HelmReleaseControllerOptions {
  readonly client: KubeClient;
  readonly fetcher: ArtifactFetcher;
  /** Caches of the kinds of sources that the cluster knows; HelmChart is among them. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly reconcileMetrics: ReconcileMetrics;
  readonly isOurs: (object: KubeObject) => boolean;
  readonly wakes?:
    | (<T extends KubeObject>(controller: Controller, objects: OwnObjects<T>) => void)
    | undefined;
  /** HelmReleases reconciled at a time. 4. */
  readonly concurrentReleases?: number | undefined;
  readonly defaultServiceAccount?: string | undefined;
  readonly kubeconfigs?: KubeconfigPolicy | undefined;
  readonly noCrossNamespaceRefs?: boolean | undefined;
  readonly requeueDependencyMs?: number | undefined;
  readonly minRetryMs?: number | undefined;
  readonly maxRetryMs?: number | undefined;
  readonly jitter?: number | undefined;
  readonly namespace?: string | undefined;
  readonly watchedConfigSelector?: string | false | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onError?: ((error: unknown, about?: ErrorSubject) => void) | undefined;
}

/** Adds the HelmRelease controller to an operator. Gives back what ends what it left open. */
export function addHelmReleaseController(
  operator: Operator,
  options: HelmReleaseControllerOptions,
): () => Promise<void> {
  const { client, sources, clock, onError } = options;
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
  });
  const configs = configSources(client, informer, {
    clock,
    onError,
    namespace: options.namespace,
    selector: options.watchedConfigSelector,
  });
  for (const runnable of configs.runnables) operator.manager.add(runnable, 'caches');
  const controller = operator.addController({
    name: 'helmrelease',
    onError: (error, key) => onError?.(error, { kind: 'HelmRelease', key }),
    sources: [
      informerSource(informer, { predicates: [wantsReconcile] }),
      informerSource(informer, {
        name: 'dependencies',
        predicates: [(event) => event.type === 'update' && isReady(event.object)],
        map: (object) => informer.indexer.indexKeys('dependency', keyOf(object)),
      }),
      ...[...sources].map(([kind, source]) =>
        informerSource(source, {
          name: kind.toLowerCase(),
          predicates: [sourceMoved],
          map: (object) => informer.indexer.indexKeys('source', `${kind}/${keyOf(object)}`),
        }),
      ),
      ...configs.sources,
    ],
    maxConcurrentReconciles: options.concurrentReleases ?? 4,
    rateLimiter: new ItemExponentialFailureRateLimiter<string>(
      options.minRetryMs ?? 750,
      options.maxRetryMs ?? 900_000,
    ),
    reconcile: options.reconcileMetrics.timed(helmReleaseKind, informer, (key, context) => {
      const object = informer.indexer.getByKey(key);
      if (object !== undefined && !options.isOurs(object)) return done;
      return reconciler.reconcile(key, context);
    }),
  });
  options.wakes?.(controller, objects);
  return () => clients.close();
}

/** Another artifact, or one that is ready at last. */
function sourceMoved(event: {
  readonly type: string;
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
}): boolean {
  if (event.type !== 'update') return event.type === 'add';
  const now = (event.object as SourceObject).status;
  const before = (event.oldObject as SourceObject).status;
  return (
    now?.artifact?.digest !== before?.artifact?.digest ||
    now?.artifact?.revision !== before?.artifact?.revision ||
    now?.observedGeneration !== before?.observedGeneration ||
    readyMessageOf(now) !== readyMessageOf(before)
  );
}

/** Why a source is not ready is what those who wait for it tell. */
function readyMessageOf(status: SourceObject['status']): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? ready.message : undefined;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
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

function dependencyKeysOf({ metadata, spec }: HelmRelease): string[] {
  return (spec.dependsOn ?? []).map(
    ({ name, namespace }) => `${namespace || metadata.namespace}/${name}`,
  );
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
