import {
  type Clock,
  done,
  type EventRecorder,
  failed,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type Tracer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Artifact, SourceStatus } from '../api/source-objects.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { durationMs, jittered } from '../interval.ts';
import type { OwnObjects } from '../own-objects.ts';
import { ProgressWriter } from '../progress-writer.ts';
import { SourceFailure } from './source-failure.ts';
import { SourcePass } from './source-pass.ts';
import { traceFetch } from './source-trace.ts';

/** A source that this reconciles: what its controllers share of their specs. */
export interface ReconciledSource<S extends SourceStatus> extends KubeObject {
  spec: { interval: string; timeout?: string; suspend?: boolean };
  status?: S;
}

/** What a pass came to, in the words that each kind of source has for it. */
export interface SourceOutcome {
  /** For the conditions: `stored artifact for revision '…'`. */
  readonly stored: string;
  /** Of the conditions, and of the event of a new artifact. `Succeeded` and `NewArtifact`. */
  readonly reason?: string | undefined;
  /** For the event of a new artifact, and of one that could be had again. */
  readonly event: string;
  /** Who wrote what was fetched, where the source knows. */
  readonly author?: string | undefined;
  /** What to tell when nothing had to be made and somebody asked. */
  readonly unchanged?: { readonly reason: string; readonly message: string } | undefined;
}

/** What differs between kinds of sources. */
export interface SourceWorker<T extends ReconciledSource<S>, S extends SourceStatus> {
  readonly kind: string;
  /**
   * Sets the artifact of the status to what the object asks for.
   *
   * @throws SourceFailure for everything that people should know
   */
  update(object: T, pass: SourcePass<S>, signal: AbortSignal): Promise<SourceOutcome>;
  /** A failure that the worker did not put into words. */
  explain(error: unknown): SourceFailure;
  /** Forgets what it keeps for an object. */
  forget(object: T): Promise<void>;
}

interface SourceReconcilerOptions<T extends ReconciledSource<S>, S extends SourceStatus> {
  readonly worker: SourceWorker<T, S>;
  readonly objects: OwnObjects<T>;
  readonly storage: ArtifactStorage;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly jitter: number;
  readonly requeueDependencyMs: number;
  readonly tracer?: Tracer | undefined;
}

/** The life of a source, whatever its kind: finalizer, storage, conditions, events and retries. */
export class SourceReconciler<T extends ReconciledSource<S>, S extends SourceStatus> {
  readonly #options: SourceReconcilerOptions<T, S>;

  constructor(options: SourceReconcilerOptions<T, S>) {
    this.#options = options;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, clock } = this.#options;
    let object = objects.get(key);
    if (object === undefined) return done;
    if (object.metadata.deletionTimestamp !== undefined) return this.#remove(object, signal);
    object = await objects.addFinalizer(object, signal);
    if (object.spec.suspend === true) return done;
    const pass = new SourcePass<S>(object, () => clock.now());
    pass.begin();
    await this.#collectGarbage(object, pass);
    await this.#checkStorage(object, pass);
    return this.#update(object, pass, signal);
  }

  async #update(object: T, pass: SourcePass<S>, signal: AbortSignal): Promise<ReconcileResult> {
    const { objects, clock, worker, random, jitter } = this.#options;
    const writer = new ProgressWriter(objects, object, () => pass.interim(), clock);
    const startMs = clock.now();
    let outcome: SourceOutcome;
    try {
      outcome = await worker.update(object, pass, signal);
    } catch (error) {
      await writer.stop();
      signal.throwIfAborted();
      const failure = error instanceof SourceFailure ? error : worker.explain(error);
      pass.fail(failure);
      this.#tellNotes(object, pass);
      // What only has to be waited for is no cause for alarm.
      const type = failure.retry === 'dependency' ? 'Normal' : 'Warning';
      this.#tell(object, type, failure.reason, failure.message);
      await writer.finish(pass.result(), signal);
      if (failure.retry === 'dependency') return requeueAfter(this.#options.requeueDependencyMs);
      if (failure.retry === 'never') return failed(failure);
      throw failure;
    }
    pass.succeed(outcome.stored, outcome.reason);
    this.#tellNotes(object, pass);
    this.#tellOutcome(object, pass, outcome);
    this.#trace(object, pass, startMs);
    await writer.finish(pass.result(), signal);
    return requeueAfter(jittered(durationMs(object.spec.interval, 600_000), jitter, random));
  }

