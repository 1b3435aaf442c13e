import { ManagedObjects, type StageKind } from '@waygate/apply';
import { isNoMatch, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  generationChanged,
  ItemExponentialFailureRateLimiter,
  informerSource,
  type Metrics,
  Operator,
  type OperatorOptions,
  type Predicate,
  type SharedInformer,
  systemClock,
} from '@waygate/runtime';
import { type Kind, type KubeObject, parseLabelSelector, type Selector } from '@waygate/schema';
import { requestedAtAnnotation } from './api/annotations.ts';
import {
  type Kustomization,
  kustomizationGroup,
  kustomizationKind,
} from './api/kustomization-object.ts';
import {
  bucketKind,
  externalArtifactKind,
  type GitRepository,
  gitRepositoryKind,
  ociRepositoryKind,
  type SourceObject,
} from './api/source-objects.ts';
import { ArtifactFetcher } from './artifact/artifact-fetcher.ts';
import { ArtifactServer, type ArtifactServerOptions } from './artifact/artifact-server.ts';
import { ArtifactStorage } from './artifact/artifact-storage.ts';
import { GitProgram } from './git/git-program.ts';
import { ClusterClients } from './kustomization/cluster-clients.ts';
import { configKeysOf, configSources } from './kustomization/config-sources.ts';
import { KustomizationReconciler } from './kustomization/kustomization-reconciler.ts';
import { Sources, sourceKeyOf } from './kustomization/source-lookup.ts';
import { OwnObjects } from './own-objects.ts';
import { sopsDecryptorOf } from './sops/kustomization-decryption.ts';
import { GitRepositoryReconciler } from './source/git-repository-reconciler.ts';
import { LocalWatches } from './source/local-watches.ts';

export interface GitOpsControllersOptions {
  readonly client: KubeClient;
  /** Where artifacts are kept. What is in it can be made again. */
  readonly storageDirectory: string;
  /** Where artifacts are served: loopback and a free port by default. */
  readonly listen?: ArtifactServerOptions | undefined;
  /** Which controllers run. Both by default. */
  readonly controllers?: readonly ('source' | 'kustomize')[] | undefined;
  /** Lets sources name repositories of this machine. Off by default: they are the machine's, not the tenants'. */
  readonly allowFileUrls?: boolean | undefined;
  /** Watches such repositories, so that a commit is seen at once. Off by default. */
  readonly watchFileUrls?: boolean | undefined;
  /** For namespaced objects that name no namespace. Without it they are refused, as Flux does. */
  readonly defaultNamespace?: string | undefined;
  /** Kustomizations reconciled at a time. 8. */
  readonly concurrent?: number | undefined;
  /** Sources reconciled at a time. 4. */
  readonly concurrentSources?: number | undefined;
  /** Objects of one Kustomization applied at a time. 4. */
  readonly concurrentApply?: number | undefined;
  /** How long to wait for what is not there yet, should nobody tell that it came. 30 s. */
  readonly requeueDependencyMs?: number | undefined;
  /** Intervals differ by this share. 0.05. */
  readonly jitter?: number | undefined;
  /** Sources of other namespaces may not be used. */
  readonly noCrossNamespaceRefs?: boolean | undefined;
  /** The account of Kustomizations that name none. */
  readonly defaultServiceAccount?: string | undefined;
  /** Only objects with these labels are reconciled. */
  readonly labelSelector?: string | undefined;
  /** A variable without a value and a default is an error. True by default. */
  readonly strictSubstitution?: boolean | undefined;
  /** Follows what was applied, so that drift is corrected at once and what is as wanted costs no request. True by default. */
  readonly watchManagedObjects?: boolean | undefined;
  readonly customStageKinds?: readonly StageKind[] | undefined;
  readonly overrideManagers?: readonly string[] | undefined;
  readonly retentionTtlMs?: number | undefined;
  readonly retentionRecords?: number | undefined;
  readonly leaderElection?: OperatorOptions['leaderElection'];
  readonly server?: OperatorOptions['server'];
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Told of what went wrong and was survived. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The source controllers and the Kustomization controller, with the server of their artifacts.
 *
 * ```ts
 * const controllers = new GitOpsControllers({ client, storageDirectory: '/data' });
 * await controllers.run(signal);
 * ```
 */
export class GitOpsControllers {
  /** For sources of one's own, such as a `DirectorySource`. Its address is known once `ready` resolved. */
  readonly storage: ArtifactStorage;
  /** Resolves when artifacts are served. */
  readonly ready: Promise<void>;
  private readonly options: GitOpsControllersOptions;
  private readonly clock: Clock;
  private isListening: () => void = () => undefined;

  constructor(options: GitOpsControllersOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.storage = new ArtifactStorage({
      directory: options.storageDirectory,
      retentionTtlMs: options.retentionTtlMs,
      retentionRecords: options.retentionRecords,
    });
    this.ready = new Promise((resolve) => {
      this.isListening = resolve;
    });
  }

