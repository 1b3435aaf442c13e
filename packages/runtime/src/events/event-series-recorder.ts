import type { Event as EventsV1Event, KubeObject, ObjectReference } from '@waygate/schema';
import { type Clock, systemClock } from '../time/clock.ts';
import { toMicroTime } from '../time/micro-time.ts';
import {
  checkedEventType,
  type EventType,
  eventName,
  eventNamespace,
  fitNote,
  referenceTo,
} from './event-object.ts';
import { EventQueue, type EventQueueSignals } from './event-queue.ts';
import type { EventDetails, EventRecorder } from './event-recorder.ts';
import { type EventSink, writeEvent } from './event-sink.ts';

/** Where events of `events.k8s.io/v1` are written, and in whose name. */
export interface SeriesEventRecorderOptions {
  readonly sink: EventSink<EventsV1Event>;
  /** Who speaks: `example.com/widget-operator`. */
  readonly reportingController: string;
  /** Which of them: the pod's name, or the host's. */
  readonly reportingInstance: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Events that may wait for the API; more are dropped and counted. 1000. */
  readonly queueLength?: number;
  readonly maxTries?: number;
  readonly retryMs?: number;
  readonly flushMs?: number;
  /** How often the count of a series that goes on is written. 30 min. */
  readonly refreshMs?: number;
  /** How long a series must be quiet to be over. 6 min. */
  readonly finishMs?: number;
  /** Matters that are remembered at a time; the longest quiet one is forgotten beyond. 4096. */
  readonly cacheSize?: number;
  readonly onError?: (error: unknown) => void;
}

interface Matter {
  event: EventsV1Event;
  /** Monotonic; when it last happened. */
  lastMs: number;
}

/**
 * Records Events of `events.k8s.io/v1`. The same matter happening again becomes a series: the second
 * time is written at once, later ones are only counted, and the count is written every half
 * hour and when the series has ended.
 *
 * ```ts
 * const recorder = new SeriesEventRecorder({
 *   sink: eventsV1Sink(client),
 *   reportingController: 'example.com/widgets',
 *   reportingInstance: 'widgets-0',
 * });
 * const recording = recorder.run(signal);
 * ```
 */
export class SeriesEventRecorder implements EventRecorder {
  readonly #options: SeriesEventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #queue: EventQueue<EventsV1Event>;
  /** By matter, in the order in which they last happened. */
  readonly #matters = new Map<string, Matter>();

  constructor(options: SeriesEventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#queue = new EventQueue({
      clock: this.#clock,
      length: options.queueLength ?? 1000,
      flushMs: options.flushMs ?? 2000,
      handle: (event, signals) => this.#record(event, signals),
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
      this.#queue.add(this.#makeEvent(regarding, type, reason, message, details));
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  /** Writes what is recorded, and looks after the series, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { refreshMs = 1_800_000, finishMs = 360_000 } = this.#options;
    await Promise.all([
      this.#queue.run(signal),
      this.#every(refreshMs, signal, () => this.#refreshSeries(signal)),
      this.#every(finishMs, signal, () => this.#finishSeries(finishMs, signal)),
    ]);
  }

  #makeEvent(
    regarding: KubeObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details: EventDetails,
  ): EventsV1Event {
    const reference = referenceTo(regarding);
    const nowMs = this.#clock.now();
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: eventName(reference.name ?? '', nowMs),
        namespace: eventNamespace(reference),
        ...(details.annotations === undefined ? {} : { annotations: { ...details.annotations } }),
      },
      eventTime: toMicroTime(nowMs),
      reportingController: this.#options.reportingController,
      reportingInstance: this.#options.reportingInstance,
      action: details.action ?? reason,
      reason,
      regarding: reference,
      ...(details.related === undefined ? {} : { related: referenceTo(details.related) }),
      note: fitNote(message),
      type: checkedEventType(type),
    };
  }

  async #record(event: EventsV1Event, signals: EventQueueSignals): Promise<void> {
    const key = matterKey(event);
    const known = this.#matters.get(key);
    if (known === undefined) {
      this.#remember(key, { event, lastMs: this.#clock.monotonicMs() });
      await this.#write(key, event, signals);
      return;
    }
    const lastObservedTime = toMicroTime(this.#clock.now());
    const { series } = known.event;
    known.event = {
      ...known.event,
      series: { count: (series?.count ?? 1) + 1, lastObservedTime },
    };
    this.#remember(key, { ...known, lastMs: this.#clock.monotonicMs() });
    if (series === undefined) await this.#write(key, known.event, signals);
  }

  #remember(key: string, matter: Matter): void {
    this.#matters.delete(key);
    this.#matters.set(key, matter);
    if (this.#matters.size <= (this.#options.cacheSize ?? 4096)) return;
    const longestQuiet = this.#matters.keys().next();
    if (!longestQuiet.done) this.#matters.delete(longestQuiet.value);
  }

  async #write(
    key: string,
    event: EventsV1Event,
    signals: Partial<EventQueueSignals>,
  ): Promise<void> {
    const patch = event.series === undefined ? undefined : { series: event.series };
    const retryMs = this.#options.retryMs ?? 10_000;
    const outcome = await writeEvent(this.#options.sink, event, patch, {
      clock: this.#clock,
      ...signals,
      maxTries: this.#options.maxTries ?? 12,
      pauseMs: () => retryMs * (1 + 0.25 * this.#random()),
    });
    if (outcome.kind === 'dropped') {
      this.#options.onError?.(outcome.error);
      return;
    }
    // The API's own copy is what a later patch is of; the count may have gone on meanwhile.
    const known = this.#matters.get(key);
    if (known === undefined) return;
    const { series } = known.event;
    known.event = { ...outcome.event, ...(series === undefined ? {} : { series }) };
  }

  async #refreshSeries(signal: AbortSignal): Promise<void> {
    for (const [key, { event }] of [...this.#matters])
      if (event.series !== undefined && !signal.aborted)
        await this.#write(key, event, { stop: signal, cut: signal });
  }

  /** What has been quiet is over: its last count is written, and it may begin anew. */
  async #finishSeries(finishMs: number, signal: AbortSignal): Promise<void> {
    const quietSinceMs = this.#clock.monotonicMs() - finishMs;
    for (const [key, { event, lastMs }] of [...this.#matters]) {
      if (lastMs > quietSinceMs) continue;
      this.#matters.delete(key);
      if (event.series !== undefined && !signal.aborted)
        await this.#write(key, event, { stop: signal, cut: signal });
    }
  }

  async #every(periodMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    while (await this.#clock.sleep(periodMs, signal)) await task();
  }
}

/** Two events with this key are about the same matter. */
function matterKey(event: EventsV1Event): string {
  return JSON.stringify([
    event.type,
    event.action,
    event.reason,
    event.reportingController,
    referenceKey(event.regarding),
    referenceKey(event.related),
  ]);
}

function referenceKey(reference: ObjectReference | undefined): unknown {
  if (reference === undefined) return null;
  const { apiVersion, kind, namespace, name, uid, fieldPath } = reference;
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}
