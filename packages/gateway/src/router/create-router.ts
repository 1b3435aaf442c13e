import { ExpressionRouter } from './expression-router.ts';
import {
  type ChangingRouter,
  isStreamRoute,
  type RouteEntry,
  type Router,
  type RouterFlavor,
} from './route-match.ts';
import { RouterVersion } from './router-version.ts';
import { TraditionalRouter } from './traditional-router.ts';

/** The routers of one configuration: requests and streams never meet each other's routes. */
export interface RouterPair {
  readonly http: Router;
  readonly stream: Router;
}

/**
 * Builds the routers for a set of routes. They never change what they decide:
 * {@link RouterVersion.change} makes the next ones, and requests under way keep theirs.
 */
export function createRouters(flavor: RouterFlavor, entries: readonly RouteEntry[]): RouterVersion {
  const stream = entries.filter(({ route }) => isStreamRoute(route));
  const http = entries.filter(({ route }) => !isStreamRoute(route));
  const create = (routes: readonly RouteEntry[]): ChangingRouter =>
    flavor === 'traditional' ? new TraditionalRouter(routes) : new ExpressionRouter(routes, flavor);
  return new RouterVersion({ http: create(http), stream: create(stream) });
}