  /** Runs until the signal aborts; ends when everything has stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, metrics, onError, leaderElection = false, server } = this.options;
    const operator = new Operator({
      name: 'waygate-gitops',
      client,
      leaderElection,
      ...(clock === undefined ? {} : { clock }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(onError === undefined ? {} : { onError }),
      ...(server === undefined ? {} : { server }),
    });
    const artifacts = new ArtifactServer(this.storage, this.options.listen);
    operator.manager.add(
      { name: 'artifacts', run: (stop) => artifacts.run(stop, this.isListening) },
      'services',
    );
    const fetcher = new ArtifactFetcher({ storage: this.storage, clock: this.clock });
    const wanted = this.options.controllers ?? ['source', 'kustomize'];
    const sources = await this.sourceInformers(operator, signal);
    const cleanups: (() => void | Promise<void>)[] = [];
    if (wanted.includes('source')) {
      cleanups.push(this.addGitRepositories(operator, fetcher));
      for (const kind of ['Bucket', 'OCIRepository']) {
        const informer = sources.get(kind);
        if (informer !== undefined) tellUnsupported(operator, kind, informer);
      }
    }
    if (wanted.includes('kustomize')) {
      cleanups.push(this.addKustomizations(operator, fetcher, sources));
    }
    try {
      await operator.run(signal);
    } finally {
      for (const cleanup of cleanups) await cleanup();
    }
  }

  /** Caches of the kinds of sources that the cluster knows. */
  private async sourceInformers(
    operator: Operator,
    signal: AbortSignal,
  ): Promise<Map<string, SharedInformer<KubeObject>>> {
    const informers = new Map<string, SharedInformer<KubeObject>>();
    const known: readonly Kind<KubeObject>[] = [
      gitRepositoryKind,
      bucketKind,
      ociRepositoryKind,
      externalArtifactKind,
    ];
    for (const kind of known) {
      try {
        await this.options.client.mapper.resourceOf(kind, { signal });
        informers.set(kind.kind, operator.informerFor(kind));
      } catch (error) {
        if (!isNoMatch(error)) throw error;
      }
    }
    return informers;
  }

  private addGitRepositories(operator: Operator, fetcher: ArtifactFetcher): () => void {
    const { client, random = Math.random } = this.options;
    const informer = operator.informerFor(gitRepositoryKind);
    const isAllowed = this.options.allowFileUrls === true;
    const reconciler = new GitRepositoryReconciler({
      client,
      objects: new OwnObjects({
        client,
        kind: gitRepositoryKind,
        informer,
        fieldManager: 'source-controller',
        clock: this.clock,
      }),
      storage: this.storage,
      fetcher,
      git: new GitProgram(isAllowed ? { protocols: ['https', 'http', 'ssh', 'file'] } : {}),
      events: operator.events,
      clock: this.clock,
      random,
      allowsFileUrls: isAllowed,
      jitter: this.options.jitter ?? 0.05,
      requeueDependencyMs: this.options.requeueDependencyMs ?? 30_000,
    });
    const controller = operator.addController({
      name: 'gitrepository',
      sources: [
        informerSource(informer, { predicates: [wantsReconcile, this.shard()] }),
        informerSource(informer, {
          predicates: [artifactChanged],
          map: (object) => includersOf(informer, object),
        }),
      ],
      maxConcurrentReconciles: this.options.concurrentSources ?? 4,
      rateLimiter: new ItemExponentialFailureRateLimiter<string>(750, 900_000),
      reconcile: (key, context) => reconciler.reconcile(key, context),
    });
    if (this.options.watchFileUrls !== true || !isAllowed) return () => undefined;
    const watches = new LocalWatches((key) => controller.enqueue(key), this.clock);
    watches.follow(informer);
    return () => watches.close();
  }

