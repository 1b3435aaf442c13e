import type { KubeClient } from '@waygate/kube';
import { type Clock, createInformer } from '@waygate/runtime';
import { type CoreEvent, kinds } from '@waygate/schema';
import type { Happening } from '../view/happening.ts';
import { eventHappening } from './event-happening.ts';

interface EventFeedOptions {
  readonly client: KubeClient;
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  /** Told in the order in which things happened, as far as Events say. */
  readonly onHappening: (happening: Happening, isHistory: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/** How many Events are remembered so that one is not told twice. */
const mostTold = 5_000;

/** Follows the Events of the cluster: what was there at the start is history, the rest is news. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  /** By uid, how often it had happened when it was told. */
  readonly #told = new Map<string, number>();
  /** What was in the first list, until it is whole and can be put in order. */
  #history: Happening[] | undefined = [];

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, onError, onHappening } = this.#options;
    const informer = createInformer(client, kinds.Event, {
      ...(namespace === undefined ? {} : { namespace }),
      transform: slimEvent,
      clock,
      onError,
    });
    const handler = informer.addEventHandler({
      onAdd: (event) => this.#take(event as CoreEvent),
      onUpdate: (_, event) => this.#take(event as CoreEvent),
    });
    void handler.waitForSync(signal).then(() => {
      const history = (this.#history ?? []).sort((left, right) => left.at - right.at);
      this.#history = undefined;
      for (const happening of history) onHappening(happening, true);
    });
    await informer.run(signal);
  }

  #take(event: CoreEvent): void {
    const { uid = '' } = event.metadata;
    const count = event.count ?? event.series?.count ?? 1;
    if ((this.#told.get(uid) ?? 0) >= count) return;
    this.#told.delete(uid);
    this.#told.set(uid, count);
    if (this.#told.size > mostTold) this.#told.delete(this.#told.keys().next().value!);
    const happening = eventHappening(event);
    if (happening === undefined) return;
    if (this.#history === undefined) this.#options.onHappening(happening, false);
    else this.#history.push(happening);
  }
}

/** The cache need not hold what was told. */
function slimEvent(event: CoreEvent): CoreEvent {
  const { managedFields: _managed, ...metadata } = event.metadata;
  return { ...event, metadata };
}
