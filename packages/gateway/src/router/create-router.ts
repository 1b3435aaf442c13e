import { ExpressionRouter } from './expression-router.ts';
import { isStreamRoute, type RouteEntry, type Router, type RouterFlavor } from './route-match.ts';
import { TraditionalRouter } from './traditional-router.ts';

/** The routers of one configuration: requests and streams never meet each other's routes. */
export interface RouterPair {
  readonly http: Router;
  readonly stream: Router;
}

/**
 * Builds the routers for a set of routes. Nothing is changed later: a new configuration gets new ones,
 * and requests under way keep theirs.
 */
export function createRouters(flavor: RouterFlavor, entries: readonly RouteEntry[]): RouterPair {
  const stream = entries.filter(({ route }) => isStreamRoute(route));
  const http = entries.filter(({ route }) => !isStreamRoute(route));
  const create = (routes: readonly RouteEntry[]): Router =>
    flavor === 'traditional' ? new TraditionalRouter(routes) : new ExpressionRouter(routes, flavor);
  return { http: create(http), stream: create(stream) };
}