  #trace(object: T, { status, committedMs }: SourcePass<S>, startMs: number): void {
    const { tracer, clock, worker } = this.#options;
    const { artifact } = status;
    if (tracer === undefined || artifact === undefined) return;
    traceFetch(
      tracer,
      { ...object, kind: worker.kind },
      { artifact, before: object.status?.artifact, startMs, endMs: clock.now(), committedMs },
    );
  }

  #tellNotes(object: T, { notes }: SourcePass<S>): void {
    for (const { reason, message } of notes) this.#tell(object, 'Normal', reason, message);
  }

  #tellOutcome(object: T, pass: SourcePass<S>, outcome: SourceOutcome): void {
    const { unchanged, event, author } = outcome;
    const { artifact } = pass.status;
    if (artifact?.digest !== object.status?.artifact?.digest) {
      this.#tell(object, 'Normal', outcome.reason ?? 'NewArtifact', event, artifact, author);
    } else {
      if (unchanged !== undefined && (pass.isRequested || pass.isRecovering)) {
        this.#tell(object, 'Normal', unchanged.reason, unchanged.message);
      }
      if (pass.isRecovering) this.#tell(object, 'Normal', 'Succeeded', event, artifact);
    }
  }

  /**
   * What was replaced before the last pass goes. Not what this pass replaces: somebody may be
   * fetching it.
   */
  async #collectGarbage(object: T, pass: SourcePass<S>): Promise<void> {
    const { artifact } = pass.status;
    if (artifact === undefined) return;
    const removed = await this.#options.storage.collectGarbage(this.#nameOf(object), artifact.path);
    if (removed === 0) return;
    const message = `garbage collected ${removed} artifacts`;
    this.#tell(object, 'Normal', 'GarbageCollectionSucceeded', message);
  }

  /** An artifact that is no longer on disk is made again, and its address is that of this server. */
  async #checkStorage(object: T, pass: SourcePass<S>): Promise<void> {
    const { storage } = this.#options;
    const { artifact, url } = pass.status;
    if (artifact === undefined) {
      pass.conditions.remove('ArtifactInStorage');
      pass.progress('building artifact');
      return;
    }
    const state = await storage.verify(artifact);
    if (state === 'ok') {
      pass.status.artifact = { ...artifact, url: storage.urlOf(artifact.path) };
      if (url !== undefined) pass.status.url = storage.latestUrlOf(artifact.path);
      return;
    }
    if (state === 'mismatch') {
      const message = `failed to verify integrity of artifact: computed digest doesn't match '${artifact.digest}'`;
      this.#tell(object, 'Warning', 'ArtifactVerificationFailed', message);
    }
    delete pass.status.artifact;
    delete pass.status.url;
    pass.conditions.remove('ArtifactInStorage', 'ArtifactOutdated');
    pass.progress('building artifact: disappeared from storage');
  }

  async #remove(object: T, signal: AbortSignal): Promise<ReconcileResult> {
    const { storage, worker, objects } = this.#options;
    if (await storage.remove(this.#nameOf(object))) {
      const message = 'garbage collected artifacts for deleted resource';
      this.#tell(object, 'Normal', 'GarbageCollectionSucceeded', message);
    }
    await worker.forget(object);
    await objects.removeFinalizer(object, signal);
    return done;
  }

  #nameOf({ metadata }: T) {
    const { name = '', namespace = '' } = metadata;
    return { kind: this.#options.worker.kind, namespace, name };
  }

  #tell(
    object: T,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    artifact?: Artifact,
    author = '',
  ): void {
    const annotations =
      artifact === undefined
        ? {}
        : {
            'source.toolkit.fluxcd.io/revision': artifact.revision,
            'source.toolkit.fluxcd.io/digest': artifact.digest,
            // Not under Flux's own names: what is there goes into the text of alerts.
            ...(author === '' ? {} : { 'waygate.dev/author': author.slice(0, 200) }),
          };
    this.#options.events.event(object, type, reason, message, { annotations });
  }
}
