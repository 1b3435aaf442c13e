import {
  type ApplyOutcome,
  applyObjects,
  applySelectors,
  type Change,
  compileExpression,
  emptyInventory,
  type Inventory,
  type LiveObjects,
  mergeInventories,
  printChanges,
  pruneObjects,
  type StageKind,
  staleEntries,
  withCommonMetadata,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  done,
  type EventRecorder,
  failed,
  type ReconcileContext,
  type ReconcileResult,
  requeue,
  requeueAfter,
} from '@waygate/runtime';
import { type DynamicObject, formatDuration } from '@waygate/schema';
import { secondsText } from '../api/conditions.ts';
import { type Kustomization, kustomizationGroup } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { FileTree } from '../artifact/file-tree.ts';
import { normalized } from '../artifact/file-tree.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { durationMs, jittered } from '../interval.ts';
import type { OwnObjects } from '../own-objects.ts';
import { ProgressWriter } from '../progress-writer.ts';
import { loadVariables } from '../substitution/variables.ts';
import { type BuiltManifests, buildManifests, type ManifestDecryptor } from './build-manifests.ts';
import { BuildMemory } from './build-memory.ts';
import type { ClusterClients } from './cluster-clients.ts';
import { unreadyDependency } from './dependencies.ts';
import { finalizeKustomization } from './finalize.ts';
import { type HealthProgress, HealthWaits } from './health-wait.ts';
import { withOutcome } from './history.ts';
import { KustomizationPass } from './kustomization-pass.ts';
import { PhaseError } from './phase-error.ts';
import type { Sources } from './source-lookup.ts';

export interface KustomizationReconcilerOptions {
  readonly client: KubeClient;
  readonly clients: ClusterClients;
  readonly objects: OwnObjects<Kustomization>;
  readonly sources: Sources;
  readonly fetcher: ArtifactFetcher;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly jitter: number;
  readonly requeueDependencyMs: number;
  readonly concurrentApply: number;
  readonly isStrictSubstitution: boolean;
  readonly defaultNamespace?: string | undefined;
  readonly customStageKinds?: readonly StageKind[] | undefined;
  readonly overrideManagers?: readonly string[] | undefined;
  /** Makes what takes encryption off manifests; undefined for a spec that asks for none. */
  readonly decryptorOf: (
    object: Kustomization,
    signal: AbortSignal,
  ) => Promise<ManifestDecryptor | undefined>;
  /** What is known of objects in the own cluster. */
  readonly live?: LiveObjects | undefined;
}

const fieldManager = 'kustomize-controller';
const selectors = applySelectors(kustomizationGroup);

/** Brings the cluster to what a Kustomization's source says. */
export class KustomizationReconciler {
  private readonly options: KustomizationReconcilerOptions;
  private readonly waits: HealthWaits;
  private readonly built = new BuildMemory();
  private readonly drifted = new Set<string>();

  constructor(options: KustomizationReconcilerOptions) {
    this.options = options;
    this.waits = new HealthWaits(options.clock);
  }

  /** Somebody changed an object of this Kustomization: the next pass corrects it. */
  noteDrift(key: string): void {
    this.drifted.add(key);
  }