  private addKustomizations(
    operator: Operator,
    fetcher: ArtifactFetcher,
    sources: ReadonlyMap<string, SharedInformer<KubeObject>>,
  ): () => Promise<void> {
    const { client, random = Math.random } = this.options;
    const informer = operator.informerFor(kustomizationKind, {
      indexers: {
        source: (object) => [sourceKeyOf(object)],
        dependency: dependencyKeysOf,
        config: configKeysOf,
      },
    });
    const clients = new ClusterClients({
      client,
      defaultServiceAccount: this.options.defaultServiceAccount,
    });
    const managed = new ManagedObjects({
      client,
      nameLabel: `${kustomizationGroup}/name`,
      namespaceLabel: `${kustomizationGroup}/namespace`,
      clock: this.clock,
      onError: this.options.onError,
      onDrift: (owner) => {
        reconciler.noteDrift(owner);
        controller.enqueue(owner);
      },
      onChange: (owner) => {
        if (reconciler.isWaiting(owner)) controller.enqueue(owner);
      },
    });
    operator.manager.add({ name: 'managed-objects', run: (signal) => managed.run(signal) });
    const reconciler = new KustomizationReconciler({
      client,
      clients,
      live: this.options.watchManagedObjects === false ? undefined : managed,
      objects: new OwnObjects({
        client,
        kind: kustomizationKind,
        informer,
        fieldManager: 'gotk-kustomize-controller',
        clock: this.clock,
      }),
      sources: new Sources(sources, this.options.noCrossNamespaceRefs !== true),
      fetcher,
      events: operator.events,
      clock: this.clock,
      random,
      jitter: this.options.jitter ?? 0.05,
      requeueDependencyMs: this.options.requeueDependencyMs ?? 30_000,
      concurrentApply: this.options.concurrentApply ?? 4,
      isStrictSubstitution: this.options.strictSubstitution ?? true,
      defaultNamespace: this.options.defaultNamespace,
      customStageKinds: this.options.customStageKinds,
      overrideManagers: this.options.overrideManagers,
      decryptorOf: (object, signal) => sopsDecryptorOf(client, object, signal),
    });
    const configs = configSources(client, informer, {
      clock: this.clock,
      onError: this.options.onError,
    });
    for (const runnable of configs.runnables) operator.manager.add(runnable, 'caches');
    const controller: Controller = operator.addController({
      name: 'kustomization',
      sources: [
        ...configs.sources,
        informerSource(informer, { predicates: [wantsReconcile, this.shard()] }),
        informerSource(informer, {
          name: 'dependencies',
          predicates: [readinessChanged],
          map: ({ metadata }) =>
            informer.indexer.indexKeys('dependency', `${metadata.namespace}/${metadata.name}`),
        }),
        ...[...sources].map(([kind, source]) =>
          informerSource(source as SharedInformer<SourceObject>, {
            name: kind,
            predicates: [artifactChanged],
            map: ({ metadata }) =>
              informer.indexer.indexKeys(
                'source',
                `${kind}/${metadata.namespace}/${metadata.name}`,
              ),
          }),
        ),
      ],
      maxConcurrentReconciles: this.options.concurrent ?? 8,
      rateLimiter: new ItemExponentialFailureRateLimiter<string>(750, 900_000),
      reconcile: (key, context) => reconciler.reconcile(key, context),
    });
    return () => clients.close();
  }

  private shard(): Predicate<KubeObject> {
    const { labelSelector } = this.options;
    if (labelSelector === undefined) return () => true;
    const selector: Selector = parseLabelSelector(labelSelector);
    return ({ object }) => selector.matches(object.metadata.labels);
  }
}

/**
 * Nobody waits in vain for an artifact: a source that these controllers do not make one of is told so,
 * unless another controller has taken it up.
 */
function tellUnsupported(
  operator: Operator,
  kind: string,
  informer: SharedInformer<KubeObject>,
): void {
  operator.addController({
    name: `unsupported-${kind.toLowerCase()}`,
    sources: [informerSource(informer, { predicates: [generationChanged] })],
    reconcile: (key) => {
      const object = informer.indexer.getByKey(key) as SourceObject | undefined;
      if (object === undefined || (object.status?.conditions ?? []).length > 0) return;
      const message = `${kind} sources are not reconciled by Waygate: use a GitRepository, or run source-controller for it`;
      operator.events.event(object, 'Warning', 'UnsupportedSource', message);
    },
  });
}

/** A new spec, a wish for a reconciliation, or the end; not what the controller wrote itself. */
const wantsReconcile: Predicate<KubeObject> = (event) => {
  if (event.type !== 'update') return true;
  const { oldObject, object } = event;
  const requestedAt = ({ metadata }: KubeObject) => metadata.annotations?.[requestedAtAnnotation];
  return (
    oldObject.metadata.generation !== object.metadata.generation ||
    oldObject.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
    requestedAt(oldObject) !== requestedAt(object)
  );
};

/** Another revision, or other files of the same one. */
const artifactChanged: Predicate<SourceObject> = (event) => {
  if (event.type !== 'update') return event.type === 'add';
  const before = event.oldObject.status?.artifact;
  const now = event.object.status?.artifact;
  return now !== undefined && (now.revision !== before?.revision || now.digest !== before?.digest);
};

/** What a dependency tells its dependants. */
const readinessChanged: Predicate<Kustomization> = (event) => {
  if (event.type !== 'update') return event.type === 'add';
  const facts = ({ status }: Kustomization) =>
    [
      status?.conditions?.find(({ type }) => type === 'Ready')?.status,
      status?.observedGeneration,
      status?.lastAppliedRevision,
    ].join(' ');
  return facts(event.oldObject) !== facts(event.object);
};

function dependencyKeysOf({ metadata, spec }: Kustomization): string[] {
  return (spec.dependsOn ?? []).map(
    ({ name, namespace }) => `${namespace || metadata.namespace}/${name}`,
  );
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
