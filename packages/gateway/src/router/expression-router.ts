import type { MatchState } from './atc/compile-expression.ts';
import { CandidateIndex } from './candidate-index.ts';
import { splitHostPort } from './host-port.ts';
import { patternBudget } from './pattern-budget.ts';
import type { ChangingRouter, RouteEntry, RouteMatch, RouteRequest } from './route-match.ts';
import {
  basePathOf,
  compareParts,
  compileParts,
  type ExpressionFlavor,
  type RoutePart,
} from './route-part.ts';
import { joinUpstreamPathV0, sanitizePostfix } from './upstream-path.ts';

interface CompiledRoute {
  entry: RouteEntry;
  readonly parts: readonly RoutePart[];
}

/**
 * Kong's expression engine, behind the flavours `traditional_compatible` and `expressions`. Routes are
 * tried by priority, ties go to the higher id. A route that cannot be compiled is left out.
 */
export class ExpressionRouter implements ChangingRouter {
  readonly #flavor: ExpressionFlavor;
  readonly #index = new CandidateIndex<RoutePart>(compareParts);
  readonly #routes = new Map<string, CompiledRoute>();
  readonly #state: MatchState = { matchedPath: undefined, captures: undefined };

  constructor(entries: Iterable<RouteEntry>, flavor: ExpressionFlavor) {
    this.#flavor = flavor;
    const all: RoutePart[] = [];
    for (const entry of entries) {
      all.push(...this.#compile(entry));
    }
    // In order each goes to the end of its list.
    for (const part of all.sort(compareParts)) {
      this.#index.add(part, part);
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
      for (const part of known.parts) {
        part.entry = entry;
        part.basePath = basePathOf(entry);
      }
      return before;
    }
    for (const part of known?.parts ?? []) {
      this.#index.remove(part, part);
    }
    this.#routes.delete(id);
    for (const part of entry === undefined ? [] : this.#compile(entry)) {
      this.#index.add(part, part);
    }
    return before;
  }

  match(request: RouteRequest): RouteMatch | undefined {
    patternBudget.renew();
    const { path } = request;
    const index = this.#index;
    const state = this.#state;
    index.search(path, splitHostPort(request.host).host);
    let tried: RoutePart | undefined;
    for (let part = index.next(); part !== undefined; part = index.next()) {
      // One of many paths comes up by each of its keys, one after the other; once is enough.
      if (part === tried) {
        continue;
      }
      tried = part;
      state.matchedPath = undefined;
      state.captures = undefined;
      if (part.rest === undefined || part.rest(request, state)) {
        const matched = part.isPathSure ? index.pathText : state.matchedPath;
        return toRouteMatch(part, path, matched, state.captures);
      }
    }
    return undefined;
  }

  #compile(entry: RouteEntry): readonly RoutePart[] {
    const parts = compileParts(entry, this.#flavor);
    this.#routes.set(entry.route.id, { entry, parts });
    return parts;
  }
}

function toRouteMatch(
  { entry, isStripping, basePath }: RoutePart,
  path: string,
  matchedPath: string | undefined,
  captures: RouteMatch['captures'],
): RouteMatch {
  const prefix = isStripping ? matchedPath : undefined;
  const postfix = sanitizePostfix(path.slice(prefix === undefined ? 1 : prefix.length));
  const upstreamPath = joinUpstreamPathV0(isStripping, postfix, path, basePath);
  return { entry, prefix, upstreamPath, captures };
}
