import type { CoreEvent } from '@waygate/schema';
import type { Clock } from '../time/clock.ts';
import { eventName, toSeconds } from './event-object.ts';
import { EventSpamFilter } from './event-spam-filter.ts';
import { LruMap } from './lru-map.ts';

/** When events count as alike, and as too many. */
export interface EventCorrelatorOptions {
  readonly clock: Clock;
  /** How many keys each cache remembers. 4096. */
  readonly cacheSize?: number;
  /** Different messages on one matter from which on they are told as one. 10. */
  readonly maxEvents?: number;
  /** How long after the last one the count of messages starts again. 600 s. */
  readonly maxIntervalMs?: number;
  readonly burst?: number;
  readonly qps?: number;
  readonly spamKey?: (event: CoreEvent) => string;
}

/** What an existing Event is told when it happened again. */
export interface EventPatch {
  readonly count: number;
  readonly lastTimestamp: string | null;
  readonly message: string;
}

/** What is to be written for an event, or that it is dropped. */
export type CorrelatedEvent =
  | { readonly kind: 'skip' }
  /** Write it: create it, or patch the one of that name when there is a patch. */
  | { readonly kind: 'write'; readonly event: CoreEvent; readonly patch: EventPatch | undefined };

interface Aggregate {
  /** The different messages since the interval began; never more than `maxEvents`. */
  readonly messages: Set<string>;
  readonly lastMs: number;
}

interface Observation {
  readonly count: number;
  readonly firstTimestamp: string | null;
  readonly name: string;
  readonly resourceVersion: string;
}

const aggregatePrefix = '(combined from similar events): ';

/**
 * Keeps a chatty program from flooding the API with Events, as client-go does, in this order:
 * many messages on one matter become one Event; an Event that was seen before is counted up instead
 * of written anew; and what still comes too fast is dropped.
 *
 * ```ts
 * const correlator = new EventCorrelator({ clock: new FakeClock() });
 * const event = makeCoreEvent({ kind: 'Pod', name: 'web', namespace: 'shop' }, 'Warning', 'BackOff', 'again', 0);
 * const first = correlator.correlate(event);
 * if (first.kind !== 'skip') correlator.updateState(first.event);
 * const second = correlator.correlate(event);
 * second.kind === 'skip' ? undefined : second.event.count; // 2
 * ```
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #maxEvents: number;
  readonly #maxIntervalMs: number;
  readonly #aggregates: LruMap<string, Aggregate>;
  readonly #observations: LruMap<string, Observation>;
  readonly #spamFilter: EventSpamFilter;

  constructor(options: EventCorrelatorOptions) {
    const cacheSize = options.cacheSize ?? 4096;
    this.#clock = options.clock;
    this.#maxEvents = options.maxEvents ?? 10;
    this.#maxIntervalMs = options.maxIntervalMs ?? 600_000;
    this.#aggregates = new LruMap(cacheSize);
    this.#observations = new LruMap(cacheSize);
    this.#spamFilter = new EventSpamFilter({ ...options, cacheSize });
  }

  correlate(event: CoreEvent): CorrelatedEvent {
    const aggregated = this.#aggregate(event);
    const counted = this.#count(aggregated.event, aggregated.key);
    if (this.#spamFilter.isSpam(counted.event)) return { kind: 'skip' };
    return { kind: 'write', ...counted };
  }

  /** Remembers what the API made of an event, so that the next like it patches that one. */
  updateState(stored: CoreEvent): void {
    this.#observations.set(eventKey(stored), observationOf(stored));
  }

  #aggregate(event: CoreEvent): { event: CoreEvent; key: string } {
    const nowMs = this.#clock.monotonicMs();
    const key = aggregateKey(event);
    const known = this.#aggregates.get(key);
    const isRecent = known !== undefined && nowMs - known.lastMs <= this.#maxIntervalMs;
    const messages = isRecent ? known.messages : new Set<string>();
    messages.add(event.message ?? '');
    this.#aggregates.set(key, { messages, lastMs: nowMs });
    if (messages.size < this.#maxEvents) return { event, key: eventKey(event) };

    // One is forgotten, so that the set does not grow and the next new message tips it again.
    for (const message of messages) {
      messages.delete(message);
      break;
    }
    const wallMs = this.#clock.now();
    const now = toSeconds(wallMs);
    const { namespace } = event.metadata;
    const combined: CoreEvent = {
      ...event,
      metadata: {
        name: eventName(event.involvedObject.name ?? '', wallMs),
        ...(namespace === undefined ? {} : { namespace }),
      },
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      message: `${aggregatePrefix}${event.message ?? ''}`,
    };
    return { event: combined, key };
  }

  #count(event: CoreEvent, key: string): { event: CoreEvent; patch: EventPatch | undefined } {
    const last = this.#observations.get(key);
    if (last === undefined || last.count === 0) {
      this.#observations.set(key, observationOf(event));
      return { event, patch: undefined };
    }
    const counted: CoreEvent = {
      ...event,
      metadata: { ...event.metadata, name: last.name, resourceVersion: last.resourceVersion },
      firstTimestamp: last.firstTimestamp,
      count: last.count + 1,
    };
    this.#observations.set(key, observationOf(counted));
    const patch = {
      count: last.count + 1,
      lastTimestamp: event.lastTimestamp ?? null,
      message: event.message ?? '',
    };
    return { event: counted, patch };
  }
}

function observationOf(event: CoreEvent): Observation {
  return {
    count: event.count ?? 0,
    firstTimestamp: event.firstTimestamp ?? null,
    name: event.metadata.name ?? '',
    resourceVersion: event.metadata.resourceVersion ?? '',
  };
}

/** Two events with this key are the same event, happened again. */
function eventKey({ source, involvedObject: object, type, reason, message }: CoreEvent): string {
  return JSON.stringify([
    source?.component,
    source?.host,
    object.kind,
    object.namespace,
    object.name,
    object.fieldPath,
    object.uid,
    object.apiVersion,
    type,
    reason,
    message,
  ]);
}

/** Events with this key differ only in their message, and in which part of the object it is about. */
function aggregateKey(event: CoreEvent): string {
  const { source, involvedObject: object } = event;
  return JSON.stringify([
    source?.component,
    source?.host,
    object.kind,
    object.namespace,
    object.name,
    object.uid,
    object.apiVersion,
    event.type,
    event.reason,
    event.reportingComponent,
    event.reportingInstance,
  ]);
}
