import { ManagedObjects, type ManagedObjectsOptions, type StageKind } from '@waygate/apply';
import { isForbidden, type KubeClient } from '@waygate/kube';
import type {
  Clock,
  Controller,
  EventRecorder,
  Operator,
  Predicate,
  SharedInformer,
  Tracer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import {
  type Kustomization,
  kustomizationGroup,
  kustomizationKind,
} from '../api/kustomization-object.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { addOwnController, type OwnControllerOptions } from '../own-controller.ts';
import { OwnObjects } from '../own-objects.ts';
import { sopsDecryptionOf } from '../sops/kustomization-decryption.ts';
import { artifactChanged } from '../wake-predicates.ts';
import type { AppliedChanges } from './apply-step.ts';
import { ClusterClients, type KubeconfigPolicy } from './cluster-clients.ts';
import { configKeysOf } from './config-sources.ts';
import { deliverySources, dependencyKeysOf } from './delivery-sources.ts';
import {
  KustomizationReconciler,
  type KustomizationReconcilerOptions,
} from './kustomization-reconciler.ts';
import { LiveClusters } from './live-clusters.ts';
import { type SourcePolicy, Sources, sourceKeyOf } from './source-lookup.ts';

/** What a user may say about how Kustomizations are reconciled. */
export interface KustomizationSettings extends SourcePolicy {
  /** Kustomizations reconciled at a time. 8. */
  readonly concurrent?: number | undefined;
  /** Objects of one Kustomization applied at a time. 4. */
  readonly concurrentApply?: number | undefined;
  /** For namespaced objects that name no namespace. Without it they are refused, as Flux does. */
  readonly defaultNamespace?: string | undefined;
  /** How long to wait for what is not there yet, should nobody tell that it came. 30 s. */
  readonly requeueDependencyMs?: number | undefined;
  /** Intervals differ by this share. 0.05. */
  readonly jitter?: number | undefined;
  /** The account of Kustomizations that name none. */
  readonly defaultServiceAccount?: string | undefined;
  /** A variable without a value and a default is an error. True by default. */
  readonly strictSubstitution?: boolean | undefined;
  /** Follows what was applied, so that drift is corrected at once and what is as wanted costs no request. True by default. */
  readonly watchManagedObjects?: boolean | undefined;
  readonly customStageKinds?: readonly StageKind[] | undefined;
  readonly overrideManagers?: readonly string[] | undefined;
  /** The pause after the first failure, which doubles, and the longest one. 750 ms and 15 min. */
  readonly minRetryMs?: number | undefined;
  readonly maxRetryMs?: number | undefined;
  /** Only objects of this namespace. All of them by default. */
  readonly namespace?: string | undefined;
  /** ConfigMaps and Secrets with these labels wake those who use them; false: none do. */
  readonly watchedConfigSelector?: string | false | undefined;
  /** A Secret with age keys that every Kustomization may be decrypted with. */
  readonly sopsAgeSecret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Told what each reconciliation changed, with how objects were before and are after. */
  readonly onApplied?: ((applied: AppliedChanges) => void) | undefined;
  /** What kubeconfigs of Kustomizations may do. Nothing of it by default. */
  readonly kubeconfigs?: KubeconfigPolicy | undefined;
  /** Told of the steps of each new revision. */
  readonly tracer?: Tracer | undefined;
}

interface KustomizationControllerOptions extends KustomizationSettings, OwnControllerOptions {
  readonly client: KubeClient;
  readonly fetcher: ArtifactFetcher;
  /** Caches of the kinds of sources that the cluster knows. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Adds the Kustomization controller to an operator. Gives back what ends what it left open. */
export function addKustomizationController(
  operator: Operator,
  options: KustomizationControllerOptions,
): () => Promise<void> {
  const { client } = options;
  const informer = operator.informerFor(kustomizationKind, {
    indexers: {
      source: (object) => [sourceKeyOf(object)],
      dependency: dependencyKeysOf,
      config: configKeysOf,
    },
  });
  const clients = new ClusterClients({
    client,
    defaultServiceAccount: options.defaultServiceAccount,
    kubeconfigs: options.kubeconfigs,
    onClose: (closed) => lives.forget(closed),
  });
  const lives = liveClusters(options, {
    onDrift: (owner) => {
      reconciler.noteDrift(owner);
      controller.enqueue(owner);
    },
    onChange: (owner) => {
      if (reconciler.isWaiting(owner)) controller.enqueue(owner);
    },
  });
  operator.manager.add({ name: 'managed-objects', run: (signal) => lives.run(signal) });
  const objects = new OwnObjects({
    client,
    kind: kustomizationKind,
    informer,
    fieldManager: 'gotk-kustomize-controller',
    clock: options.clock,
  });
  const parts = { clients, lives, objects, informer, events: operator.events };
  const reconciler = new KustomizationReconciler(reconcilerOptions(options, parts));
  const controller: Controller = addOwnController(operator, options, {
    kind: kustomizationKind,
    objects,
    concurrent: options.concurrent ?? 8,
    reconciler,
    sources: deliverySources(operator, informer, {
      ...options,
      sourceMoved: artifactChanged,
      onSource: (user, { status }) => {
        if (status?.artifact !== undefined) reconciler.noteArtifact(user, status.artifact);
      },
      dependencyMoved: readinessChanged,
    }),
  });
  return async () => {
    await clients.close();
    await reconciler.close();
  };
}

/** What was applied is followed in each cluster, so that who owns it hears of changes. */
function liveClusters(
  { client, clock, onError }: KustomizationControllerOptions,
  hears: Pick<ManagedObjectsOptions, 'onDrift' | 'onChange'>,
): LiveClusters {
  return new LiveClusters({
    client,
    follow: (followed) =>
      new ManagedObjects({
        client: followed,
        nameLabel: `${kustomizationGroup}/name`,
        namespaceLabel: `${kustomizationGroup}/namespace`,
        clock,
        // A kubeconfig need not allow to follow everything: what it does not is looked at in each pass.
        onError: followed === client ? onError : unlessForbidden(onError),
        ...hears,
      }),
  });
}

interface ReconcilerParts {
  readonly clients: ClusterClients;
  readonly lives: LiveClusters;
  readonly objects: OwnObjects<Kustomization>;
  readonly informer: SharedInformer<Kustomization>;
  readonly events: EventRecorder;
}

/** What a reconciliation is given, with what holds where nobody said anything. */
function reconcilerOptions(
  options: KustomizationControllerOptions,
  { clients, lives, objects, informer, events }: ReconcilerParts,
): KustomizationReconcilerOptions {
  const { client, fetcher, clock, random } = options;
  return {
    client,
    clients,
    liveOf: (applying) => (options.watchManagedObjects === false ? undefined : lives.of(applying)),
    objects,
    sources: new Sources(options.sources, options),
    siblingsOf: (object) =>
      informer.indexer
        .indexKeys('source', sourceKeyOf(object))
        .flatMap((key) => informer.indexer.getByKey(key) ?? []),
    fetcher,
    events,
    clock,
    random,
    jitter: options.jitter ?? 0.05,
    requeueDependencyMs: options.requeueDependencyMs ?? 30_000,
    concurrentApply: options.concurrentApply ?? 4,
    isStrictSubstitution: options.strictSubstitution ?? true,
    defaultNamespace: options.defaultNamespace,
    customStageKinds: options.customStageKinds,
    overrideManagers: options.overrideManagers,
    onApplied: options.onApplied,
    tracer: options.tracer,
    decryptionOf: (object, signal) =>
      sopsDecryptionOf(client, object, signal, options.sopsAgeSecret),
  };
}

function unlessForbidden(
  onError: ((error: unknown) => void) | undefined,
): (error: unknown) => void {
  return (error) => {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!isForbidden(error) && !isForbidden(cause)) onError?.(error);
  };
}

/** What a dependency tells its dependants: that it is there, how it is, and anything its labels and spec say. */
const readinessChanged: Predicate<Kustomization> = (event) => {
  if (event.type !== 'update') return event.type === 'add';
  const facts = ({ status, metadata }: Kustomization) =>
    JSON.stringify([
      status?.conditions?.find(({ type }) => type === 'Ready')?.status,
      status?.observedGeneration,
      status?.lastAppliedRevision,
      metadata.generation,
      metadata.labels,
      metadata.annotations,
    ]);
  return facts(event.oldObject) !== facts(event.object);
};
