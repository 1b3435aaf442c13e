import type { KubeObject } from '@waygate/schema';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { Conditions } from '../api/conditions.ts';
import type { SourceStatus } from '../api/source-objects.ts';

/** Conditions that say what went wrong; each goes away when it is mended. */
const failures = [
  'StorageOperationFailed',
  'FetchFailed',
  'IncludeUnavailable',
  'ArtifactOutdated',
] as const;

export type SourceFailure = (typeof failures)[number];

/** One reconciliation of a source: its conditions and its status, until they are written. */
export class SourcePass<S extends SourceStatus> {
  readonly conditions: Conditions;
  readonly generation: number;
  readonly wasReady: boolean;
  readonly isRequested: boolean;
  readonly requestedAt: string | undefined;
  status: S;

  constructor(object: KubeObject & { status?: S }, now: () => number) {
    this.generation = object.metadata.generation ?? 0;
    this.status = { ...(object.status as S) };
    this.conditions = new Conditions(object.status?.conditions, this.generation, now);
    this.wasReady = this.conditions.isTrue('Ready');
    this.requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
    this.isRequested =
      this.requestedAt !== undefined && this.requestedAt !== object.status?.lastHandledReconcileAt;
  }

  /** What is being done; shows when it takes long. */
  progress(message: string): void {
    this.conditions.set('Reconciling', 'True', 'Progressing', message);
    if (!this.conditions.isTrue('Ready')) {
      this.conditions.set('Ready', 'Unknown', 'Progressing', message);
    }
  }

  fail(type: SourceFailure, reason: string, message: string): void {
    this.conditions.set(type, 'True', reason, message);
    this.conditions.set('Ready', 'False', reason, message);
    const doing = this.conditions.get('Reconciling')?.message ?? 'reconciliation in progress';
    this.conditions.set('Reconciling', 'True', 'ProgressingWithRetry', doing);
  }

  /** No retry will help until the object changes. */
  stall(reason: string, message: string): void {
    this.conditions.remove('Reconciling');
    this.conditions.set('Stalled', 'True', reason, message);
    this.conditions.set('Ready', 'False', reason, message);
    this.status.observedGeneration = this.generation;
  }

  succeed(message: string): void {
    this.conditions.remove('Reconciling', 'Stalled', ...failures);
    this.conditions.set('ArtifactInStorage', 'True', 'Succeeded', message);
    this.conditions.set('Ready', 'True', 'Succeeded', message);
    this.status.observedGeneration = this.generation;
  }

  /** The status to write. */
  result(): S {
    const { requestedAt } = this;
    return {
      ...this.status,
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
      conditions: this.conditions.list(),
    };
  }
}
