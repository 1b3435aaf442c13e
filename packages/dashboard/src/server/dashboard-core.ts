import { setMaxListeners } from 'node:events';
import type { AdminClient, Operation } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { type Clock, systemClock, type Timer } from '@waygate/runtime';
import type { Kind } from '@waygate/schema';
import { KnownNeeds, partsOfNeed } from '../access/known-needs.ts';
import { allRights } from '../access/read-rights.ts';
import { ResourceNames } from '../access/resource-names.ts';
import { RightsCache } from '../access/rights-cache.ts';
import { ClusterFeed } from '../feed/cluster-feed.ts';
import { EventFeed } from '../feed/event-feed.ts';
import { type EntityChange, GatewayFeed } from '../feed/gateway-feed.ts';
import { TrafficFeed } from '../feed/traffic-feed.ts';
import type { FlowNode } from '../protocol/flow.ts';
import type { ProblemRow } from '../protocol/problems.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { Hub } from '../stream/hub.ts';
import { objectNodeId } from '../view/flow-nodes.ts';
import { everything, type Need, type Rights, shownTo } from '../view/guarded.ts';
import type { Happening, RecordedEntity } from '../view/happening.ts';
import { Journal } from '../view/journal.ts';
import { objectKey } from '../view/object-key.ts';
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
  /**
   * The text of the gateway's Prometheus endpoint; by default what its Admin API serves at /metrics.
   * Undefined where it has none.
   */
  readonly readMetrics?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly clock?: Clock | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What the Admin API serves at /metrics: Kong's, where its prometheus plugin is on. */
function adminMetrics(
  gateway: () => AdminClient | undefined,
): (signal: AbortSignal) => Promise<string | undefined> {
  return async (signal) => {
    const text = await gateway()?.send('GET', 'metrics', { isGlobal: true, isText: true, signal });
    return typeof text === 'string' ? text : undefined;
  };
}

/** Changes that come together are shown together. */
const settleMs = 50;
const needsMs = 500;
/** As many as take a few milliseconds. */
const mostAtOnce = 1_000;

/**
 * What all pages are made from, computed once for all: the cluster and the gateway are followed, and what
 * changes is put into the hub, from which each page gets what its person may see.
 *
 * ```ts
 * const core = new DashboardCore({
 *   client,
 *   kinds: [kinds.Ingress as unknown as Kind],
 *   objectOf: () => undefined,
 * });
 * const running = core.run(signal);
 * console.log(core.problems().length, 'problems so far');
 * await running;
 * ```
 */
export class DashboardCore {
  readonly hub: Hub;
  readonly view: View;
  readonly rights: RightsCache;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly #options: DashboardCoreOptions;
  readonly #needs: KnownNeeds;
  readonly #gateway: GatewayFeed | undefined;
  readonly #traffic: TrafficFeed | undefined;
  #timer: Timer | undefined;
  /** What applies in this process, by its key: it tells more of its work than its Events do. */
  readonly #appliers = new Set<string>();
  #syncFailure: string | undefined;
  #hasNewNeeds = new AbortController();
  #needsTimer: Timer | undefined;

