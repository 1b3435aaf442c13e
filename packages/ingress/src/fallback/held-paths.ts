import type { BrokenRule } from '../translate/broken-rule.ts';
import { allOf, anyOf, type Matcher } from '../translate/expression.ts';
import type { RouteEntity } from '../translate/kong-state.ts';

/** A route of before, for only what of it is at fault now: its other paths were taken away, or lead elsewhere. */
export function narrowedTo(route: RouteEntity, rules: readonly BrokenRule[]): RouteEntity {
  const broken = rules.flatMap(({ paths }) => paths);
  if (route.expression === undefined)
    return { ...route, paths: (route.paths ?? []).filter((path) => broken.includes(path)) };
  return withPathMatcher(route, (_before, whole) =>
    anyOf(...broken.filter((matcher) => whole.includes(matcher))),
  );
}

/** A route as it is asked for, which goes on to serve what is at fault and was served by it before. */
export function widenedBy(route: RouteEntity, rules: readonly BrokenRule[]): RouteEntity {
  const { paths = [], expression = '' } = route;
  const isThere = (path: string) => paths.includes(path) || expression.includes(path);
  const lost = rules.filter((rule) => !rule.paths.every(isThere));
  if (lost.length === 0) return route;
  const broken = lost.flatMap((rule) => rule.paths);
  if (route.expression === undefined)
    return { ...route, paths: [...new Set([...paths, ...broken])] };
  const priority = Math.max(...[route, ...lost].map((one) => one.priority ?? 0));
  return { ...withPathMatcher(route, (before) => anyOf(before, ...broken)), priority };
}

/** The same route with another matcher in the place of the one for its paths, of which there is one. */
function withPathMatcher(
  route: RouteEntity,
  change: (before: Matcher, whole: Matcher) => Matcher,
): RouteEntity {
  const { expression = '' } = route;
  const parts = conjunctsOf(expression).map((part) =>
    part.replaceAll(quoted, '').includes('http.path') ? change(part, expression) : part,
  );
  return { ...route, expression: allOf(...parts) };
}

const quoted = /"(?:\\.|[^"\\])*"/gu;

/** What `allOf` was given. */
function conjunctsOf(expression: Matcher): Matcher[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of expression.matchAll(/"(?:\\.|[^"\\])*"| && |[\s\S]/gu)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ' && ' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.length === 1 ? parts : parts.map((part) => part.slice(1, -1));
}
