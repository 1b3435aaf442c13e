import type { StoredEntity } from '@waygate/kong';
import { equalJson } from '@waygate/text';
import type { FlowNode } from '../protocol/flow.ts';
import type { ProblemRow } from '../protocol/problems.ts';
import type { Health, ShownObject } from '../protocol/reference.ts';
import type { RouteRow } from '../protocol/routes.ts';
import { ClusterModel } from './cluster-model.ts';
import {
  type GuardedEdge,
  objectNode,
  objectNodeId,
  routeNode,
  routeNodeId,
  serviceNodeId,
  serviceNodes,
} from './flow-nodes.ts';
import { GatewayModel, type ShownCollection, type Touched } from './gateway-model.ts';
import { everything, type Guarded, type Need, needOf, type Rights } from './guarded.ts';
import { MultiMap } from './multi-map.ts';
import { objectKey } from './object-key.ts';
import {
  gatewayProblem,
  objectProblems,
  type ReportedProblem,
  reportedProblem,
  serviceProblems,
} from './problem-rows.ts';
import { routeRow, tagsOf } from './route-row.ts';
import type { SeenObject } from './seen-object.ts';

interface ViewOptions {
  /** The object that an entity with these tags was made from. */
  readonly objectOf: (tags: readonly string[]) => ShownObject | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** In what way a gateway is not well: it cannot be read, or does not take what it is sent. */
type GatewayFault = 'read' | 'written';

/** What came of changes: by id, what is there now; undefined for what is gone. */
interface ViewChanges {
  readonly flow: ReadonlyMap<string, Guarded<FlowNode> | undefined>;
  readonly routes: ReadonlyMap<string, Guarded<RouteRow> | undefined>;
  readonly problems: ReadonlyMap<string, Guarded<ProblemRow> | undefined>;
}

/**
 * Keeps what pages show true to what is known of a cluster and a gateway. A change marks what reads it;
 * `settle` makes that again, and that alone, and says what is different now.
 */
export class View {
  readonly #options: ViewOptions;
  readonly #cluster = new ClusterModel();
  readonly #gateway = new GatewayModel();
  readonly #routesOfObject = new MultiMap<string>();
  readonly #objectOfRoute = new Map<string, string>();
  /** The objects that routes name and that nothing else tells of. */
  readonly #taggedObjects = new Map<string, ShownObject>();
  #reported: readonly ReportedProblem[] = [];
  readonly #gatewayFaults = new Map<GatewayFault, { message: string; since: number }>();
  // What has to be made again.
  readonly #dirtyObjects = new Set<string>();
  readonly #dirtyRoutes = new Set<string>();
  readonly #dirtyServices = new Set<string>();
  #isReportDirty = false;
  // What was made, and by what.
  readonly #flow = new Map<string, Guarded<FlowNode>>();
  readonly #routes = new Map<string, Guarded<RouteRow>>();
  readonly #problems = new Map<string, Guarded<ProblemRow>>();
  readonly #targetNodes = new Map<string, readonly string[]>();
  readonly #problemsOf = new Map<string, readonly string[]>();
  /** Counts what was made again, for tests of the rule that cost follows the change. */
  made = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  get hasChanges(): boolean {
    const { size } = this.#dirtyObjects;
    return size + this.#dirtyRoutes.size + this.#dirtyServices.size > 0 || this.#isReportDirty;
  }

  /** The gateway's entities as they are known here. */
  get gateway(): Pick<GatewayModel, 'get' | 'ids' | 'upstreamId' | 'upstreamNames'> {
    return this.#gateway;
  }

  /** Ids of an upstream's targets. */
  targetIds(upstream: string): readonly string[] {
    return this.#gateway.targetIds(upstream);
  }

  /** The id of the route with a name, which is what metrics have. */
  routeIdOf(name: string): string | undefined {
    return this.#gateway.routeIdOfName.get(name);
  }

  seen(object: ShownObject): SeenObject | undefined {
    return this.#cluster.seen.get(objectKey(object));
  }

  /** Whether somebody sees an Ingress that ingress-nginx serves, or served. */
  hasNginxIngresses(rights: Rights): boolean {
    return this.#cluster.nginxIngresses().some(({ object }) => rights.allows(needOf(object)));
  }

  /** The Kustomizations that are made from a source. */
  appliersOf(source: ShownObject): readonly ShownObject[] {
    return [...this.#cluster.appliersOf(objectKey(source))].flatMap(
      (key) => this.#cluster.object(key) ?? [],
    );
  }

  originOf(object: ShownObject) {
    return this.#cluster.originOf(objectKey(object));
  }

  /** Tells of an object; without what is seen of it, that it is gone. */
  changeObject(key: string, seen: SeenObject | undefined): void {
    this.#touchObjects(this.#cluster.change(key, seen));
  }

