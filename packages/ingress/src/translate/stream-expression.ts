import { allOf, anyOf, compare } from './expression.ts';
import { sniMatcher } from './expression-matchers.ts';
import type { RouteEntity } from './kong-state.ts';

/** A TCP, TLS or UDP route for the expressions router: its SNIs and ports become the expression. */
export function withStreamExpression(route: RouteEntity): RouteEntity {
  const { snis, destinations, ...rest } = route;
  const expression = allOf(
    sniMatcher(snis ?? []),
    anyOf(...(destinations ?? []).map(({ port }) => compare('net.dst.port', '==', port))),
  );
  return expression === '' ? rest : { ...rest, expression, priority: 1 };
}