  /** Whether a wait for health is under way, which a change of an object may end. */
  isWaiting(key: string): boolean {
    return this.waits.has(key);
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, events, clock } = this.options;
    let object = objects.get(key);
    if (object === undefined) {
      this.waits.forget(key);
      this.built.forget(key);
      return done;
    }
    if (object.metadata.deletionTimestamp !== undefined) {
      this.waits.forget(key);
      return finalizeKustomization(object, this.options, signal);
    }
    object = await objects.addFinalizer(object, signal);
    const pass = new KustomizationPass(object, events, () => clock.now());
    if (object.spec.suspend === true) {
      this.waits.forget(key);
      await objects.writeStatus(object, pass.result(), signal);
      return done;
    }
    const startedMs = clock.monotonicMs();
    const writer = new ProgressWriter(objects, object, () => pass.result(), clock);
    let result: ReconcileResult;
    try {
      result = await this.run(pass, startedMs, signal);
    } catch (error) {
      if (signal.aborted) {
        await writer.stop();
        throw error;
      }
      result = this.failedResult(pass, error);
    }
    const isReady = pass.conditions.isTrue('Ready');
    await writer.finish(pass.result(), signal);
    if (isReady) this.tellSuccess(pass, clock.monotonicMs() - startedMs);
    return result;
  }

  private async run(
    pass: KustomizationPass,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { object } = pass;
    const stalled = expressionProblem(object);
    if (stalled !== undefined) {
      pass.stall('InvalidCELExpression', stalled, true);
      pass.tell('Warning', stalled);
      return failed(new GitOpsError('WG_GITOPS_CONFIG', stalled));
    }
    const waitText = shortDuration(this.options.requeueDependencyMs);
    const lookup = this.options.sources.find(object);
    switch (lookup.kind) {
      case 'not-found':
        pass.notReady('ArtifactFailed', lookup.message);
        return requeueAfter(this.retryMs(object));
      case 'denied':
        pass.stall('AccessDenied', lookup.message, false);
        pass.tell('Warning', lookup.message);
        return failed(new GitOpsError('WG_GITOPS_CONFIG', lookup.message));
      case 'no-artifact':
        pass.notReady('ArtifactFailed', `Source artifact not found, retrying in ${waitText}`);
        return requeueAfter(this.options.requeueDependencyMs);
    }
    const { artifact } = lookup;
    pass.revision = artifact.revision;
    pass.originRevision = artifact.metadata?.['org.opencontainers.image.revision'] ?? '';
    const unready = unreadyDependency(
      object,
      artifact,
      (key) => this.options.objects.get(key),
      isReadyBy,
    );
    if (unready !== undefined) {
      const isNews = pass.conditions.get('Ready')?.message !== unready;
      pass.notReady('DependencyNotReady', unready);
      const said = `Dependencies do not meet ready condition, retrying in ${waitText}`;
      if (isNews) pass.tell('Normal', said);
      return requeueAfter(this.options.requeueDependencyMs);
    }
    return this.apply(pass, artifact, startedMs, signal);
  }

  private async apply(
    pass: KustomizationPass,
    artifact: Artifact,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { object } = pass;
    const { spec } = object;
    const waiting = pass.isRequested ? undefined : this.waits.get(pass.key, object, artifact);
    if (waiting !== undefined && !this.drifted.delete(pass.key)) {
      return this.awaitHealth(pass, waiting, signal);
    }
    this.drifted.delete(pass.key);
    const suffix = `for revision ${artifact.revision} with a timeout of ${formatDuration(healthTimeoutMs(object))}`;
    pass.progress(`Fetching manifests ${suffix}`);
    const files = await this.fetch(pass, artifact, signal);
    if (files === undefined) return requeueAfter(this.options.requeueDependencyMs);
    const path = normalized(spec.path ?? '/');
    if (!files.hasDirectory(path)) {
      throw new PhaseError('ArtifactFailed', `kustomization path not found: ${spec.path}`);
    }
    pass.status.lastAttemptedRevision = artifact.revision;
    pass.progress(`Building manifests ${suffix}`);
    const built = await this.build(object, files, path, signal);
    pass.progress(`Detecting drift ${suffix}`);
    const client = await this.clientFor(object, signal);
    const outcome = await this.applyManifests(object, client, built, signal);
    this.tellChanges(pass, outcome.changes);
    const old = object.status?.inventory ?? emptyInventory;
    const applied: Inventory = { entries: outcome.changes.map(({ entry }) => entry) };
    if (outcome.failures.length > 0) {
      // What was applied must be found again, and nothing is deleted on the word of half a set.
      pass.status.inventory = stored(mergeInventories(applied, old));
      this.record(pass, built, 'ReconciliationFailed', startedMs);
      const said = outcome.failures.map(({ message }) => message).join('\n');
      const changes = printChanges(outcome.changes);
      throw new PhaseError('ReconciliationFailed', changes === '' ? said : `${said}\n${changes}`);
    }
    pass.status.inventory = stored(applied);
    await this.prune(pass, client, old, applied, signal);
    const targets = this.waits.targetsOf(object, outcome.changes);
    const isChanged = outcome.changes.some(({ action }) => action !== 'unchanged');
    if (targets.length === 0) {
      pass.conditions.remove('Healthy');
      return this.succeed(pass, artifact, built.digest, startedMs);
    }
    const progress = this.waits.start(pass.key, object, artifact, targets, {
      digest: built.digest,
      startedMs,
      timeoutMs: healthTimeoutMs(object),
      isNews: isChanged && object.status?.lastAppliedRevision !== artifact.revision,
      wasUnhealthy: !pass.conditions.isTrue('Healthy'),
    });
    pass.progress(`Running health checks ${suffix}`);
    pass.conditions.set('Healthy', 'Unknown', 'Progressing', `Running health checks ${suffix}`);
    return this.awaitHealth(pass, progress, signal);
  }

  /** Looks once at how far things have come. The worker is free until something changes. */
  private async awaitHealth(
    pass: KustomizationPass,
    progress: HealthProgress,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { clock } = this.options;
    const client = await this.clientFor(pass.object, signal);
    const verdict = await this.waits.look(progress, client, signal);
    const took = shortDuration(clock.monotonicMs() - progress.beganMs);
    if (verdict.kind === 'waiting' && clock.monotonicMs() < progress.deadlineMs) {
      return requeueAfter(progress.nextLookMs());
    }
    this.waits.forget(pass.key);
    if (verdict.kind !== 'healthy') {
      pass.conditions.set('Healthy', 'False', 'HealthCheckFailed', verdict.message);
      this.record(pass, progress, 'HealthCheckFailed', progress.startedMs);
      throw new PhaseError(
        'HealthCheckFailed',
        `health check failed after ${took}: ${verdict.message}`,
      );
    }
    const message = `Health check passed in ${took}`;
    pass.conditions.set('Healthy', 'True', 'Succeeded', message);
    if (progress.isNews || progress.wasUnhealthy) pass.tell('Normal', message);
    return this.succeed(pass, progress.artifact, progress.digest, progress.startedMs);
  }

  private succeed(
    pass: KustomizationPass,
    artifact: Artifact,
    digest: string,
    startedMs: number,
  ): ReconcileResult {
    const { object } = pass;
    pass.status.lastAppliedRevision = artifact.revision;
    if (pass.originRevision !== '') pass.status.lastAppliedOriginRevision = pass.originRevision;
    this.record(pass, { digest }, 'ReconciliationSucceeded', startedMs);
    pass.ready(`Applied revision: ${artifact.revision}`);
    const interval = durationMs(object.spec.interval, 600_000);
    return requeueAfter(jittered(interval, this.options.jitter, this.options.random));
  }

  /** Undefined when the artifact is gone: its source is about to make a new one. */
  private async fetch(
    pass: KustomizationPass,
    artifact: Artifact,
    signal: AbortSignal,
  ): Promise<FileTree | undefined> {
    try {
      return await this.options.fetcher.fetch(artifact, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GitOpsError && error.code === 'WG_GITOPS_NOT_FOUND') {
        const wait = shortDuration(this.options.requeueDependencyMs);
        const said = `Source is not ready, artifact not found, retrying in ${wait}`;
        pass.notReady('ArtifactFailed', said);
        return undefined;
      }
      throw new PhaseError('ArtifactFailed', messageOf(error), error);
    }
  }

  private async build(
    object: Kustomization,
    files: FileTree,
    path: string,
    signal: AbortSignal,
  ): Promise<BuiltManifests> {
    const { client, decryptorOf, isStrictSubstitution } = this.options;
    const { spec, metadata } = object;
    try {
      const { namespace = '' } = metadata;
      const variables = await loadVariables(client, spec.postBuild, namespace, signal);
      const decryptor = await decryptorOf(object, signal);
      const isStrict = isStrictSubstitution;
      // Keys may change without a word, so what is decrypted is built each time.
      const key = decryptor === undefined ? `${namespace}/${metadata.name}` : undefined;
      const known = key && this.built.recall(key, object, variables, files);
      if (known) return known;
      const built = await buildManifests({ files, path, spec, variables, isStrict, decryptor });
      if (key !== undefined) this.built.remember(key, object, variables, built.reads, built);
      return built;
    } catch (error) {
      signal.throwIfAborted();
      throw new PhaseError('BuildFailed', messageOf(error), error);
    }
  }

  private async clientFor(object: Kustomization, signal: AbortSignal): Promise<KubeClient> {
    try {
      return await this.options.clients.clientFor(object, signal);
    } catch (error) {
      signal.throwIfAborted();
      const said = `failed to build kube client: ${messageOf(error)}`;
      throw new PhaseError('ReconciliationFailed', said, error);
    }
  }

  private async applyManifests(
    object: Kustomization,
    client: KubeClient,
    built: BuiltManifests,
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    const { spec } = object;
    const owned = built.objects.map((one) =>
      withCommonMetadata(withCommonMetadata(one, spec.commonMetadata ?? {}), {
        labels: ownerLabels(object),
      }),
    );
    checkEncrypted(owned);
    const isOwnCluster = client === this.options.client;
    return applyObjects(client, owned, {
      fieldManager,
      selectors,
      force: spec.force,
      defaultNamespace: this.options.defaultNamespace,
      customStageKinds: this.options.customStageKinds,
      overrideManagers: this.options.overrideManagers,
      ignoreRules: spec.ignore,
      concurrency: this.options.concurrentApply,
      live: isOwnCluster ? this.options.live : undefined,
      clock: this.options.clock,
      signal,
    });
  }

  private async prune(
    pass: KustomizationPass,
    client: KubeClient,
    old: Inventory,
    applied: Inventory,
    signal: AbortSignal,
  ): Promise<void> {
    const { object } = pass;
    if (!object.spec.prune) return;
    const stale = staleEntries(old, applied);
    if (stale.length === 0) return;
    const guard = pruneGuard(object, stale.length, old.entries.length);
    if (guard !== undefined) {
      pass.status.inventory = stored(mergeInventories(applied, old));
      throw new PhaseError('PruneFailed', guard);
    }
    const isOwnCluster = client === this.options.client;
    const outcome = await pruneObjects(client, stale, {
      selectors,
      ownerLabels: ownerLabels(object),
      live: isOwnCluster ? this.options.live : undefined,
      signal,
    });
    pass.tell('Normal', printChanges(outcome.changes, ['deleted', 'skipped']));
    if (outcome.failures.length === 0) return;
    // What could not be deleted stays ours, so that the next pass tries again.
    const gone = new Set(outcome.changes.map(({ entry }) => entry.id));
    const left = old.entries.filter(({ id }) => !gone.has(id));
    pass.status.inventory = stored(mergeInventories(applied, { entries: left }));
    const said = outcome.failures.map(({ message }) => message).join(';');
    throw new PhaseError('PruneFailed', `delete failed, errors: ${said}`);
  }

  private failedResult(pass: KustomizationPass, error: unknown): ReconcileResult {
    const reason = error instanceof PhaseError ? error.reason : 'ReconciliationFailed';
    pass.notReady(reason, messageOf(error));
    pass.tell('Warning', messageOf(error));
    if (reason === 'HealthCheckCanceled') return requeue;
    return requeueAfter(this.retryMs(pass.object));
  }

  private retryMs({ spec }: Kustomization): number {
    return durationMs(spec.retryInterval, durationMs(spec.interval, 600_000));
  }

  private record(
    pass: KustomizationPass,
    built: { readonly digest: string },
    status: string,
    startedMs: number,
  ): void {
    const { clock } = this.options;
    pass.status.history = withOutcome(pass.status.history ?? [], {
      digest: built.digest,
      status,
      time: secondsText(clock.now()),
      duration: formatDuration(Math.round(clock.monotonicMs() - startedMs)),
      metadata: {
        revision: pass.revision,
        ...(pass.originRevision === '' ? {} : { originRevision: pass.originRevision }),
      },
    });
  }

  private tellChanges(pass: KustomizationPass, changes: readonly Change[]): void {
    pass.tell('Normal', printChanges(changes));
  }

  private tellSuccess(pass: KustomizationPass, tookMs: number): void {
    const next = formatDuration(durationMs(pass.object.spec.interval, 600_000));
    const said = `Reconciliation finished in ${shortDuration(tookMs)}, next run in ${next}`;
    pass.tell('Normal', said, { commit_status: 'update' });
  }
}

