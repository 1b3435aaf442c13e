import type { KongRoute } from '@waygate/kong';
import { uuidV5 } from '@waygate/text';
import type { TextKey } from '../collection/text-key.ts';
import { type CompiledExpression, compileExpression } from './atc/compile-expression.ts';
import { and, type Expression, or, stringPredicate } from './atc/expression.ts';
import { isExactly, keysOf, mentions, singleMatch } from './atc/index-keys.ts';
import { ExpressionSyntaxError, parseExpression } from './atc/parse-expression.ts';
import type { CandidateKeys } from './candidate-index.ts';
import { routeExpression } from './route-expression.ts';
import type { RouteEntry } from './route-match.ts';
import { routePriority } from './route-priority.ts';

/** The namespace of the ids that parts of a split route get; the same as Kong's, as ties go by id. */
const splitRouteNamespace = '7f145bf9-0dce-4f91-98eb-debbce4b9f6b';

/** A route with so many pairs of hosts and paths is found by its hosts alone. */
const mostPairs = 1_000;

export type ExpressionFlavor = 'traditional_compatible' | 'expressions';

/** A part of a route, ready to be matched. */
export interface RoutePart extends CandidateKeys {
  readonly entry: RouteEntry;
  /** What is left to test once the keys fit. */
  readonly rest: CompiledExpression | undefined;
  /** Whether the key that a request was found by is all there is to say on its path. */
  readonly isPathSure: boolean;
  readonly isStripping: boolean;
  /** The halves of the 64-bit priority. */
  readonly upperPriority: number;
  readonly lowerPriority: number;
  readonly id: string;
}

/** Those with the higher priority come first, ties go to the higher id. */
export function compareParts(one: RoutePart, two: RoutePart): number {
  if (one.upperPriority !== two.upperPriority) return two.upperPriority - one.upperPriority;
  if (one.lowerPriority !== two.lowerPriority) return two.lowerPriority - one.lowerPriority;
  return one.id === two.id ? 0 : one.id > two.id ? -1 : 1;
}

/** The parts of a route. One that cannot be compiled is left out. */
export function compileParts(entry: RouteEntry, flavor: ExpressionFlavor): readonly RoutePart[] {
  return splitByPath(entry.route).flatMap(({ route, id, priority }): RoutePart[] => {
    const expression = expressionOf(route, flavor);
    const keyed = expression === undefined ? undefined : keyExpression(expression);
    if (keyed === undefined) return [];
    return [
      {
        entry,
        rest: keyed.rest,
        isPathSure: keyed.isPathSure,
        isStripping: route.strip_path === true,
        upperPriority: Number(priority >> 32n),
        lowerPriority: Number(priority & 0xffffffffn),
        id,
        hosts: keyed.hosts,
        paths: keyed.paths,
      },
    ];
  });
}

type KeyedExpression = CandidateKeys & Pick<RoutePart, 'isPathSure' | 'rest'>;

/** Splits an expression into the texts that it can be found by and a function for the others. */
function keyExpression(expression: Expression): KeyedExpression | undefined {
  const terms = termsOf(expression);
  const host = terms.find((term) => keysOf(term, 'http.host') !== null);
  const path = terms.find((term) => keysOf(term, 'http.path') !== null);
  const hosts = host === undefined ? null : keysOf(host, 'http.host');
  let paths: readonly TextKey[] | null = path === undefined ? null : keysOf(path, 'http.path');
  if ((hosts?.length ?? 1) * (paths?.length ?? 1) > mostPairs && hosts !== null) paths = null;
  const isPathSure =
    path !== undefined &&
    paths !== null &&
    isExactly(path, 'http.path') &&
    singleMatch(paths) &&
    terms.every((term) => term === path || !mentions(term, 'http.path'));
  const isHostSure = host !== undefined && isExactly(host, 'http.host');
  const left = and(
    terms.filter((term) => !(isPathSure && term === path) && !(isHostSure && term === host)),
  );
  const rest = left === undefined ? undefined : compileExpression(left);
  return typeof rest === 'object' ? undefined : { hosts, paths, isPathSure, rest };
}

/** All that must hold together. */
function termsOf(expression: Expression, terms: Expression[] = []): Expression[] {
  if (expression.kind !== 'and') {
    terms.push(expression);
    return terms;
  }
  termsOf(expression.left, terms);
  return termsOf(expression.right, terms);
}

function expressionOf(route: KongRoute, flavor: ExpressionFlavor): Expression | undefined {
  const text = route.expression;
  if (text === null || text === undefined) {
    const expression = routeExpression(route);
    return flavor === 'expressions' ? withProtocols(expression, route) : expression;
  }
  try {
    return withProtocols(parseExpression(text), route);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return undefined;
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

interface SplitRoute {
  readonly route: KongRoute;
  readonly id: string;
  readonly priority: bigint;
}

/** One part for each length of prefix and one for all regular expressions, as priorities ask for it. */
function splitByPath(route: KongRoute & { readonly id: string }): SplitRoute[] {
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
