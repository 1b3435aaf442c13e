import type { RouterFlavor } from '@waygate/kong';
import { ExpressionRouter } from './expression-router.ts';
import { isStreamRoute, type RouteChange, type RouteEntry, type Router } from './route-match.ts';
import { TraditionalRouter } from './traditional-router.ts';

/**
 * The routers of one configuration: requests and streams never meet each other's routes.
 *
 * ```ts
 * const before = createRouters('traditional', []);
 * const route = { id: 'r', paths: ['/cart'] };
 * const after = before.change([{ id: 'r', entry: { route, service: undefined } }]);
 * before.http === after.http; // false
 * ```
 */
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

/**
 * Builds the routers for a set of routes.
 *
 * ```ts
 * const route = { id: 'r', name: 'cart', paths: ['/cart'] };
 * const routers = createRouters('traditional', [{ route, service: undefined }]);
 * const request = {
 *   protocol: 'http', method: 'GET', path: '/cart/7', host: 'shop.test', sni: undefined,
 *   sourceIp: '10.0.0.1', sourcePort: 4711, destinationIp: '10.0.0.2', destinationPort: 80,
 *   header: () => undefined, query: () => undefined,
 * } as const;
 * routers.http.match(request)?.entry.route.name; // 'cart'
 * ```
 */
export function createRouters(flavor: RouterFlavor, entries: readonly RouteEntry[]): Routers {
  const empty =
    flavor === 'traditional' ? TraditionalRouter.empty() : ExpressionRouter.empty(flavor);
  return new Routers(empty, empty).change(entries.map((entry) => ({ id: entry.route.id, entry })));
}
