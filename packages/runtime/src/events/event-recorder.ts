import type { CoreEvent, EventSource, KubeObject, ObjectReference } from '@waygate/schema';
import { type Clock, systemClock } from '../time/clock.ts';
import { EventCorrelator, type EventCorrelatorOptions } from './event-correlator.ts';
import {
  checkedEventType,
  type EventType,
  eventName,
  eventNamespace,
  referenceTo,
  toSeconds,
} from './event-object.ts';
import { EventQueue, type EventQueueSignals } from './event-queue.ts';
import { type EventSink, writeEvent } from './event-sink.ts';

/** What an event may say beside its message. */
export interface EventDetails {
  /** A second object that has to do with it. */
  readonly related?: KubeObject | ObjectReference;
  /** What was done, in a word; `events.k8s.io` wants one. The reason when absent. */
  readonly action?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Tells people what happened to an object. Never blocks, and never throws at the caller. */
export interface EventRecorder {
  event(
    regarding: KubeObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): void;
}

/** Where events of `v1` are written, and in whose name. */
export interface CoreEventRecorderOptions {
  readonly sink: EventSink<CoreEvent>;
  /** Who speaks: the controller's name. */
  readonly source: EventSource;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly correlation?: Omit<EventCorrelatorOptions, 'clock'>;
  /** Events that may wait for the API; more are dropped and counted. 1000. */
  readonly queueLength?: number;
  readonly maxTries?: number;
  /** The pause between tries of one event. 10 s. */
  readonly retryMs?: number;
  /** How long a stop waits for events that still wait. 2 s. */
  readonly flushMs?: number;
  /** Told of each event that could not be made or written. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Records Events of the core group, `v1`: the kind that `kubectl describe` shows.
 *
 * ```ts
 * const source = { component: 'widget-operator' };
 * const recorder = new CoreEventRecorder({ sink: coreEventSink(client), source });
 * const recording = recorder.run(signal);
 * const web = await client.resource(kinds.Deployment).get('web', { namespace: 'shop' });
 * recorder.event(web, 'Normal', 'Created', 'created the ConfigMap shop/web');
 * ```
 */
export class CoreEventRecorder implements EventRecorder {
  readonly #options: CoreEventRecorderOptions;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  readonly #queue: EventQueue<CoreEvent>;

  constructor(options: CoreEventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#correlator = new EventCorrelator({ ...options.correlation, clock: this.#clock });
    this.#queue = new EventQueue({
      clock: this.#clock,
      length: options.queueLength ?? 1000,
      flushMs: options.flushMs ?? 2000,
      handle: (event, signals) => this.#write(event, signals),
    });
  }

  /** Events that were dropped because too many waited. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  event(
    regarding: KubeObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details: EventDetails = {},
  ): void {
    try {
      const made = makeCoreEvent(referenceTo(regarding), type, reason, message, this.#clock.now());
      this.#queue.add({
        ...made,
        metadata: {
          ...made.metadata,
          ...(details.annotations === undefined ? {} : { annotations: { ...details.annotations } }),
        },
        ...(details.related === undefined ? {} : { related: referenceTo(details.related) }),
        ...(details.action === undefined ? {} : { action: details.action }),
        source: this.#options.source,
        reportingComponent: this.#options.source.component ?? '',
        reportingInstance: this.#options.source.host ?? '',
      });
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  /** Writes what is recorded, one by one, until the signal aborts and what waits has had its chance. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal);
  }

  async #write(event: CoreEvent, signals: EventQueueSignals): Promise<void> {
    const correlated = this.#correlator.correlate(event);
    if (correlated.kind === 'skip') return;
    const retryMs = this.#options.retryMs ?? 10_000;
    const random = this.#options.random ?? Math.random;
    const outcome = await writeEvent(this.#options.sink, correlated.event, correlated.patch, {
      clock: this.#clock,
      ...signals,
      maxTries: this.#options.maxTries ?? 12,
      // The first pause is random, so that programs do not all come back at once after an outage.
      pauseMs: (failures) => (failures === 1 ? retryMs * random() : retryMs),
    });
    if (outcome.kind === 'written') this.#correlator.updateState(outcome.event);
    else this.#options.onError?.(outcome.error);
  }
}

/**
 * An Event as it is first written, with a count of one.
 *
 * ```ts
 * const pod = { kind: 'Pod', name: 'web', namespace: 'shop' };
 * const event = makeCoreEvent(pod, 'Normal', 'Pulled', 'the image is here', 0);
 * [event.reason, event.count, event.firstTimestamp]; // ['Pulled', 1, '1970-01-01T00:00:00Z']
 * ```
 */
export function makeCoreEvent(
  reference: ObjectReference,
  type: EventType,
  reason: string,
  message: string,
  nowMs: number,
): CoreEvent {
  const now = toSeconds(nowMs);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: eventName(reference.name ?? '', nowMs),
      namespace: eventNamespace(reference),
    },
    involvedObject: reference,
    reason,
    message,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: checkedEventType(type),
  };
}
