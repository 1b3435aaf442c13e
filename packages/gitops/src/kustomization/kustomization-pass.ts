import type { Inventory } from '@waygate/apply';
import type { EventRecorder } from '@waygate/runtime';
import { formatDuration } from '@waygate/text';
import { requestedAtAnnotation } from '../api/annotations.ts';
import { Conditions, secondsText } from '../api/conditions.ts';
import {
  type Kustomization,
  type KustomizationStatus,
  kustomizationGroup,
} from '../api/kustomization-object.ts';
import { withOutcome } from './history.ts';

/** One reconciliation of a Kustomization: its conditions, status and events, until they are written. */
export class KustomizationPass {
  readonly object: Kustomization;
  readonly conditions: Conditions;
  readonly generation: number;
  readonly wasReady: boolean;
  /** Whether what was applied is still waited for to be healthy, so that there is more to come. */
  isWaiting = false;
  status: KustomizationStatus;
  /** The revision that events speak of. */
  revision = '';
  originRevision = '';
  readonly #events: EventRecorder;
  readonly #requestedAt: string | undefined;

  constructor(object: Kustomization, events: EventRecorder, now: () => number) {
    this.object = object;
    this.#events = events;
    this.generation = object.metadata.generation ?? 0;
    this.status = { ...object.status };
    this.conditions = new Conditions(object.status?.conditions, this.generation, now);
    this.wasReady = this.conditions.isTrue('Ready');
    this.#requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
  }

  get key(): string {
    const { namespace, name } = this.object.metadata;
    return `${namespace}/${name}`;
  }

  progress(message: string): void {
    this.conditions.remove('Stalled');
    this.conditions.set('Reconciling', 'True', 'Progressing', message);
    this.conditions.set('Ready', 'Unknown', 'Progressing', 'Reconciliation in progress');
  }

  ready(message: string): void {
    this.conditions.remove('Reconciling', 'Stalled');
    this.conditions.set('Ready', 'True', 'ReconciliationSucceeded', message);
    this.status.observedGeneration = this.generation;
  }

  notReady(reason: string, message: string): void {
    const doing = this.conditions.get('Reconciling');
    if (doing !== undefined) {
      this.conditions.set('Reconciling', 'True', 'ProgressingWithRetry', doing.message);
    }
    this.conditions.set('Ready', 'False', reason, message);
  }

  /** No retry will help until the object changes. */
  stall(reason: string, message: string, isObserved: boolean): void {
    this.conditions.remove('Reconciling');
    this.conditions.set('Stalled', 'True', reason, message);
    this.conditions.set('Ready', 'False', reason, message);
    if (isObserved) this.status.observedGeneration = this.generation;
  }

  /** Notes in the history how it ended. Times are of the wall clock, in milliseconds. */
  record(digest: string, status: string, nowMs: number, tookMs: number): void {
    this.status.history = withOutcome(this.status.history ?? [], {
      digest,
      status,
      time: secondsText(nowMs),
      duration: formatDuration(Math.round(tookMs)),
      metadata: {
        revision: this.revision,
        ...(this.originRevision === '' ? {} : { originRevision: this.originRevision }),
      },
    });
  }

  setInventory({ entries }: Inventory): void {
    this.status.inventory = { entries: entries.map(({ id, v }) => ({ id, v })) };
  }

  /** An event; its reason is that of the Ready condition unless another is given. */
  tell(
    type: 'Normal' | 'Warning',
    message: string,
    further: Readonly<Record<string, string>> = {},
    reason = this.conditions.get('Ready')?.reason ?? 'Progressing',
  ): void {
    if (message === '') return;
    const annotations: Record<string, string> = {};
    if (this.revision !== '') annotations[`${kustomizationGroup}/revision`] = this.revision;
    if (this.originRevision !== '') {
      annotations[`${kustomizationGroup}/originRevision`] = this.originRevision;
    }
    for (const [key, value] of Object.entries(further)) {
      annotations[`${kustomizationGroup}/${key}`] = value;
    }
    this.#events.event(this.object, type, reason, message.slice(0, 1024 * 8), { annotations });
  }

  /** The status to write while there is more to do: what was asked for is not yet done. */
  interim(): KustomizationStatus {
    return { ...this.status, conditions: this.conditions.list() };
  }

  /** The status to write in the end. */
  result(): KustomizationStatus {
    const requestedAt = this.#requestedAt;
    return {
      ...this.interim(),
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
    };
  }
}
