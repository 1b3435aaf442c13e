import type { AdminClient, Operation } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { type Clock, systemClock, type Timer } from '@waygate/runtime';
import type { Kind } from '@waygate/schema';
import { KnownNeeds } from '../access/known-needs.ts';
import { ResourceNames } from '../access/resource-names.ts';
import { RightsCache } from '../access/rights-cache.ts';
import { ClusterFeed } from '../feed/cluster-feed.ts';
import { GatewayFeed } from '../feed/gateway-feed.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { Hub } from '../stream/hub.ts';
import type { ReportedProblem } from '../view/problem-rows.ts';
import { View } from '../view/view.ts';

/** What the dashboard looks at. */
export interface DashboardCoreOptions {
  /** Reads what all pages are made from. */
  readonly client: KubeClient;
  /** The kinds that are followed, beside the gateway: sources, Kustomizations, what routes are made from. */
  readonly kinds: readonly Kind[];
  /** Only this namespace is looked at. */
  readonly namespace?: string | undefined;
  /** The gateway's Admin API; absent where there is none to look at. */
  readonly gateway?: (() => AdminClient | undefined) | undefined;
  /** The object that an entity of the gateway with these tags was made from. */
  readonly objectOf: (tags: readonly string[]) => ShownObject | undefined;
  readonly clock?: Clock | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Changes that come together are shown together. */
const settleMs = 50;
const needsMs = 500;
/** As many as take a few milliseconds. */
const mostAtOnce = 1_000;

/**
 * What all pages are made from, computed once for all: the cluster and the gateway are followed, and what
 * changes is put into the hub, from which each page gets what its person may see.
 */
export class DashboardCore {
  readonly hub: Hub;
  readonly view: View;
  readonly rights: RightsCache;
  readonly clock: Clock;
  readonly #options: DashboardCoreOptions;
  readonly #needs: KnownNeeds;
  readonly #gateway: GatewayFeed | undefined;
  #timer: Timer | undefined;
  #hasNewNeeds = new AbortController();
  #needsTimer: Timer | undefined;

  constructor(options: DashboardCoreOptions) {
    const { client, objectOf, clock = systemClock } = options;
    this.#options = options;
    this.clock = clock;
    this.hub = new Hub();
    this.view = new View({ objectOf, now: () => clock.now() });
    this.#needs = new KnownNeeds(() => this.#tellNewNeeds());
    this.rights = new RightsCache(this.#needs, new ResourceNames(client, clock), clock);
    if (options.gateway !== undefined)
      this.#gateway = new GatewayFeed({
        client: options.gateway,
        view: this.view,
        clock,
        onChanges: () => undefined,
        onTouch: () => this.#schedule(),
      });
  }

  /** Aborts when there is something new that people may or may not see: their rights are to be asked for. */
  get newNeeds(): AbortSignal {
    return this.#hasNewNeeds.signal;
  }

  /** Follows everything until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, kinds, namespace, onError = () => undefined } = this.#options;
    const cluster = new ClusterFeed({
      client,
      kinds,
      namespace,
      clock: this.clock,
      onError,
      onChange: (key, seen) => {
        this.view.changeObject(key, seen);
        this.#schedule();
      },
    });
    try {
      await Promise.all([cluster.run(signal), this.#gateway?.run(signal)]);
    } finally {
      this.#timer?.cancel();
      this.#needsTimer?.cancel();
    }
  }

  /** What a controller of this process has written to the gateway. */
  noteWritten(operations: readonly Operation[]): void {
    this.#gateway?.noteWritten(operations);
  }

  /** All that the ingress controller of this process could not translate. */
  setReported(problems: readonly ReportedProblem[]): void {
    this.view.setReported(problems);
    this.#schedule();
  }

  /** A little later: what is new seldom comes alone. */
  #tellNewNeeds(): void {
    this.#needsTimer ??= this.clock.after(
      needsMs,
      () => {
        this.#needsTimer = undefined;
        const told = this.#hasNewNeeds;
        this.#hasNewNeeds = new AbortController();
        told.abort();
      },
      { isBackground: true },
    );
  }

  #schedule(): void {
    if (this.#timer !== undefined || !this.view.hasChanges) return;
    this.#timer = this.clock.after(settleMs, () => this.#settle(), { isBackground: true });
  }

  #settle(): void {
    this.#timer = undefined;
    const { flow, routes, problems } = this.view.settle(mostAtOnce);
    for (const changes of [flow, routes, problems]) this.#needs.note(changes);
    this.hub.publish('flow', flow);
    this.hub.publish('routes', routes);
    this.hub.publish('problems', problems);
    // The rest in a turn of its own: whoever waits meanwhile gets theirs.
    if (this.view.hasChanges)
      this.#timer = this.clock.after(1, () => this.#settle(), { isBackground: true });
  }
}
