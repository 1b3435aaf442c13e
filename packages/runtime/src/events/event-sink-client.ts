import type { KubeClient, StrategicPatch } from '@waygate/kube';
import {
  type CoreEvent,
  type Event as EventsV1Event,
  type Kind,
  type KubeObject,
  kinds,
} from '@waygate/schema';
import type { EventSink } from './event-sink.ts';

/**
 * Writes Events of the core group through a client of the API.
 *
 * ```ts
 * const source = { component: 'widgets' };
 * const recorder = new CoreEventRecorder({ sink: coreEventSink(client), source });
 * ```
 */
export function coreEventSink(client: Pick<KubeClient, 'resource'>): EventSink<CoreEvent> {
  return sinkOf(client, kinds.Event);
}

/**
 * Writes Events of `events.k8s.io` through a client of the API.
 *
 * ```ts
 * const recorder = new SeriesEventRecorder({
 *   sink: eventsV1Sink(client),
 *   reportingController: 'acme.test/widgets',
 *   reportingInstance: 'widgets-0',
 * });
 * ```
 */
export function eventsV1Sink(client: Pick<KubeClient, 'resource'>): EventSink<EventsV1Event> {
  return sinkOf(client, kinds.EventsEvent);
}

function sinkOf<E extends KubeObject>(
  client: Pick<KubeClient, 'resource'>,
  kind: Kind<E>,
): EventSink<E> {
  const events = client.resource(kind);
  return {
    create: (event, call) => events.create(event, {}, call),
    patch: ({ metadata: { name = '', namespace } }, patch, call) =>
      events.patch(name, patch as StrategicPatch<E>, { namespace, type: 'strategic' }, call),
  };
}
