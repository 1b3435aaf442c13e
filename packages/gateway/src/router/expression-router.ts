import type { KongRoute } from '@waygate/kong';
import {
  type CompiledExpression,
  compileExpression,
  type MatchState,
} from './atc/compile-expression.ts';
import { and, type Expression, or, stringPredicate } from './atc/expression.ts';
import { indexKeys } from './atc/index-keys.ts';
import { ExpressionSyntaxError, parseExpression } from './atc/parse-expression.ts';
import { CandidateIndex, type TextKey } from './candidate-index.ts';
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
  readonly route: KongRoute;
  readonly id: string;
  readonly priority: bigint;
}

/** A part of a route, ready to be matched. */
interface CompiledPart {
  readonly id: string;
  readonly priority: bigint;
  readonly hosts: readonly TextKey[] | null;
  readonly paths: readonly TextKey[] | null;
  readonly matches: CompiledExpression;
}

type Flavor = 'traditional_compatible' | 'expressions';

/** Routes that did not change are not compiled again for the next configuration. */
const compiledRoutes: Readonly<Record<Flavor, WeakMap<KongRoute, readonly CompiledPart[]>>> = {
  traditional_compatible: new WeakMap(),
  expressions: new WeakMap(),
};

/**
 * Kong's expression engine, behind the flavours `traditional_compatible` and `expressions`. Routes are
 * tried by priority, ties go to the higher id. A route that cannot be compiled is left out.
 */
export class ExpressionRouter implements Router {
  readonly #index: CandidateIndex<CompiledRoute>;

  constructor(entries: Iterable<RouteEntry>, flavor: Flavor) {
    const parts: { readonly part: CompiledPart; readonly entry: RouteEntry }[] = [];
    for (const entry of entries) {
      for (const part of compiledParts(entry.route, flavor)) {
        parts.push({ part, entry });
      }
    }
    parts.sort((a, b) => byPriority(a.part, b.part));
    this.#index = new CandidateIndex(
      parts.map(({ part, entry }, rank) => ({
        rank,
        hosts: part.hosts,
        paths: part.paths,
        value: { entry, matches: part.matches },
      })),
    );
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

function compiledParts(
  route: KongRoute & { readonly id: string },
  flavor: Flavor,
): readonly CompiledPart[] {
  let parts = compiledRoutes[flavor].get(route);
  if (parts === undefined) {
    parts = splitByPath(route).flatMap((part) => {
      const expression = expressionOf(part.route, flavor);
      const matches = expression === undefined ? undefined : compileExpression(expression);
      if (expression === undefined || typeof matches !== 'function') {
        return [];
      }
      const hosts = indexKeys(expression, 'http.host');
      const paths = indexKeys(expression, 'http.path');
      return [{ id: part.id, priority: part.priority, hosts, paths, matches }];
    });
    compiledRoutes[flavor].set(route, parts);
  }
  return parts;
}

function toRouteMatch(entry: RouteEntry, path: string, state: MatchState): RouteMatch {
  const { route, service } = entry;
  const prefix = route.strip_path === true ? state.matchedPath : undefined;
  const postfix = sanitizePostfix(path.slice(prefix === undefined ? 1 : prefix.length));
  const upstreamPath = joinUpstreamPathV0(route, postfix, path, service?.path ?? '/');
  return { entry, prefix, upstreamPath, captures: state.captures };
}

function expressionOf(route: KongRoute, flavor: Flavor): Expression | undefined {
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
function splitByPath(route: KongRoute & { readonly id: string }): RoutePart[] {
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
    return [{ route, id: route.id, priority: routePriority(route) }];
  }
  return [...groups.values()].map((paths, index) => {
    const part = { ...route, paths };
    const id = uuidV5(splitRouteNamespace, `${route.id}#${index + 1}`);
    return { route: part, id, priority: routePriority(part) };
  });
}

function byPriority(a: CompiledPart, b: CompiledPart): number {
  if (a.priority !== b.priority) {
    return a.priority > b.priority ? -1 : 1;
  }
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
}
