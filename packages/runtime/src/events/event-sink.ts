import { isNotFound, KubeError } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import type { Clock } from '../time/clock.ts';

/** Where events are written: the two calls on Events that a recorder makes. */
export interface EventSink<E extends KubeObject> {
  create(event: E, options: { signal?: AbortSignal }): Promise<E>;
  /** Patches the Event of that name and namespace, as a strategic merge. */
  patch(event: E, patch: object, options: { signal?: AbortSignal }): Promise<E>;
}

/** How a write that failed is tried again. */
export interface EventWriteOptions {
  readonly clock: Clock;
  /** Aborted: what is under way may finish, but nothing is tried again. */
  readonly stop?: AbortSignal;
  /** Aborted: the call under way is given up. */
  readonly cut?: AbortSignal;
  /** How often a write is tried. 12. */
  readonly maxTries: number;
  /** The pause before the try that comes next, after `failures` of them. */
  readonly pauseMs: (failures: number) => number;
}

/** What became of a write. */
export type EventWriteOutcome<E> =
  | { readonly kind: 'written'; readonly event: E }
  /** The API will not have it, or could not be reached often enough. */
  | { readonly kind: 'dropped'; readonly error: unknown; readonly tries: number };

/**
 * Writes one event: patches it when there is a patch, and creates it when there is none or the API
 * has forgotten the event. An answer of the API is final; only where there was none, or
 * one that made no sense, is it tried again.
 *
 * ```ts
 * const pod = { kind: 'Pod', name: 'web', namespace: 'shop' };
 * const event = makeCoreEvent(pod, 'Normal', 'Pulled', 'the image is here', Date.now());
 * const options = { clock: systemClock, maxTries: 12, pauseMs: () => 10_000 };
 * const outcome = await writeEvent(coreEventSink(client), event, undefined, options);
 * if (outcome.kind === 'dropped') console.error(`after ${outcome.tries} tries`, outcome.error);
 * ```
 */
export async function writeEvent<E extends KubeObject>(
  sink: EventSink<E>,
  event: E,
  patch: object | undefined,
  options: EventWriteOptions,
): Promise<EventWriteOutcome<E>> {
  const { clock, stop, cut, maxTries, pauseMs } = options;
  for (let tries = 1; ; tries++) {
    try {
      return { kind: 'written', event: await writeOnce(sink, event, patch, cut) };
    } catch (error) {
      if (!isWorthAnotherTry(error) || tries >= maxTries) return { kind: 'dropped', error, tries };
      if (!(await clock.sleep(pauseMs(tries), stop))) return { kind: 'dropped', error, tries };
    }
  }
}

async function writeOnce<E extends KubeObject>(
  sink: EventSink<E>,
  event: E,
  patch: object | undefined,
  signal: AbortSignal | undefined,
): Promise<E> {
  const options = signal === undefined ? {} : { signal };
  if (patch !== undefined) {
    try {
      return await sink.patch(event, patch, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  // The API refuses to create what has a resourceVersion.
  const { resourceVersion: _, ...metadata } = event.metadata;
  return sink.create({ ...event, metadata }, options);
}

function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof KubeError)) return true;
  return error.code === 'WG_KUBE_CONNECTION' || error.code === 'WG_KUBE_DECODE';
}
