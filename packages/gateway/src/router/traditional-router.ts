import { splitTraditionalHost } from './host-port.ts';
import { patternBudget } from './pattern-budget.ts';
import { PreparedRoutes } from './prepared-routes.ts';
import {
  isStreamRoute,
  type RouteChange,
  type RouteMatch,
  type RouteRequest,
  type Router,
} from './route-match.ts';
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

interface Parts {
  readonly routes: PreparedRoutes<TraditionalRoute>;
  readonly hits: TraditionalHits;
  readonly byRules: ReadonlyMap<number, TraditionalCategory>;
  /** Those of streams in their order: they are few, and are walked. */
  readonly streams: readonly TraditionalRoute[];
}

/**
 * Kong's first router (`router_flavor = traditional`). Routes that match on the same fields form a
 * category; categories with more fields are tried first. The search starts at the category that the
 * request looks most like, even if a route of a greater one would match too: a trait of Kong's that
 * clients can see, and that is kept here.
 */
export class TraditionalRouter implements Router {
  readonly #parts: Parts;
  /** In the order in which they are tried. */
  readonly #categories: readonly TraditionalCategory[];

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#categories = [...parts.byRules.values()].sort(
      (one, two) => two.weight - one.weight || two.rules - one.rules,
    );
  }

  /** A router without routes. */
  static empty(): TraditionalRouter {
    return new TraditionalRouter({
      routes: new PreparedRoutes(prepareTraditional),
      hits: TraditionalHits.empty(),
      byRules: new Map(),
      streams: [],
    });
  }

  change(changes: readonly RouteChange[]): TraditionalRouter {
    const { routes, removed, added } = this.#parts.routes.change(changes);
    return new TraditionalRouter({
      routes,
      hits: this.#parts.hits.change(removed, added),
      byRules: this.#changeCategories(removed, added),
      streams: this.#changeStreams(removed, added),
    });
  }

  match(request: RouteRequest): RouteMatch | undefined {
    patternBudget.renew();
    if (request.path === '') return this.#matchStream(request);
    const defaultPort = request.protocol === 'https' ? 443 : 80;
    const host = splitTraditionalHost(request.host, defaultPort);
    const input = { request, hostWithoutPort: host.withoutPort, hostWithPort: host.withPort };
    const hits = this.#parts.hits.find(input);
    const rules = this.#likelyRules(input, hits);
    if (rules === 0) return undefined;
    const likely = this.#parts.byRules.get(rules);
    const start = likely === undefined ? 0 : this.#categories.indexOf(likely);
    for (let at = start; at < this.#categories.length; at += 1) {
      const found = this.#categories[at]?.find(input, hits);
      if (found !== undefined) return toRouteMatch(found, request.path);
    }
    return undefined;
  }

  #changeCategories(
    removed: readonly TraditionalRoute[],
    added: readonly TraditionalRoute[],
  ): Parts['byRules'] {
    const byRules = new Map(this.#parts.byRules);
    for (const rules of new Set([...removed, ...added].map((route) => route.rules))) {
      const isMember = (route: TraditionalRoute) => route.rules === rules;
      const before = byRules.get(rules) ?? TraditionalCategory.empty(rules);
      const after = before.change(removed.filter(isMember), added.filter(isMember));
      if (after.isEmpty) {
        byRules.delete(rules);
      } else {
        byRules.set(rules, after);
      }
    }
    return byRules;
  }

  #changeStreams(
    removed: readonly TraditionalRoute[],
    added: readonly TraditionalRoute[],
  ): Parts['streams'] {
    const isStream = ({ entry }: TraditionalRoute) => isStreamRoute(entry.route);
    const gone = new Set(removed.filter(isStream));
    const come = added.filter(isStream);
    return gone.size + come.length === 0
      ? this.#parts.streams
      : this.#parts.streams
          .filter((route) => !gone.has(route))
          .concat(come)
          .sort(compareTraditional);
  }

  #matchStream(request: RouteRequest): RouteMatch | undefined {
    const input = { request, hostWithoutPort: '', hostWithPort: '' };
    let best: TraditionalRoute | undefined;
    for (const route of this.#parts.streams) {
      const isBetter =
        best === undefined ||
        route.weight > best.weight ||
        (route.weight === best.weight && route.rules > best.rules);
      if (isBetter && matchTraditional(route, input) !== undefined) best = route;
    }
    return best === undefined
      ? undefined
      : { entry: best.entry, prefix: undefined, upstreamPath: '', captures: undefined };
  }

  #likelyRules(input: TraditionalRequest, hits: Hits): number {
    const { request } = input;
    const isHost = hits.host !== undefined || this.#parts.hits.isPlainHost(input);
    return (
      (isHost ? matchRule.host : 0) |
      (hits.headerName === undefined ? 0 : matchRule.header) |
      (hits.uri === undefined ? 0 : matchRule.uri) |
      (this.#parts.hits.isMethod(request.method) ? matchRule.method : 0) |
      (this.#parts.hits.isServerName(request.sni ?? '') ? matchRule.sni : 0)
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