export function ownerLabels({ metadata }: Kustomization): Record<string, string> {
  return {
    [`${kustomizationGroup}/name`]: metadata.name ?? '',
    [`${kustomizationGroup}/namespace`]: metadata.namespace ?? '',
  };
}

/** An encrypted Secret is never applied as it is: it would replace the one that works. */
function checkEncrypted(objects: readonly DynamicObject[]): void {
  for (const object of objects) {
    if (object.kind !== 'Secret' || object.sops === undefined) continue;
    const { namespace, name } = object.metadata;
    throw new PhaseError(
      'ReconciliationFailed',
      `Secret/${namespace}/${name} is SOPS encrypted, configuring decryption is required for this secret to be reconciled`,
    );
  }
}

/** The annotation that says which share of its objects a Kustomization may delete at once. */
const pruneLimitAnnotation = 'waygate.dev/prune-limit';

function pruneGuard({ metadata }: Kustomization, stale: number, all: number): string | undefined {
  const text = metadata.annotations?.[pruneLimitAnnotation];
  if (text === undefined) return undefined;
  const found = /^(\d{1,3})%$/.exec(text.trim());
  const limit = found === null ? 0 : Number(found[1]);
  if (found !== null && (stale * 100) / Math.max(all, 1) <= limit) return undefined;
  return `pruning ${stale} of ${all} objects is more than the annotation ${pruneLimitAnnotation}: "${text}" allows; raise it if this is meant`;
}

function expressionProblem({ spec }: Kustomization): string | undefined {
  try {
    HealthWaits.ruleOf(spec);
    for (const { readyExpr } of spec.dependsOn ?? []) {
      if (readyExpr !== undefined && readyExpr !== '') compileExpression(readyExpr);
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function isReadyBy(expression: string, self: Kustomization, dep: Kustomization): boolean {
  try {
    return compileExpression(expression).evaluate({ self, dep });
  } catch {
    return false;
  }
}

/** At least half a minute, whatever the spec says. */
export function healthTimeoutMs({ spec }: Kustomization): number {
  const fallback = durationMs(spec.interval, 600_000) - 30_000;
  return Math.max(durationMs(spec.timeout, fallback), 30_000);
}

function shortDuration(ms: number): string {
  return formatDuration(ms >= 1000 ? Math.round(ms / 10) * 10 : Math.round(ms));
}

function stored({ entries }: Inventory) {
  return { entries: entries.map(({ id, v }) => ({ id, v })) };
}
