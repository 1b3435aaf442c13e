import type { MatchState } from './atc/compile-expression.ts';
import { lowerHost } from './atc/index-keys.ts';
import { CandidateIndex } from './candidate-index.ts';
import { splitHostPort } from './host-port.ts';
import { patternBudget } from './pattern-budget.ts';
import { PreparedRoutes } from './prepared-routes.ts';
import type { RouteChange, RouteMatch, RouteRequest, Router } from './route-match.ts';
import { compareParts, compileParts, type ExpressionFlavor, type RoutePart } from './route-part.ts';
import { joinUpstreamPathV0, sanitizePostfix } from './upstream-path.ts';

/**
 * Kong's expression engine, behind the flavours `traditional_compatible` and `expressions`. Routes are
 * tried by priority, ties go to the higher id. A route that cannot be compiled is left out.
 */
export class ExpressionRouter implements Router {
  readonly #routes: PreparedRoutes<RoutePart>;
  readonly #index: CandidateIndex<RoutePart>;

  private constructor(routes: PreparedRoutes<RoutePart>, index: CandidateIndex<RoutePart>) {
    this.#routes = routes;
    this.#index = index;
  }

  /** A router without routes. */
  static empty(flavor: ExpressionFlavor): ExpressionRouter {
    return new ExpressionRouter(
      new PreparedRoutes((entry) => compileParts(entry, flavor)),
      CandidateIndex.empty({ compare: compareParts, keysOf: (part) => part }),
    );
  }

  change(changes: readonly RouteChange[]): ExpressionRouter {
    const { routes, removed, added } = this.#routes.change(changes);
    return new ExpressionRouter(routes, this.#index.change(removed, added));
  }

  match(request: RouteRequest): RouteMatch | undefined {
    patternBudget.renew();
    const { path } = request;
    const state: MatchState = { matchedPath: undefined, captures: undefined };
    const { host } = splitHostPort(request.host);
    const candidates = this.#index.search(path, host, lowerHost(host));
    let tried: RoutePart | undefined;
    for (let found = candidates.next(); found !== undefined; found = candidates.next()) {
      const part = found.candidate;
      // One of many paths comes up by each of its keys, one after the other; once is enough.
      if (part === tried) continue;
      tried = part;
      state.matchedPath = undefined;
      state.captures = undefined;
      if (part.rest === undefined || part.rest(request, state)) {
        const matched = part.isPathSure ? found.path?.text : state.matchedPath;
        return toRouteMatch(part, path, matched, state.captures);
      }
    }
    return undefined;
  }
}

function toRouteMatch(
  { entry, isStripping }: RoutePart,
  path: string,
  matchedPath: string | undefined,
  captures: RouteMatch['captures'],
): RouteMatch {
  const prefix = isStripping ? matchedPath : undefined;
  const postfix = sanitizePostfix(path.slice(prefix === undefined ? 1 : prefix.length));
  const base = entry.service?.path ?? '/';
  const upstreamPath = joinUpstreamPathV0(isStripping, postfix, path, base);
  return { entry, prefix, upstreamPath, captures };
}
