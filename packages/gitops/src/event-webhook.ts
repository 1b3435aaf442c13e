import { hostname } from 'node:os';
import {
  type Clock,
  type EventDetails,
  EventQueue,
  type EventQueueSignals,
  type EventRecorder,
  type EventType,
  referenceTo,
} from '@waygate/runtime';
import type { KubeObject, ObjectReference } from '@waygate/schema';
import { discardBody, HttpClient, targetOf, withDeadline } from '@waygate/text';
import { messageOf } from './gitops-error.ts';

interface EventWebhookOptions {
  /** Writes the same events to the Kubernetes API. */
  readonly recorder: EventRecorder;
  readonly url: string;
  readonly clock: Clock;
  /** Told of each event that could not be delivered. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** An event as notification-controller takes it. */
export interface WebhookEvent {
  readonly involvedObject: ObjectReference;
  readonly severity: 'error' | 'info';
  readonly timestamp: string;
  readonly message: string;
  readonly reason: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly reportingController: string;
  readonly reportingInstance: string;
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

const timeoutMs = 5_000;
const pausesMs = [1_000, 2_000, 4_000, 8_000];

/**
 * Sends events to a webhook as well as to the Kubernetes API, as Flux's controllers do for
 * notification-controller: alerts on a cluster go on working. It never holds up a reconciliation; when
 * the receiver is away for long, events are dropped.
 */
export class EventWebhook implements EventRecorder {
  readonly #options: EventWebhookOptions;
  readonly #queue: EventQueue<WebhookEvent>;
  readonly #client = new HttpClient();

  constructor(options: EventWebhookOptions) {
    this.#options = options;
    this.#queue = new EventQueue({
      clock: options.clock,
      length: 1000,
      flushMs: 2000,
      handle: (event, signals) => this.#deliver(event, signals),
    });
  }

  event(
    regarding: KubeObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details: EventDetails = {},
  ): void {
    const { recorder, clock } = this.#options;
    recorder.event(regarding, type, reason, message, details);
    if (type === 'Normal' && quietReasons.has(reason)) return;
    const involvedObject = referenceTo(regarding);
    const { annotations } = details;
    this.#queue.add({
      involvedObject,
      severity: type === 'Warning' ? 'error' : 'info',
      timestamp: new Date(clock.now()).toISOString(),
      message,
      reason,
      ...(annotations === undefined ? {} : { metadata: annotations }),
      reportingController:
        involvedObject.kind === 'Kustomization' ? 'kustomize-controller' : 'source-controller',
      reportingInstance: hostname(),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#queue.run(signal);
    } finally {
      this.#client.close();
    }
  }

  async #deliver(event: WebhookEvent, { stop, cut }: EventQueueSignals): Promise<void> {
    const { clock, onError } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#post(event, cut);
      if (failure === undefined) return;
      const pauseMs = failure.isFinal ? undefined : pausesMs[attempt];
      if (pauseMs !== undefined && (await clock.sleep(pauseMs, stop))) continue;
      const { kind, namespace, name } = event.involvedObject;
      const what = `the event ${event.reason} of ${kind} ${namespace}/${name}`;
      onError?.(new Error(`${what} was not delivered: ${failure.message}`));
      return;
    }
  }

  /** What went wrong, and whether another try would be in vain. */
  async #post(
    event: WebhookEvent,
    signal: AbortSignal,
  ): Promise<{ readonly message: string; readonly isFinal: boolean } | undefined> {
    try {
      const response = await withDeadline(this.#client.send)({
        method: 'POST',
        ...targetOf(new URL(this.#options.url)),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
        signal,
        timeoutMs,
      });
      discardBody(response);
      const { statusCode } = response;
      // It has had the same event a moment ago.
      if ((statusCode >= 200 && statusCode < 300) || statusCode === 429) return undefined;
      return { message: `HTTP ${statusCode}`, isFinal: statusCode < 500 };
    } catch (error) {
      return { message: messageOf(error), isFinal: false };
    }
  }
}
