import { splitTraditionalHost } from './host-port.ts';
import { patternBudget } from './pattern-budget.ts';
import {
  type ChangingRouter,
  isStreamRoute,
  type RouteEntry,
  type RouteMatch,
  type RouteRequest,
} from './route-match.ts';
import { insertSorted, removeSorted } from './sorted-list.ts';
import { type FoundRoute, type Hits, TraditionalCategory } from './traditional-category.ts';
import { TraditionalHits } from './traditional-hits.ts';
import { matchTraditional, type TraditionalRequest } from './traditional-matcher.ts';
import {
  compareTraditional,
  matchRule,
  prepareTraditional,
  type TraditionalRoute,
} from './traditional-route.ts';
import { joinUpstreamPathV0, joinUpstreamPathV1 } from './upstream-path.ts';

interface PreparedRoute {
  entry: RouteEntry;
  readonly routes: readonly TraditionalRoute[];
}

/**
 * Kong's first router (`router_flavor = traditional`). Routes that match on the same fields form a
 * category; categories with more fields are tried first. The search starts at the category that the
 * request looks most like, even if a route of a greater one would match too: a trait of Kong's that
 * clients can see, and that is kept here.
 */
export class TraditionalRouter implements ChangingRouter {
  readonly #routes = new Map<string, PreparedRoute>();
  readonly #hits = new TraditionalHits();
  readonly #byRules = new Map<number, TraditionalCategory>();
  /** Those of streams in their order: they are few, and are walked. */
  readonly #streams: TraditionalRoute[] = [];
  /** In the order in which they are tried; undefined after one came or went, until it is needed. */
  #categories: readonly TraditionalCategory[] | undefined;

  constructor(entries: Iterable<RouteEntry>) {
    const all: TraditionalRoute[] = [];
    for (const entry of entries) {
      all.push(...this.#prepare(entry));
    }
    for (const route of all.sort(compareTraditional)) {
      this.#add(route);
    }
  }

  get size(): number {
    return this.#routes.size;
  }

  set(id: string, entry: RouteEntry | undefined): RouteEntry | undefined {
    const known = this.#routes.get(id);
    const before = known?.entry;
    if (known !== undefined && entry !== undefined && known.entry.route === entry.route) {
      known.entry = entry;
      for (const route of known.routes) {
        route.entry = entry;
      }
      return before;
    }
    for (const route of known?.routes ?? []) {
      this.#remove(route);
    }
    this.#routes.delete(id);
    for (const route of entry === undefined ? [] : this.#prepare(entry)) {
      this.#add(route);
    }
    return before;
  }

  match(request: RouteRequest): RouteMatch | undefined {
    patternBudget.renew();
    if (request.path === '') {
      return this.#matchStream(request);
    }
    const defaultPort = request.protocol === 'https' ? 443 : 80;
    const host = splitTraditionalHost(request.host, defaultPort);
    const input = { request, hostWithoutPort: host.withoutPort, hostWithPort: host.withPort };
    const hits = this.#hits.find(input);
    const rules = this.#likelyRules(input, hits);
    if (rules === 0) {
      return undefined;
    }
    this.#categories ??= [...this.#byRules.values()].sort(
      (one, two) => two.weight - one.weight || two.rules - one.rules,
    );
    const likely = this.#byRules.get(rules);
    const start = likely === undefined ? 0 : this.#categories.indexOf(likely);
    for (let at = start; at < this.#categories.length; at += 1) {
      const found = this.#categories[at]?.find(input, hits);
      if (found !== undefined) {
        return toRouteMatch(found, request.path);
      }
    }
    return undefined;
  }

  #prepare(entry: RouteEntry): readonly TraditionalRoute[] {
    const routes = prepareTraditional(entry);
    this.#routes.set(entry.route.id, { entry, routes });
    return routes;
  }

  #add(route: TraditionalRoute): void {
    let category = this.#byRules.get(route.rules);
    if (category === undefined) {
      category = new TraditionalCategory(route);
      this.#byRules.set(route.rules, category);
      this.#categories = undefined;
    }
    category.add(route);
    this.#hits.add(route);
    if (isStreamRoute(route.entry.route)) {
      insertSorted(this.#streams, route, compareTraditional);
    }
  }

  #remove(route: TraditionalRoute): void {
    const category = this.#byRules.get(route.rules);
    category?.remove(route);
    if (category?.isEmpty === true) {
      this.#byRules.delete(route.rules);
      this.#categories = undefined;
    }
    this.#hits.remove(route);
    removeSorted(this.#streams, route, compareTraditional);
  }

  #matchStream(request: RouteRequest): RouteMatch | undefined {
    const input = { request, hostWithoutPort: '', hostWithPort: '' };
    let best: TraditionalRoute | undefined;
    for (const route of this.#streams) {
      const isBetter =
        best === undefined ||
        route.weight > best.weight ||
        (route.weight === best.weight && route.rules > best.rules);
      if (isBetter && matchTraditional(route, input) !== undefined) {
        best = route;
      }
    }
    return best === undefined
      ? undefined
      : { entry: best.entry, prefix: undefined, upstreamPath: '', captures: undefined };
  }

  #likelyRules(input: TraditionalRequest, hits: Hits): number {
    const { request } = input;
    const isHost = hits.host !== undefined || this.#hits.isPlainHost(input);
    return (
      (isHost ? matchRule.host : 0) |
      (hits.headerName === undefined ? 0 : matchRule.header) |
      (hits.uri === undefined ? 0 : matchRule.uri) |
      (this.#hits.isMethod(request.method) ? matchRule.method : 0) |
      (this.#hits.isServerName(request.sni ?? '') ? matchRule.sni : 0)
    );
  }
}

function toRouteMatch({ route, uri }: FoundRoute, path: string): RouteMatch {
  const { entry } = route;
  const base = entry.service?.path ?? '/';
  const postfix = uri.postfix ?? path.slice(1);
  const isStripping = entry.route.strip_path === true;
  const join = entry.route.path_handling === 'v1' ? joinUpstreamPathV1 : joinUpstreamPathV0;
  return {
    entry,
    prefix: isStripping ? uri.prefix : undefined,
    upstreamPath: join(isStripping, postfix, path, base),
    captures: uri.captures,
  };
}
