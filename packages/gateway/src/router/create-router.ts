import type { RouterFlavor } from '@waygate/kong';
import { ExpressionRouter } from './expression-router.ts';
import { isStreamRoute, type RouteChange, type RouteEntry, type Router } from './route-match.ts';
import { TraditionalRouter } from './traditional-router.ts';

/** The routers of one configuration: requests and streams never meet each other's routes. */
export class Routers {
  readonly http: Router;
  readonly stream: Router;

  constructor(http: Router, stream: Router) {
    this.http = http;
    this.stream = stream;
  }

  /** The routers after changes. These still decide as they did, for requests under way. */
  change(changes: readonly RouteChange[]): Routers {
    const of = (isStream: boolean): RouteChange[] =>
      changes.map(({ id, entry }) => {
        const isOurs = entry !== undefined && isStreamRoute(entry.route) === isStream;
        return { id, entry: isOurs ? entry : undefined };
      });
    return new Routers(this.http.change(of(false)), this.stream.change(of(true)));
  }
}

/** Builds the routers for a set of routes. */
export function createRouters(flavor: RouterFlavor, entries: readonly RouteEntry[]): Routers {
  const empty =
    flavor === 'traditional' ? TraditionalRouter.empty() : ExpressionRouter.empty(flavor);
  return new Routers(empty, empty).change(entries.map((entry) => ({ id: entry.route.id, entry })));
}