  /** Tells what a reconciliation has changed, and by which revision. */
  noteApplied(revision: string, objects: Iterable<ShownObject>): void {
    this.#touchObjects(this.#cluster.noteApplied(revision, objects));
  }

  /** Tells of an entity of the gateway; without one, that it is gone. */
  changeEntity(collection: ShownCollection, id: string, entity: StoredEntity | undefined): void {
    this.#touch(this.#gateway.change(collection, id, entity));
  }

  changeHealth(upstream: string, health: ReadonlyMap<string, Health>): void {
    this.#touch(this.#gateway.setHealth(upstream, health));
  }

  /** All that controllers could not do; what is not among it is done. */
  setReported(problems: readonly ReportedProblem[]): void {
    this.#reported = problems;
    this.#isReportDirty = true;
  }

  /** Why the gateway cannot be read, or does not take what it is sent; undefined when it is well. */
  setGatewayFault(fault: GatewayFault, message: string | undefined): void {
    if (message === this.#gatewayFaults.get(fault)?.message) return;
    if (message === undefined) this.#gatewayFaults.delete(fault);
    else this.#gatewayFaults.set(fault, { message, since: this.#options.now() });
    this.#isReportDirty = true;
  }

  /** What an entity of the gateway was made from; a target, what its upstream was. */
  objectOfEntity(collection: ShownCollection, entity: StoredEntity): ShownObject | undefined {
    const { objectOf } = this.#options;
    const own = objectOf(tagsOf(entity));
    if (own !== undefined || collection !== 'targets') return own;
    const upstream = this.#gateway.get(
      'upstreams',
      (entity.upstream as { readonly id?: string } | undefined)?.id ?? '',
    );
    const tagged = upstream && objectOf(tagsOf(upstream));
    if (tagged !== undefined || upstream === undefined) return tagged;
    for (const id of this.#gateway.servicesOfHost(String(upstream.name))) {
      const service = this.#gateway.services.get(id);
      const object = service && objectOf(tagsOf(service));
      if (object !== undefined) return object;
    }
    return undefined;
  }

  /**
   * Makes again what has to be, and says what is different from before. At most so many, so that nobody
   * else waits for long: `hasChanges` says whether there is more.
   */
  settle(most = Number.POSITIVE_INFINITY): ViewChanges {
    const flow = new Map<string, Guarded<FlowNode> | undefined>();
    const routes = new Map<string, Guarded<RouteRow> | undefined>();
    const problems = new Map<string, Guarded<ProblemRow> | undefined>();
    const end = this.made + most;
    this.#take(this.#dirtyRoutes, end, (id) => this.#settleRoute(id, flow, routes));
    this.#take(this.#dirtyServices, end, (id) => this.#settleService(id, flow, problems));
    this.#take(this.#dirtyObjects, end, (key) => this.#settleObject(key, flow, problems));
    if (this.#isReportDirty) this.#settleReport(problems);
    this.#isReportDirty = false;
    return { flow, routes, problems };
  }

  #take(dirty: Set<string>, end: number, settle: (id: string) => void): void {
    for (const id of dirty) {
      if (this.made >= end) return;
      dirty.delete(id);
      settle(id);
    }
  }

  #touch({ routes, services }: Touched): void {
    for (const id of routes) this.#dirtyRoutes.add(id);
    for (const id of services) this.#dirtyServices.add(id);
  }

