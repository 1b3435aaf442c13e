import type { Clock } from '@waygate/runtime';
import type { RouteTraffic } from '../protocol/routes.ts';
import type { Guarded, Need } from '../view/guarded.ts';
import { routeCounters } from '../view/prometheus-text.ts';
import { TrafficModel } from '../view/traffic.ts';

export interface TrafficFeedOptions {
  /** The text of the gateway's Prometheus endpoint; undefined where it has none. */
  readonly readMetrics: (signal: AbortSignal) => Promise<string | undefined>;
  /** The route with a name, and who may see it. */
  readonly routeOf: (
    name: string,
  ) => { readonly id: string; readonly needs: readonly Need[] } | undefined;
  readonly clock: Clock;
  readonly onTraffic: (changes: ReadonlyMap<string, Guarded<RouteTraffic> | undefined>) => void;
}

/** How many routes are told of in one slot: the busiest. The others are in the snapshot. */
const mostTold = 200;

/** Looks at a gateway's counters in turn, and tells what went over its routes. */
export class TrafficFeed {
  readonly #options: TrafficFeedOptions;
  readonly #model: TrafficModel;

  constructor(options: TrafficFeedOptions, slotMs?: number) {
    this.#options = options;
    this.#model = new TrafficModel(slotMs);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    do {
      // A gateway that does not answer has no traffic to tell of; that it does not, others tell.
      await this.look(signal).catch(() => undefined);
    } while (await clock.sleep(this.#model.slotMs, signal));
  }

  async look(signal: AbortSignal): Promise<void> {
    const { readMetrics, routeOf, clock, onTraffic } = this.#options;
    const text = await readMetrics(signal);
    if (text === undefined) return;
    const { busy, gone } = this.#model.look(routeCounters(text), clock.now());
    const changes = new Map<string, Guarded<RouteTraffic> | undefined>();
    for (const name of busy.slice(0, mostTold)) {
      const route = routeOf(name);
      const item = route && this.#model.trafficOf(name, route.id);
      if (route !== undefined && item !== undefined)
        changes.set(route.id, { item, needs: route.needs });
    }
    for (const name of gone) {
      const id = routeOf(name)?.id;
      if (id !== undefined) changes.set(id, undefined);
    }
    onTraffic(changes);
  }
}
