import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  type EventRecorder,
  informerSource,
  type Operator,
  type SharedInformer,
  type Source,
  type Tracer,
} from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import {
  type HelmChart,
  type HelmRepository,
  helmChartKind,
  helmRepositoryKind,
} from '../api/helm-objects.ts';
import {
  bucketKind,
  type GitRepository,
  gitRepositoryKind,
  ociRepositoryKind,
  type SourceStatus,
} from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import type { SshAlgorithms } from '../git/git-credentials.ts';
import { GitProgram } from '../git/git-program.ts';
import { addOwnController, type OwnControllerOptions } from '../own-controller.ts';
import { OwnObjects } from '../own-objects.ts';
import { artifactChanged, wantsReconcile } from '../wake-predicates.ts';
import { BucketWorker } from './bucket-worker.ts';
import { type ChartSizeLimits, ChartSizes } from './chart-repository.ts';
import { GitRepositoryWorker } from './git-repository-worker.ts';
import { HelmChartWorker } from './helm-chart-worker.ts';
import { HelmRepositoryWorker } from './helm-repository-worker.ts';
import { LocalWatches } from './local-watches.ts';
import { OciRepositoryWorker } from './oci-repository-worker.ts';
import { type ReconciledSource, SourceReconciler, type SourceWorker } from './source-reconciler.ts';
import { SourceSecrets } from './source-secrets.ts';

