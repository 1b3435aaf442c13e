import type { KongRoute } from '@waygate/kong';
import {
  type CompiledExpression,
  compileExpression,
  type MatchState,
} from './atc/compile-expression.ts';
import { and, type Expression, or, stringPredicate } from './atc/expression.ts';
import { indexKeys } from './atc/index-keys.ts';
import { ExpressionSyntaxError, parseExpression } from './atc/parse-expression.ts';
import { CandidateIndex } from './candidate-index.ts';
import { splitHostPort } from './host-port.ts';
import { routeExpression } from './route-expression.ts';
import type { RouteEntry, RouteMatch, RouteRequest, Router } from './route-match.ts';
import { routePriority } from './route-priority.ts';
import { joinUpstreamPathV0, sanitizePostfix } from './upstream-path.ts';
import { uuidV5 } from './uuid-v5.ts';

/** The namespace of the ids that parts of a split route get; the same as Kong's, as ties go by id. */
const splitRouteNamespace = '7f145bf9-0dce-4f91-98eb-debbce4b9f6b';

interface CompiledRoute {
  readonly entry: RouteEntry;
  readonly matches: CompiledExpression;
}

interface RoutePart {
  readonly entry: RouteEntry;
  readonly route: KongRoute;
  readonly id: string;
  readonly priority: bigint;
}

/**
 * Kong's expression engine, behind the flavours `traditional_compatible` and `expressions`. Routes are
 * tried by priority, ties go to the higher id. A route that cannot be compiled is left out.
 */
export class ExpressionRouter implements Router {
  readonly #index: CandidateIndex<CompiledRoute>;

  constructor(entries: Iterable<RouteEntry>, flavor: 'traditional_compatible' | 'expressions') {
    const parts = [...entries].flatMap(splitByPath).sort(byPriority);
    const candidates = parts.flatMap((part, rank) => {
      const expression = expressionOf(part.route, flavor);
      const matches = expression === undefined ? undefined : compileExpression(expression);
      if (expression === undefined || typeof matches !== 'function') {
        return [];
      }
      return [
        {
          rank,
          hosts: indexKeys(expression, 'http.host'),
          paths: indexKeys(expression, 'http.path'),
          value: { entry: part.entry, matches },
        },
      ];
    });
    this.#index = new CandidateIndex(candidates);
  }

  match(request: RouteRequest): RouteMatch | undefined {
    const { host } = splitHostPort(request.host);
    const state: MatchState = { matchedPath: undefined, captures: undefined };
    return this.#index.find([host], request.path, (candidate) => {
      state.matchedPath = undefined;
      state.captures = undefined;
      return candidate.matches(request, state)
        ? toRouteMatch(candidate.entry, request.path, state)
        : undefined;
    });
  }
}

function toRouteMatch(entry: RouteEntry, path: string, state: MatchState): RouteMatch {
  const { route, service } = entry;
  const prefix = route.strip_path === true ? state.matchedPath : undefined;
  const postfix = sanitizePostfix(path.slice(prefix === undefined ? 1 : prefix.length));
  const upstreamPath = joinUpstreamPathV0(route, postfix, path, service?.path ?? '/');
  return { entry, prefix, upstreamPath, captures: state.captures };
}

function expressionOf(
  route: KongRoute,
  flavor: 'traditional_compatible' | 'expressions',
): Expression | undefined {
  const text = route.expression;
  if (text === null || text === undefined) {
    const expression = routeExpression(route);
    return flavor === 'expressions' ? withProtocols(expression, route) : expression;
  }
  try {
    return withProtocols(parseExpression(text), route);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) {
      return undefined;
    }
    throw error;
  }
}

/** In the expressions flavour a route serves its protocols only, but https routes may redirect. */
function withProtocols(
  expression: Expression | undefined,
  route: KongRoute,
): Expression | undefined {
  const protocols = route.protocols ?? [];
  const isSingle = protocols.length === 1;
  if (isSingle && ['https', 'tls', 'tls_passthrough'].includes(protocols[0] ?? '')) {
    return expression;
  }
  const names: Readonly<Record<string, string>> = {
    tls_passthrough: 'tcp',
    grpc: 'http',
    grpcs: 'https',
  };
  const guard = or(
    protocols.map((protocol) => stringPredicate('net.protocol', '==', names[protocol] ?? protocol)),
  );
  return and([expression, guard].filter((part) => part !== undefined));
}

/** One part for each length of prefix and one for all regular expressions, as priorities ask for it. */
function splitByPath(entry: RouteEntry): RoutePart[] {
  const { route } = entry;
  const groups = new Map<number, string[]>();
  for (const path of route.paths ?? []) {
    const key = path.startsWith('~') ? 0 : Buffer.byteLength(path, 'utf8');
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [path]);
    } else {
      group.push(path);
    }
  }
  if (groups.size <= 1 || (route.expression !== null && route.expression !== undefined)) {
    return [{ entry, route, id: route.id, priority: routePriority(route) }];
  }
  return [...groups.values()].map((paths, index) => {
    const part = { ...route, paths };
    const id = uuidV5(splitRouteNamespace, `${route.id}#${index + 1}`);
    return { entry, route: part, id, priority: routePriority(part) };
  });
}

function byPriority(a: RoutePart, b: RoutePart): number {
  if (a.priority !== b.priority) {
    return a.priority > b.priority ? -1 : 1;
  }
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
}
