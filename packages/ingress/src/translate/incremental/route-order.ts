import type { KubeObject } from '@waygate/schema';
import type { GrpcRoute, HttpRoute } from '../../objects/gateway-api.ts';
import { grpcOrderBits, splitGrpcRoute } from '../gateway/grpc-routes.ts';
import { httpOrderBits, splitHttpRoute } from '../gateway/http-priority.ts';
import { MatchOrder, type SplitMatch } from '../gateway/match-order.ts';
import type { Family } from '../service-claim.ts';

/** The order among all HTTPRoutes, and among all GRPCRoutes, that expressions are tried in. */
export class RouteOrder {
  readonly http = new MatchOrder(httpOrderBits);
  readonly grpc = new MatchOrder(grpcOrderBits);
  readonly #splits = new Map<string, readonly SplitMatch[]>();

  /** Notes a route as it is now, by a key of its own; returns the matches whose place changed. */
  update(family: Family, id: string, object: KubeObject | undefined): Iterable<string> {
    const isHttp = family === 'HTTPRoute';
    if (!isHttp && family !== 'GRPCRoute') return [];
    const before = this.#splits.get(id) ?? [];
    let after: readonly SplitMatch[] = [];
    if (object !== undefined)
      after = isHttp ? splitHttpRoute(object as HttpRoute) : splitGrpcRoute(object as GrpcRoute);
    if (after.length === 0) this.#splits.delete(id);
    else this.#splits.set(id, after);
    return (isHttp ? this.http : this.grpc).update(before, after);
  }
}