interface SourceControllersOptions extends OwnControllerOptions {
  readonly client: KubeClient;
  readonly storage: ArtifactStorage;
  readonly fetcher: ArtifactFetcher;
  readonly events: EventRecorder;
  /** Caches of the kinds of sources that the cluster knows. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly allowFileUrls?: boolean | undefined;
  readonly watchFileUrls?: boolean | undefined;
  readonly concurrentSources?: number | undefined;
  readonly sshAlgorithms?: SshAlgorithms | undefined;
  /** How much of indexes and charts is read. */
  readonly chartSizes?: Partial<ChartSizeLimits> | undefined;
  readonly requeueDependencyMs?: number | undefined;
  readonly jitter?: number | undefined;
  readonly tracer?: Tracer | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Adds a controller for each kind of source that the cluster knows. Gives back what ends them. */
export function addSourceControllers(
  operator: Operator,
  options: SourceControllersOptions,
): () => void {
  const { client, storage, clock, sources } = options;
  const secrets = new SourceSecrets(client);
  const controllers = new Map<string, Controller>();
  // An artifact that somebody found spoilt is made again now, and not at the next interval.
  storage.onDamaged = (path) => {
    const [kind = '', namespace, name] = path.split('/');
    controllers.get(kind)?.enqueue(`${namespace}/${name}`);
  };
  const cleanups: (() => void)[] = [];
  if (sources.has('GitRepository')) {
    const { controller, close } = addGitRepositories(operator, options, secrets);
    controllers.set('gitrepository', controller);
    cleanups.push(close);
  }
  if (sources.has('OCIRepository')) {
    const worker = new OciRepositoryWorker({ secrets, storage, clock });
    const controller = addController(operator, options, ociRepositoryKind, () => worker);
    controllers.set('ocirepository', controller);
    cleanups.push(() => worker.close());
  }
  if (sources.has('Bucket')) {
    const worker = new BucketWorker({ secrets, storage, clock });
    controllers.set(
      'bucket',
      addController(operator, options, bucketKind, () => worker),
    );
  }
  if (sources.has('HelmRepository')) {
    controllers.set('helmrepository', addHelmRepositories(operator, options, secrets));
  }
  if (sources.has('HelmChart')) {
    controllers.set('helmchart', addHelmCharts(operator, options, secrets));
  }
  return () => {
    for (const cleanup of cleanups) cleanup();
  };
}

function addGitRepositories(
  operator: Operator,
  options: SourceControllersOptions,
  secrets: SourceSecrets,
): { controller: Controller; close: () => void } {
  const { storage, fetcher, clock } = options;
  const informer = operator.informerFor(gitRepositoryKind);
  const allowsFileUrls = options.allowFileUrls === true;
  const git = new GitProgram(allowsFileUrls ? { protocols: ['https', 'http', 'ssh', 'file'] } : {});
  const controller = addController(
    operator,
    options,
    gitRepositoryKind,
    (objects) =>
      new GitRepositoryWorker({
        secrets,
        repositoryOf: (key) => objects.get(key),
        storage,
        fetcher,
        git,
        allowsFileUrls,
        sshAlgorithms: options.sshAlgorithms,
        clock,
      }),
    informerSource(informer, {
      name: 'includes',
      predicates: [artifactChanged],
      map: (object) => includersOf(informer, object),
    }),
  );
  if (options.watchFileUrls !== true || !allowsFileUrls)
    return { controller, close: () => undefined };
  const watches = new LocalWatches((key) => controller.enqueue(key), clock);
  watches.follow(informer);
  return { controller, close: () => watches.close() };
}

function addHelmRepositories(
  operator: Operator,
  options: SourceControllersOptions,
  secrets: SourceSecrets,
): Controller {
  const { storage, chartSizes } = options;
  const sizes = new ChartSizes(chartSizes);
  const worker = new HelmRepositoryWorker({ secrets, storage, sizes });
  // A place in a registry has no index: there is nothing to fetch and nothing to say of it.
  const isOurs = (object: KubeObject) => {
    const { spec, metadata } = object as HelmRepository;
    const isStatic = spec.type === 'oci' && metadata.deletionTimestamp === undefined;
    return !isStatic && options.isOurs(object);
  };
  return addController(operator, { ...options, isOurs }, helmRepositoryKind, () => worker);
}

function addHelmCharts(
  operator: Operator,
  options: SourceControllersOptions,
  secrets: SourceSecrets,
): Controller {
  const { storage, fetcher, clock, sources } = options;
  const sizes = new ChartSizes(options.chartSizes);
  const informer = operator.informerFor(helmChartKind);
  const kinds = ['HelmRepository', 'GitRepository', 'Bucket'].filter((kind) => sources.has(kind));
  const known = new Map(kinds.map((kind) => [kind, sources.get(kind)!]));
  const worker = new HelmChartWorker({ secrets, storage, fetcher, sources: known, clock, sizes });
  const wakes = [...known].map(([kind, source]) =>
    informerSource(source, {
      name: `${kind.toLowerCase()}-charts`,
      predicates: [artifactChanged],
      map: (object) => chartsOf(informer, kind, object),
    }),
  );
  return addController(operator, options, helmChartKind, () => worker, ...wakes);
}

/** The charts that come from a source. */
function chartsOf(
  informer: SharedInformer<HelmChart>,
  kind: string,
  { metadata: { namespace, name } }: KubeObject,
): string[] {
  return informer.indexer
    .list()
    .filter(({ metadata, spec: { sourceRef } }) => {
      return metadata.namespace === namespace && sourceRef.kind === kind && sourceRef.name === name;
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

function addController<T extends ReconciledSource<S>, S extends SourceStatus>(
  operator: Operator,
  options: SourceControllersOptions,
  kind: Kind<T>,
  workerOf: (objects: OwnObjects<T>) => SourceWorker<T, S>,
  ...more: Source<string>[]
): Controller {
  const { client, clock, storage, random } = options;
  const informer = operator.informerFor(kind);
  const fieldManager = 'source-controller';
  const objects = new OwnObjects<T>({ client, kind, informer, fieldManager, clock });
  const reconciler = new SourceReconciler<T, S>({
    worker: workerOf(objects),
    objects,
    storage,
    events: options.events,
    clock,
    random,
    jitter: options.jitter ?? 0.05,
    requeueDependencyMs: options.requeueDependencyMs ?? 30_000,
    tracer: options.tracer,
  });
  return addOwnController(operator, options, {
    kind,
    objects,
    concurrent: options.concurrentSources ?? 4,
    reconciler,
    sources: [informerSource(informer, { predicates: [wantsReconcile] }), ...more],
  });
}

function includersOf(informer: SharedInformer<GitRepository>, included: GitRepository): string[] {
  const { namespace, name } = included.metadata;
  return informer.indexer
    .list()
    .filter(({ metadata, spec }) => {
      if (metadata.namespace !== namespace) return false;
      return (spec.include ?? []).some(({ repository }) => repository.name === name);
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