  #touchObjects(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#dirtyObjects.add(key);
      for (const route of this.#routesOfObject.get(key)) this.#dirtyRoutes.add(route);
    }
  }

  #settleRoute(
    id: string,
    flow: Map<string, Guarded<FlowNode> | undefined>,
    routes: Map<string, Guarded<RouteRow> | undefined>,
  ): void {
    this.made += 1;
    const { objectOf } = this.#options;
    const originOf = (object: ShownObject) => this.#cluster.originOf(objectKey(object));
    const row = routeRow(this.#gateway, id, { objectOf, originOf });
    this.#linkRoute(id, row?.item.object);
    put(this.#routes, id, row, routes);
    const node = row && routeNode(row, this.#gateway, objectOf);
    put(this.#flow, routeNodeId(id), node, flow);
  }

  #linkRoute(id: string, object: ShownObject | undefined): void {
    const before = this.#objectOfRoute.get(id);
    const key = object && objectKey(object);
    if (key === before) return;
    this.#routesOfObject.delete(before, id);
    this.#routesOfObject.add(key, id);
    if (before !== undefined) this.#dirtyObjects.add(before);
    if (key === undefined) this.#objectOfRoute.delete(id);
    else {
      this.#objectOfRoute.set(id, key);
      this.#taggedObjects.set(key, object!);
      this.#dirtyObjects.add(key);
    }
  }

  #settleService(
    id: string,
    flow: Map<string, Guarded<FlowNode> | undefined>,
    problems: Map<string, Guarded<ProblemRow> | undefined>,
  ): void {
    this.made += 1;
    const { objectOf } = this.#options;
    const needs = this.#needsOfService(id);
    const nodes = serviceNodes(this.#gateway, id, needs, objectOf);
    const ids = nodes.map(({ item }) => item.id);
    for (const gone of this.#targetNodes.get(id) ?? [])
      if (!ids.includes(gone)) put(this.#flow, gone, undefined, flow);
    for (const node of nodes) put(this.#flow, node.item.id, node, flow);
    if (ids.length === 0) this.#targetNodes.delete(id);
    else this.#targetNodes.set(id, ids);
    const found = serviceProblems(this.#gateway, id, needs, objectOf);
    this.#putProblems(serviceNodeId(id), found, problems);
  }

  /** A service that names no object is for those who may see all objects that send to it. */
  #needsOfService(id: string): readonly Need[] {
    const needs = new Set<Need>();
    for (const routeId of this.#gateway.routesOf(id)) {
      const route = this.#gateway.routes.get(routeId);
      needs.add(needOf(route && this.#options.objectOf(tagsOf(route))));
    }
    return needs.size === 0 ? [everything] : [...needs];
  }

  #settleObject(
    key: string,
    flow: Map<string, Guarded<FlowNode> | undefined>,
    problems: Map<string, Guarded<ProblemRow> | undefined>,
  ): void {
    this.made += 1;
    const seen = this.#cluster.seen.get(key);
    const routes = this.#routesOfObject.get(key);
    if (routes.size === 0) this.#taggedObjects.delete(key);
    const isShown =
      routes.size > 0 ||
      this.#cluster.applierOf(key) !== undefined ||
      (seen !== undefined && seen.stage !== 'object');
    const object = this.#cluster.object(key) ?? this.#taggedObjects.get(key);
    const node =
      isShown && object !== undefined
        ? objectNode(key, object, seen, {
            applier: this.#cluster.applierOf(key),
            edges: this.#edgesOf(key, object, seen),
          })
        : undefined;
    put(this.#flow, objectNodeId(key), node, flow);
    const found = seen === undefined ? [] : objectProblems(seen, this.#cluster.originOf(key));
    this.#putProblems(objectNodeId(key), found, problems);
  }

  #edgesOf(key: string, object: ShownObject, seen: SeenObject | undefined): GuardedEdge[] {
    if (seen?.stage === 'source')
      return [...this.#cluster.appliersOf(key)].map((applier) => ({
        to: objectNodeId(applier),
        need: needOf(this.#cluster.object(applier)),
      }));
    const need = needOf(object);
    return [...this.#routesOfObject.get(key)].map((id) => ({ to: routeNodeId(id), need }));
  }

  #settleReport(problems: Map<string, Guarded<ProblemRow> | undefined>): void {
    const found = this.#reported.map((problem) =>
      reportedProblem(problem, this.#cluster.originOf(objectKey(problem.object))),
    );
    this.#putProblems('reported', found, problems);
    const own = [...this.#gatewayFaults].map(([fault, { message, since }]) =>
      gatewayProblem(fault, message, since),
    );
    this.#putProblems('gateway', own, problems);
  }

  /** A problem keeps the time that it was first seen for as long as it lasts. */
  #putProblems(
    owner: string,
    found: readonly Guarded<ProblemRow>[],
    changes: Map<string, Guarded<ProblemRow> | undefined>,
  ): void {
    const ids = new Set(found.map(({ item }) => item.id));
    for (const gone of this.#problemsOf.get(owner) ?? [])
      if (!ids.has(gone)) put(this.#problems, gone, undefined, changes);
    for (const problem of found) {
      const { id, since } = problem.item;
      const known = this.#problems.get(id)?.item.since;
      const start = since > 0 ? since : (known ?? this.#options.now());
      put(this.#problems, id, { ...problem, item: { ...problem.item, since: start } }, changes);
    }
    if (ids.size === 0) this.#problemsOf.delete(owner);
    else this.#problemsOf.set(owner, [...ids]);
  }
}

/** Puts what was made, and notes it when it is not what was there. */
function put<T>(
  into: Map<string, Guarded<T>>,
  id: string,
  now: Guarded<T> | undefined,
  changes: Map<string, Guarded<T> | undefined>,
): void {
  const before = into.get(id);
  if (now === undefined) {
    if (into.delete(id)) changes.set(id, undefined);
    return;
  }
  into.set(id, now);
  const isSame =
    before !== undefined &&
    equalJson(before.item as never, now.item as never) &&
    equalJson([...before.needs], [...now.needs]);
  if (!isSame) changes.set(id, now);
}
