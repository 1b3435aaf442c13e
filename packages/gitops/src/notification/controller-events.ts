import { hostname } from 'node:os';
import {
  type Clock,
  type EventDetails,
  type EventRecorder,
  type EventType,
  referenceTo,
} from '@waygate/runtime';
import type { KubeObject, ObjectReference } from '@waygate/schema';
import { eventGroup, type NotificationEvent } from '../api/notification-event.ts';

interface ControllerEventsOptions {
  /** Writes the same events to the Kubernetes API. */
  readonly recorder: EventRecorder;
  /** Gets each event that is to be told to others. Must not throw. */
  readonly tell: (event: NotificationEvent) => void;
  readonly clock: Clock;
}

/**
 * What is told to nobody but the Kubernetes API, when it is no warning: that nothing happened,
 * housekeeping, and what only has to be waited for.
 */
const quietReasons = new Set([
  'ArtifactUpToDate',
  'AuthenticationFailed',
  'GarbageCollectionSucceeded',
  'GitOperationSucceeded',
  'NoArtifact',
  'NotFound',
]);

/** Who speaks about an object in Flux: receivers know these names. */
const controllersByKind: Readonly<Record<string, string>> = {
  HelmRelease: 'helm-controller',
  Kustomization: 'kustomize-controller',
  Receiver: 'notification-controller',
};

/** Tells events to others as well as to the Kubernetes API, in the form that Flux' controllers use. */
export class ControllerEvents implements EventRecorder {
  readonly #options: ControllerEventsOptions;

  constructor(options: ControllerEventsOptions) {
    this.#options = options;
  }

  event(
    regarding: KubeObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details: EventDetails = {},
  ): void {
    const { recorder, clock, tell } = this.#options;
    recorder.event(regarding, type, reason, message, details);
    if (type === 'Normal' && quietReasons.has(reason)) return;
    const involvedObject = referenceTo(regarding);
    const metadata = { ...saidByAuthor(regarding), ...details.annotations };
    tell({
      involvedObject,
      severity: type === 'Warning' ? 'error' : 'info',
      timestamp: new Date(clock.now()).toISOString(),
      message,
      reason,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      reportingController: controllersByKind[involvedObject.kind ?? ''] ?? 'source-controller',
      reportingInstance: hostname(),
    });
  }
}

/** What the author of an object wants to be told with its events. */
function saidByAuthor(regarding: KubeObject | ObjectReference): Record<string, string> {
  if (!('metadata' in regarding)) return {};
  return Object.fromEntries(
    Object.entries(regarding.metadata.annotations ?? {}).filter(([key]) =>
      key.startsWith(`${eventGroup}/`),
    ),
  );
}
