import {
  type ApplyOutcome,
  type Change,
  emptyInventory,
  type Inventory,
  type InventoryObject,
  mergeInventories,
  printChanges,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import {
  done,
  type EventRecorder,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type Tracer,
} from '@waygate/runtime';
import { formatDuration } from '@waygate/text';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { messageOf } from '../gitops-error.ts';
import { jittered } from '../interval.ts';
import type { OwnObjects } from '../own-objects.ts';
import { ProgressWriter } from '../progress-writer.ts';
import { type ApplyStepOptions, applyManifests } from './apply-step.ts';
import { ArtifactFetches } from './artifact-fetches.ts';
import { fetchSource, type SourceFiles } from './artifact-step.ts';
import type { BuiltManifests } from './build-manifests.ts';
import { ManifestBuilder, type ManifestBuilderOptions } from './build-step.ts';
import type { ClusterClients } from './cluster-clients.ts';
import { unreadyDependency } from './dependencies.ts';
import { isReportOnly, reportDrift, wasApplied } from './drift-report.ts';
import { finalizeKustomization } from './finalize.ts';
import { claimsOf } from './handover.ts';
import { type HealthProgress, HealthWaits } from './health-wait.ts';
import { KustomizationPass } from './kustomization-pass.ts';
import { healthTimeoutMs, intervalMs, retryMs, shortDuration } from './kustomization-timing.ts';
import { appliedFacts, builtFacts, PassTrace, passOf } from './pass-trace.ts';
import { PhaseError } from './phase-error.ts';
import { pruneStale } from './prune-step.ts';
import { expressionProblem, readyExpressions } from './ready-expressions.ts';
import { type BuiltFrom, lookAgain } from './second-look.ts';
import type { Sources } from './source-lookup.ts';
import { stalled } from './stalled.ts';

export interface KustomizationReconcilerOptions extends ApplyStepOptions, ManifestBuilderOptions {
  readonly client: KubeClient;
  readonly clients: ClusterClients;
  readonly objects: OwnObjects<Kustomization>;
  readonly sources: Sources;
  readonly fetcher: ArtifactFetcher;
  readonly events: EventRecorder;
  readonly random: () => number;
  readonly jitter: number;
  readonly requeueDependencyMs: number;
  /** All Kustomizations of the same source. */
  readonly siblingsOf: (object: Kustomization) => readonly Kustomization[];
  readonly tracer?: Tracer | undefined;
}

/** Brings the cluster to what a Kustomization's source says. */
export class KustomizationReconciler {
  readonly #options: KustomizationReconcilerOptions;
  readonly #waits: HealthWaits;
  readonly #builder: ManifestBuilder;
  readonly #drifted = new Set<string>();
  readonly #fetches = new ArtifactFetches();

  constructor(options: KustomizationReconcilerOptions) {
    this.#options = options;
    this.#waits = new HealthWaits(options.clock);
    this.#builder = new ManifestBuilder(options);
  }

  /** Somebody changed an object of this Kustomization: the next pass corrects it. */
  noteDrift(key: string): void {
    this.#drifted.add(key);
  }

  /** The source of this Kustomization has another artifact: nobody waits for the old one. */
  noteArtifact(key: string, artifact: Artifact): void {
    this.#fetches.note(key, artifact);
  }

  /** Whether a wait for health is under way, which a change of an object may end. */
  isWaiting(key: string): boolean {
    return this.#waits.has(key);
  }

  async close(): Promise<void> {
    await this.#builder.close();
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, events, clock } = this.#options;
    let object = objects.get(key);
    if (object === undefined) {
      this.#forget(key);
      return done;
    }
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#waits.forget(key);
      const options = this.#options;
      const builder = this.#builder;
      return finalizeKustomization(object, { ...options, builder }, signal);
    }
    object = await objects.addFinalizer(object, signal);
    const pass = new KustomizationPass(object, events, () => clock.now());
    if (object.spec.suspend === true) {
      this.#waits.forget(key);
      await objects.writeStatus(object, pass.result(), signal);
      return done;
    }
    const startedMs = clock.monotonicMs();
    const writer = new ProgressWriter(objects, object, () => pass.interim(), clock);
    let result: ReconcileResult;
    try {
      result = await this.#run(pass, writer, startedMs, signal);
    } catch (error) {
      if (signal.aborted) {
        await writer.stop();
        throw error;
      }
      result = this.#failedResult(pass, error);
    }
    const isReady = pass.conditions.isTrue('Ready');
    await writer.finish(pass.isWaiting ? pass.interim() : pass.result(), signal);
    if (isReady) this.#tellSuccess(pass, clock.monotonicMs() - startedMs);
    return result;
  }

  #forget(key: string): void {
    this.#waits.forget(key);
    this.#builder.forget(key);
    this.#drifted.delete(key);
  }

  /** What must be there before anything is fetched: expressions, the source, dependencies. */
  async #run(
    pass: KustomizationPass,
    writer: ProgressWriter<Kustomization>,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { object } = pass;
    const { requeueDependencyMs, sources, objects } = this.#options;
    const problem = expressionProblem(object);
    if (problem !== undefined) return stalled(pass, 'InvalidCELExpression', problem, true);
    const waitText = shortDuration(requeueDependencyMs);
    const lookup = sources.find(object);
    switch (lookup.kind) {
      case 'not-found':
        pass.notReady('ArtifactFailed', lookup.message);
        return requeueAfter(retryMs(object));
      case 'denied':
        return stalled(pass, 'AccessDenied', lookup.message, false);
      case 'no-artifact':
        pass.notReady('ArtifactFailed', `Source artifact not found, retrying in ${waitText}`);
        return requeueAfter(requeueDependencyMs);
    }
    const { artifact, source } = lookup;
    pass.revision = artifact.revision;
    pass.originRevision = artifact.metadata?.['org.opencontainers.image.revision'] ?? '';
    const unready = unreadyDependency(
      object,
      artifact,
      (key) => objects.get(key),
      readyExpressions(),
    );
    if (unready !== undefined) {
      const isNews = pass.conditions.get('Ready')?.message !== unready;
      pass.notReady('DependencyNotReady', unready);
      const said = `Dependencies do not meet ready condition, retrying in ${waitText}`;
      if (isNews) pass.tell('Normal', said);
      return requeueAfter(requeueDependencyMs);
    }
    const { tracer, clock } = this.#options;
    const { revision } = artifact;
    const trace = new PassTrace(tracer, clock, passOf(object, revision), source, revision);
    return this.#bringAbout(pass, artifact, trace, writer, startedMs, signal);
  }

  /** Fetch, build, apply, prune; then wait for health. */
  async #bringAbout(
    pass: KustomizationPass,
    artifact: Artifact,
    trace: PassTrace,
    writer: ProgressWriter<Kustomization>,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { object } = pass;
    const { fetcher, requeueDependencyMs } = this.#options;
    const waiting = this.#waits.get(pass.key, object, artifact);
    const isDrifted = this.#drifted.delete(pass.key);
    if (waiting !== undefined && !isDrifted) return this.#awaitHealth(pass, waiting, signal);
    const timeout = formatDuration(healthTimeoutMs(object));
    const suffix = `for revision ${artifact.revision} with a timeout of ${timeout}`;
    pass.progress(`Fetching manifests ${suffix}`);
    const fetch = this.#fetches.start(pass.key, artifact, signal);
    let source: SourceFiles | undefined;
    try {
      const download = () => fetchSource(fetcher, object, artifact, fetch.signal);
      source = await trace.step('download', fetch.signal, download);
    } catch (error) {
      if (fetch.isReplaced) return this.#run(pass, writer, startedMs, signal);
      throw error;
    } finally {
      fetch[Symbol.dispose]();
    }
    if (source === undefined) {
      const wait = shortDuration(requeueDependencyMs);
      const said = `Source is not ready, artifact not found, retrying in ${wait}`;
      pass.notReady('ArtifactFailed', said);
      return requeueAfter(requeueDependencyMs);
    }
    pass.status.lastAttemptedRevision = artifact.revision;
    pass.progress(`Building manifests ${suffix}`);
    const { files, path } = source;
    const build = () => this.#builder.build(object, { files, path }, signal);
    const built = await trace.step('build', signal, build, builtFacts);
    pass.progress(`Detecting drift ${suffix}`);
    const client = await this.#clientFor(object, signal);
    const isReport = isReportOnly(object) && wasApplied(object, built.digest);
    const from = { artifact, files };
    const apply = () => this.#applyAndPrune(pass, client, built, from, writer, startedMs, signal);
    const changes = isReport
      ? await this.#compare(pass, client, built, startedMs, signal)
      : await trace.step('apply', signal, apply, appliedFacts);
    const targets = this.#waits.targetsOf(object, changes);
    if (targets.length === 0) {
      pass.conditions.remove('Healthy');
      return this.#succeed(pass, artifact, built.digest, startedMs);
    }
    const isChanged = changes.some(({ action }) => action !== 'unchanged');
    const progress = this.#waits.start(pass.key, object, artifact, targets, {
      digest: built.digest,
      startedMs,
      timeoutMs: healthTimeoutMs(object),
      isNews: isChanged && object.status?.lastAppliedRevision !== artifact.revision,
      wasUnhealthy: !pass.conditions.isTrue('Healthy'),
    });
    pass.progress(`Running health checks ${suffix}`);
    pass.conditions.set('Healthy', 'Unknown', 'Progressing', `Running health checks ${suffix}`);
    return this.#awaitHealth(pass, progress, signal);
  }

  async #applyAndPrune(
    pass: KustomizationPass,
    client: KubeClient,
    built: BuiltManifests,
    from: BuiltFrom,
    writer: ProgressWriter<Kustomization>,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<readonly Change[]> {
    const { object } = pass;
    const before = object.status?.inventory ?? emptyInventory;
    let known: Inventory = before;
    // What is created is in the inventory first: a crash in between leaves nothing that nobody owns.
    const onCreating = async (changes: readonly Change[]) => {
      const creating: Inventory = { entries: changes.map(({ entry }) => entry) };
      const all = mergeInventories(known, creating);
      if (all.entries.length === known.entries.length) return;
      known = all;
      pass.setInventory(all);
      await writer.save(pass.interim(), signal);
    };
    const { objects } = built;
    const call = { client, objects, onCreating, signal };
    const outcome = await applyManifests(object, call, this.#options);
    pass.tell('Normal', printChanges(outcome.changes));
    const applied: Inventory = { entries: outcome.changes.map(({ entry }) => entry) };
    if (outcome.failures.length > 0) {
      // What was applied must be found again, and nothing is deleted on the word of half a set.
      pass.setInventory(mergeInventories(applied, known));
      throw this.#refused(pass, outcome, built, startedMs);
    }
    pass.setInventory(applied);
    pass.conditions.remove('Drifted');
    const live = this.#options.liveOf?.(client);
    const confirm = () => lookAgain(pass, from, this.#options, signal);
    const options = this.#options;
    const builder = this.#builder;
    const claims = (stale: readonly InventoryObject[]) =>
      claimsOf(object, from.artifact, stale, { ...options, builder }, signal);
    const pruning = { client, before, applied, live, confirm, claimsOf: claims, signal };
    const pruned = await pruneStale(pass, pruning);
    options.onApplied?.({
      object,
      revision: from.artifact.revision,
      isDrift: wasApplied(object, built.digest),
      changes: [...outcome.changes, ...pruned],
    });
    return outcome.changes;
  }

  /** Tells what differs from what was applied, and leaves it so. */
  async #compare(
    pass: KustomizationPass,
    client: KubeClient,
    built: BuiltManifests,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<readonly Change[]> {
    const call = { client, objects: built.objects, isPreview: true, signal };
    const outcome = await applyManifests(pass.object, call, this.#options);
    if (outcome.failures.length > 0) throw this.#refused(pass, outcome, built, startedMs);
    reportDrift(pass, outcome.changes);
    return outcome.changes;
  }

  #refused(
    pass: KustomizationPass,
    outcome: ApplyOutcome,
    built: BuiltManifests,
    startedMs: number,
  ): PhaseError {
    this.#record(pass, built.digest, 'ReconciliationFailed', startedMs);
    const said = outcome.failures.map(({ message }) => message).join('\n');
    return new PhaseError('ReconciliationFailed', `${said}\n${printChanges(outcome.changes)}`);
  }

  /** Looks once at how far things have come. The worker is free until something changes. */
  async #awaitHealth(
    pass: KustomizationPass,
    progress: HealthProgress,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { clock } = this.#options;
    const client = await this.#clientFor(pass.object, signal);
    const verdict = await this.#waits.look(progress, client, signal);
    const took = shortDuration(clock.monotonicMs() - progress.beganMs);
    if (verdict.kind === 'waiting' && clock.monotonicMs() < progress.deadlineMs) {
      pass.isWaiting = true;
      return requeueAfter(progress.nextLookMs());
    }
    this.#waits.forget(pass.key);
    if (verdict.kind !== 'healthy') {
      pass.conditions.set('Healthy', 'False', 'HealthCheckFailed', verdict.message);
      this.#record(pass, progress.digest, 'HealthCheckFailed', progress.startedMs);
      throw new PhaseError(
        'HealthCheckFailed',
        `health check failed after ${took}: ${verdict.message}`,
      );
    }
    const message = `Health check passed in ${took}`;
    pass.conditions.set('Healthy', 'True', 'Succeeded', message);
    if (progress.isNews || progress.wasUnhealthy) pass.tell('Normal', message);
    return this.#succeed(pass, progress.artifact, progress.digest, progress.startedMs);
  }

  #succeed(
    pass: KustomizationPass,
    artifact: Artifact,
    digest: string,
    startedMs: number,
  ): ReconcileResult {
    const { jitter, random } = this.#options;
    pass.status.lastAppliedRevision = artifact.revision;
    if (pass.originRevision !== '') pass.status.lastAppliedOriginRevision = pass.originRevision;
    this.#record(pass, digest, 'ReconciliationSucceeded', startedMs);
    pass.ready(`Applied revision: ${artifact.revision}`);
    return requeueAfter(jittered(intervalMs(pass.object), jitter, random));
  }

  async #clientFor(object: Kustomization, signal: AbortSignal): Promise<KubeClient> {
    try {
      return await this.#options.clients.clientFor(object, signal);
    } catch (error) {
      signal.throwIfAborted();
      const said = `failed to build kube client: ${messageOf(error)}`;
      throw new PhaseError('ReconciliationFailed', said, error);
    }
  }

  #failedResult(pass: KustomizationPass, error: unknown): ReconcileResult {
    const reason = error instanceof PhaseError ? error.reason : 'ReconciliationFailed';
    const message = messageOf(error).trimEnd();
    pass.notReady(reason, message);
    pass.tell('Warning', message);
    return requeueAfter(retryMs(pass.object));
  }

  #record(pass: KustomizationPass, digest: string, status: string, startedMs: number): void {
    const { clock } = this.#options;
    pass.record(digest, status, clock.now(), clock.monotonicMs() - startedMs);
  }

  #tellSuccess(pass: KustomizationPass, tookMs: number): void {
    const next = formatDuration(intervalMs(pass.object));
    const said = `Reconciliation finished in ${shortDuration(tookMs)}, next run in ${next}`;
    pass.tell('Normal', said, { commit_status: 'update' });
  }
}