  constructor(options: DashboardCoreOptions) {
    const { client, objectOf, clock = systemClock } = options;
    this.#options = options;
    this.clock = clock;
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.hub = new Hub();
    this.journal = new Journal(clock.now());
    this.view = new View({ objectOf, now: () => clock.now() });
    this.#needs = new KnownNeeds(() => this.#tellNewNeeds());
    this.rights = new RightsCache(this.#needs, new ResourceNames(client, clock), clock);
    if (options.gateway === undefined) return;
    this.#traffic = new TrafficFeed({
      readMetrics: options.readMetrics ?? adminMetrics(options.gateway),
      routeOf: (name) => this.#routeNamed(name),
      clock,
      onHealth: (targets) => {
        for (const [upstream, health] of targets) this.view.changeHealth(upstream, health);
        this.#schedule();
      },
      onTraffic: (changes) => this.hub.publish('traffic', changes),
    });
    this.#gateway = new GatewayFeed({
      client: options.gateway,
      view: this.view,
      clock,
      onChanges: (changes) => this.#noteEntities(changes),
      onTouch: () => this.#schedule(),
    });
  }

  /** Aborts when there is something new that people may or may not see: their rights are to be asked for. */
  get newNeeds(): AbortSignal {
    return this.#hasNewNeeds.signal;
  }

  /** Follows everything until the signal aborts. */
  async run(stop: AbortSignal): Promise<void> {
    // One listener for each kind that is followed: their number is no leak.
    const signal = AbortSignal.any([stop]);
    setMaxListeners(0, signal);
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
    const events = new EventFeed({
      client,
      namespace,
      clock: this.clock,
      onError,
      onHappening: (happening, isHistory) => {
        if (happening.kind === 'apply' && !isHistory && this.#isTold(happening)) return;
        this.note(this.#resolved(happening));
      },
    });
    void Promise.all([cluster.synced, this.#gateway?.hasTried]).then(this.#isReady);
    try {
      await Promise.all([
        cluster.run(signal),
        events.run(signal),
        this.#gateway?.run(signal),
        this.#traffic?.run(signal),
      ]);
    } finally {
      this.#timer?.cancel();
      this.#needsTimer?.cancel();
    }
  }

  /** Resolves when all that is there at the start is known: the cluster's objects, and the gateway's entities. */
  readonly ready: Promise<void>;
  #isReady: () => void = () => undefined;

  /** Makes everything now; for those who do not wait for it. */
  settleAll(): void {
    this.#timer?.cancel();
    while (this.view.hasChanges) this.#settle();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Something happened: it is told to those who may know. */
  note(happening: Happening): void {
    const changes = this.journal.add(happening);
    this.#needs.note(changes);
    this.hub.publish('changes', changes);
  }

  /** What a reconciliation in this process has changed. */
  noteApplied(happening: Happening & { readonly revision: string }): void {
    this.#safely(() => {
      if (happening.subject !== undefined) this.#appliers.add(objectKey(happening.subject));
      const objects = (happening.objects ?? []).map(({ object }) => object);
      if (objects.length === 0) return;
      this.view.noteApplied(happening.revision, objects);
      this.note(happening);
    });
  }

  /** Another process applies from now on: what it does is in its Events. */
  noteOthersApply(): void {
    this.#appliers.clear();
  }

  /** Another process writes to the gateway from now on: it is read as often as one that nobody tells of. */
  noteOthersWrite(): void {
    this.noteSync(undefined);
    this.#gateway?.noteUntold();
  }

  /** How the gateway took what it was sent last; undefined when it took it. */
  noteSync(failure: string | undefined): void {
    this.#safely(() => {
      if (failure !== undefined && failure !== this.#syncFailure)
        this.note({ kind: 'error', at: this.clock.now(), message: failure });
      this.#syncFailure = failure;
      this.view.setGatewayFault('written', failure);
    });
  }

  /** The gateway took a configuration; who was not told what changed looks. */
  noteApply(): void {
    this.#gateway?.noteApply();
  }

  /** What a controller of this process has written to the gateway. */
  noteWritten(operations: readonly Operation[]): void {
    this.#safely(() => this.#gateway?.noteWritten(operations));
  }

  /** How an object does on the Flow page. */
  flowHealth(object: ShownObject, rights: Rights): Pick<FlowNode, 'health' | 'reason'> | undefined {
    return shownTo(this.hub.feed('flow').get(objectNodeId(objectKey(object))), rights);
  }

  /** The namespaces of which somebody may see anything; undefined for who sees all there is. */
  namespacesFor(rights: Rights): readonly string[] | undefined {
    if (rights.allows(everything) || this.#needs.size === 0) return undefined;
    const names = new Set<string>();
    for (const need of this.#needs.all())
      if (rights.allows(need)) names.add(partsOfNeed(need).namespace);
    names.delete('');
    return [...names].sort();
  }

  /** What is wrong now, for whoever may see everything. */
  problems(): readonly ProblemRow[] {
    return this.hub.feed('problems').shown(allRights);
  }

  /** All that the ingress controller of this process could not translate. */
  setReported(problems: readonly ReportedProblem[]): void {
    this.#safely(() => this.view.setReported(problems));
  }

  /** Who tells of their work is never kept from it: what goes wrong here is our own affair. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onError?.(error);
    }
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

  #isTold({ subject }: Happening): boolean {
    return subject !== undefined && this.#appliers.has(objectKey(subject));
  }

  #noteEntities(changes: readonly EntityChange[]): void {
    const entities = changes.map(({ collection, id, before, after }): RecordedEntity => {
      const entity = (after ?? before)!;
      const name = String(entity.name ?? entity.target ?? id);
      const object = this.view.objectOfEntity(collection, entity);
      return { collection, name, before, after, object };
    });
    this.note({ kind: 'sync', at: this.clock.now(), entities });
  }

  #routeNamed(name: string): { readonly id: string; readonly needs: readonly Need[] } | undefined {
    const id = this.view.routeIdOf(name);
    const row = id === undefined ? undefined : this.hub.feed('routes').get(id);
    return id === undefined || row === undefined ? undefined : { id, needs: row.needs };
  }

  /** Events name objects by their kind alone: of which group it is, the inventory knows. */
  #resolved(happening: Happening): Happening {
    const { subject, objects } = happening;
    const inventory = subject === undefined ? [] : (this.view.seen(subject)?.inventory ?? []);
    if (objects === undefined || inventory.length === 0) return happening;
    const named = ({ kind, namespace, name }: ShownObject): string =>
      `${kind}/${namespace}/${name}`;
    const known = new Map(inventory.map((object) => [named(object), object]));
    const resolved = objects.map((each) => ({
      ...each,
      object: known.get(named(each.object)) ?? each.object,
    }));
    return { ...happening, objects: resolved };
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
