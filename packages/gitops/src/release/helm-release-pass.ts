import type { ContainerLog } from '@waygate/helm';
import type { Clock, EventRecorder, Tracer } from '@waygate/runtime';
import { forceAtAnnotation, requestedAtAnnotation, resetAtAnnotation } from '../api/annotations.ts';
import { Conditions } from '../api/conditions.ts';
import {
  type HelmRelease,
  type HelmReleaseStatus,
  helmReleaseGroup,
  type ReleaseSnapshot,
} from '../api/helm-objects.ts';
import type { SourceObject } from '../api/source-objects.ts';
import { PassTrace } from '../kustomization/pass-trace.ts';
import { partDigest } from './release-fields.ts';

/** They go into an event: enough to see why, and no more. */
const mostHookLines = 10;

/** One reconciliation of a HelmRelease: its conditions, status and events, until they are written. */
export class HelmReleasePass {
  readonly object: HelmRelease;
  readonly conditions: Conditions;
  readonly generation: number;
  status: HelmReleaseStatus;
  readonly #events: Pick<EventRecorder, 'event'>;
  readonly #requestedAt: string | undefined;
  #hookLines: readonly string[] = [];

  constructor(object: HelmRelease, events: Pick<EventRecorder, 'event'>, now: () => number) {
    this.object = object;
    this.#events = events;
    this.generation = object.metadata.generation ?? 0;
    this.status = { ...object.status };
    this.conditions = new Conditions(object.status?.conditions, this.generation, now);
    this.#requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
  }

  get key(): string {
    return `${this.object.metadata.namespace}/${this.object.metadata.name}`;
  }

  /** The object as this pass has it so far. */
  get current(): HelmRelease {
    return { ...this.object, status: this.status };
  }

  get history(): readonly ReleaseSnapshot[] {
    return this.status.history ?? [];
  }

  set history(snapshots: readonly ReleaseSnapshot[]) {
    this.status.history = [...snapshots];
  }

  /** The trace of the chart's revision. A release that failed goes on with it when it is tried again. */
  traceOf(tracer: Tracer | undefined, clock: Clock, source: SourceObject): PassTrace {
    const { revision = '' } = source.status?.artifact ?? {};
    const { lastAttemptedRevision, lastAttemptedRevisionDigest, failures } = this.status;
    const digest = lastAttemptedRevisionDigest ?? '';
    const isRepeated =
      lastAttemptedRevision === revision || (digest !== '' && revision.endsWith(digest));
    const isApplied = isRepeated && (failures ?? 0) === 0;
    const about = { kind: 'HelmRelease', object: this.object, isApplied, isRepeated };
    return new PassTrace(tracer, clock, about, source, revision);
  }

  /** What a trace tells of the release. */
  releaseFacts(): Readonly<Record<string, string | number | boolean>> {
    const [latest] = this.history;
    const isReleased = this.conditions.get('Released')?.status === 'True';
    return { 'waygate.released': isReleased, 'waygate.release-version': latest?.version ?? 0 };
  }

  /** Somebody asks for one install or upgrade, whatever the state is. Asked once, it is answered once. */
  takeForceRequest(): boolean {
    const { annotations = {} } = this.object.metadata;
    const asked = annotations[forceAtAnnotation];
    if (asked === undefined || asked !== this.#requestedAt) return false;
    if (asked === this.status.lastHandledForceAt) return false;
    this.status.lastHandledForceAt = asked;
    return true;
  }

  /** Somebody asks for failures to be forgotten. */
  takeResetRequest(): boolean {
    const { annotations = {} } = this.object.metadata;
    const asked = annotations[resetAtAnnotation];
    if (asked === undefined || asked !== this.#requestedAt) return false;
    if (asked === this.status.lastHandledResetAt) return false;
    this.status.lastHandledResetAt = asked;
    return true;
  }

  /** The last of what hooks wrote in this pass. */
  get hookLines(): readonly string[] {
    return this.#hookLines;
  }

  noteHookLog({ pod, container, text }: ContainerLog): void {
    const lines = text.trimEnd().split('\n').slice(-mostHookLines);
    const told = lines.map((line) => `${pod}/${container}: ${line.slice(0, 400)}`);
    this.#hookLines = [...this.#hookLines, ...told].slice(-mostHookLines);
  }

  clearFailures(): void {
    delete this.status.failures;
    delete this.status.installFailures;
    delete this.status.upgradeFailures;
  }

  notReady(reason: string, message: string): void {
    this.conditions.set('Ready', 'False', reason, message);
  }

  /** No retry will help until the object changes. */
  stall(reason: string, message: string): void {
    this.conditions.remove('Reconciling');
    this.conditions.set('Stalled', 'True', reason, message);
    this.conditions.set('Ready', 'False', reason, message);
    this.status.observedGeneration = this.generation;
  }

  /** Ready says what the last action came to: of those of the newest generation, the one that weighs most. */
  summarize(): void {
    const { test } = this.object.spec;
    const weighs = ['Remediated', 'Released'];
    if (test?.enable !== true) this.conditions.remove('TestSuccess');
    else if (test.ignoreFailures !== true) weighs.splice(1, 0, 'TestSuccess');
    const found = weighs.flatMap((type) => this.conditions.get(type) ?? []);
    const [first] = found.toSorted(
      (a, b) => (b.observedGeneration ?? 0) - (a.observedGeneration ?? 0),
    );
    if (first === undefined) return;
    const status = first.type === 'Remediated' ? 'False' : first.status;
    if (status === 'True') this.conditions.remove('Stalled');
    this.conditions.set('Ready', status, first.reason, first.message);
    const { postRenderers, commonMetadata } = this.object.spec;
    setOrDelete(this.status, 'observedPostRenderersDigest', partDigest(postRenderers));
    setOrDelete(this.status, 'observedCommonMetadataDigest', partDigest(commonMetadata));
  }

  tell(
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    about?: { readonly revision?: string | undefined; readonly token?: string | undefined },
  ): void {
    const annotations: Record<string, string> = {};
    if (about?.revision) annotations[`${helmReleaseGroup}/revision`] = about.revision;
    if (about?.token) annotations[`${helmReleaseGroup}/token`] = about.token;
    this.#events.event(this.object, type, reason, message.slice(0, 8192), { annotations });
  }

  /** The status to write while there is more to do. */
  interim(): HelmReleaseStatus {
    return { ...this.status, conditions: this.conditions.list() };
  }

  /** The status to write in the end. */
  result(): HelmReleaseStatus {
    const requestedAt = this.#requestedAt;
    return {
      ...this.interim(),
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
    };
  }
}

function setOrDelete(
  status: HelmReleaseStatus,
  key: 'observedPostRenderersDigest' | 'observedCommonMetadataDigest',
  value: string,
): void {
  if (value === '') delete status[key];
  else status[key] = value;
}
