import type { Clock } from '@waygate/runtime';
import type { Health } from '../protocol/reference.ts';
import type { RouteTraffic } from '../protocol/routes.ts';
import type { Guarded, Need } from '../view/guarded.ts';
import { gatewayMetrics } from '../view/prometheus-text.ts';
import { TrafficModel } from '../view/traffic.ts';

interface TrafficFeedOptions {
  /** The text of the gateway's Prometheus endpoint; undefined where it has none. */
  readonly readMetrics: (signal: AbortSignal) => Promise<string | undefined>;
  /** The route with a name, and who may see it. */
  readonly routeOf: (
    name: string,
  ) => { readonly id: string; readonly needs: readonly Need[] } | undefined;
  readonly clock: Clock;
  /** How targets do, by their upstreams; told where the metrics have it. */
  readonly onHealth: (targets: ReadonlyMap<string, ReadonlyMap<string, Health>>) => void;
  readonly onTraffic: (changes: ReadonlyMap<string, Guarded<RouteTraffic> | undefined>) => void;
}

/** How many routes are told of in one slot: the busiest of all, and of the others in turn. */
const mostBusy = 500;
const mostOthers = 500;

/** Looks at a gateway's counters in turn, and tells what went over its routes. */
export class TrafficFeed {
  readonly #options: TrafficFeedOptions;
  readonly #model: TrafficModel;
  /** The routes that had to wait, those that did so longest first. */
  #waiting = new Set<string>();

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
    const { readMetrics, routeOf, clock, onTraffic, onHealth } = this.#options;
    const text = await readMetrics(signal);
    if (text === undefined) return;
    const { routes, targets } = await gatewayMetrics(text, () => clock.yield());
    if (targets.size > 0) onHealth(targets);
    const { moved, gone } = this.#model.look(routes, clock.now());
    const changes = new Map<string, Guarded<RouteTraffic> | undefined>();
    for (const name of this.#turn(moved)) {
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

  /** Of more than can be told at once, the busiest, and of the others those that waited longest. */
  #turn(moved: readonly string[]): readonly string[] {
    const others = new Set(moved.slice(mostBusy));
    const queue = [...this.#waiting].filter((name) => others.has(name));
    for (const name of queue) others.delete(name);
    queue.push(...others);
    this.#waiting = new Set(queue.slice(mostOthers));
    return [...moved.slice(0, mostBusy), ...queue.slice(0, mostOthers)];
  }
}
