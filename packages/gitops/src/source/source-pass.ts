import type { KubeObject } from '@waygate/schema';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { Conditions } from '../api/conditions.ts';
import type { SourceStatus } from '../api/source-objects.ts';
import type { SourceFailure } from './source-failure.ts';

/** Conditions that say what went wrong; each goes away when it is mended. */
const failures = [
  'StorageOperationFailed',
  'FetchFailed',
  'IncludeUnavailable',
  'BuildFailed',
] as const;

/** One reconciliation of a source: its conditions and its status, until they are written. */
export class SourcePass<S extends SourceStatus = SourceStatus> {
  readonly conditions: Conditions;
  readonly generation: number;
  /** Something went wrong the last time: that it went well this time is news. */
  readonly isRecovering: boolean;
  readonly isRequested: boolean;
  readonly requestedAt: string | undefined;
  /** What to tell in events of their own, besides what the pass came to. */
  readonly notes: { readonly reason: string; readonly message: string }[] = [];
  /** When what was fetched was made, by its own word and where it says so. */
  committedMs: number | undefined;
  status: S;

  constructor(object: KubeObject & { status?: S }, now: () => number) {
    this.generation = object.metadata.generation ?? 0;
    this.status = { ...(object.status as S) };
    this.conditions = new Conditions(object.status?.conditions, this.generation, now);
    this.isRecovering = failures.some((type) => this.conditions.isTrue(type));
    this.requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
    this.isRequested =
      this.requestedAt !== undefined && this.requestedAt !== object.status?.lastHandledReconcileAt;
  }

  /** What the last pass was at is no longer so, and a signature that it refused is looked at again. */
  begin(): void {
    const { observedGeneration = -1 } = this.status;
    this.progress(
      observedGeneration === this.generation
        ? 'reconciliation in progress'
        : `processing object: new generation ${observedGeneration} -> ${this.generation}`,
      false,
    );
    if (this.conditions.get('SourceVerified')?.status === 'False') {
      this.conditions.remove('SourceVerified');
    }
  }

  /** What is being done; shows when it takes long. The object is unready when what it offers is outdated. */
  progress(message: string, isOutdated = true): void {
    this.conditions.set('Reconciling', 'True', 'Progressing', message);
    if (isOutdated || this.conditions.get('Ready') === undefined) {
      this.conditions.set('Ready', 'Unknown', 'Progressing', message);
    }
  }

  /** There is something newer than what the object offers. */
  outdate(reason: 'NewRevision' | 'IncludeChange', message: string): void {
    if (this.status.artifact !== undefined) {
      this.conditions.set('ArtifactOutdated', 'True', reason, message);
    }
    this.progress(`building artifact: ${message}`);
  }

  note(reason: string, message: string): void {
    // A pass may begin again; what it has to tell is the same.
    if (this.notes.some((one) => one.reason === reason && one.message === message)) return;
    this.notes.push({ reason, message });
  }

  fail({ condition, reason, message, retry }: SourceFailure): void {
    this.conditions.remove('Stalled', ...failures);
    this.conditions.set(
      condition,
      condition === 'SourceVerified' ? 'False' : 'True',
      reason,
      message,
    );
    this.conditions.set('Ready', 'False', reason, message);
    if (retry === 'never') {
      this.conditions.remove('Reconciling');
      this.conditions.set('Stalled', 'True', reason, message);
      this.status.observedGeneration = this.generation;
      return;
    }
    const doing = this.conditions.get('Reconciling')?.message ?? 'reconciliation in progress';
    this.conditions.set('Reconciling', 'True', 'ProgressingWithRetry', doing);
  }

  succeed(message: string, reason = 'Succeeded'): void {
    this.conditions.remove('Reconciling', 'Stalled', 'ArtifactOutdated', ...failures);
    this.conditions.set('ArtifactInStorage', 'True', reason, message);
    this.conditions.set('Ready', 'True', reason, message);
    this.status.observedGeneration = this.generation;
  }

  /** The status to write while there is more to do: what was asked for is not yet done. */
  interim(): S {
    return { ...this.status, conditions: this.conditions.list() };
  }

  /** The status to write in the end. */
  result(): S {
    const { requestedAt } = this;
    return {
      ...this.interim(),
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
    };
  }
}
