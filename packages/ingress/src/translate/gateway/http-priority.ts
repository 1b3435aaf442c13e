import type { HttpRoute, HttpRouteMatch } from '../../objects/gateway-api.ts';
import { utf8Length } from '../ingress-path.ts';
import type { SplitMatch } from './match-order.ts';

/** Bits 0 to 11 of the priority: the order among matches that are otherwise equal. */
export const httpOrderBits = 12;

/**
 * The Gateway API's precedence as one number, from the highest bits down: precise host, its length,
 * exact path, regular expression, path length, method, number of headers, number of query parameters.
 */
function httpBasePriority(hostname: string, match: HttpRouteMatch): number {
  const pathType = match.path ? (match.path.type ?? 'PathPrefix') : '';
  const pathLength = utf8Length(match.path?.value ?? '');
  return (
    2 * 2 ** 44 +
    (hostname !== '' && !hostname.startsWith('*') ? 2 ** 43 : 0) +
    hostname.length * 2 ** 35 +
    (pathType === 'Exact' ? 2 ** 34 : 0) +
    (pathType === 'RegularExpression' ? 2 ** 33 : 0) +
    Math.max(pathLength - 1, 0) * 2 ** 23 +
    (match.method ? 2 ** 22 : 0) +
    (match.headers ?? []).length * 2 ** 17 +
    (match.queryParams ?? []).length * 2 ** 12
  );
}

/** An HTTPRoute taken apart by host name, rule and match. A rule without matches matches everything. */
export function splitHttpRoute(route: HttpRoute): (SplitMatch & { match: HttpRouteMatch })[] {
  const hostnames = route.spec?.hostnames?.length ? route.spec.hostnames : [''];
  return hostnames.flatMap((hostname, hostIndex) =>
    (route.spec?.rules ?? []).flatMap((rule, ruleIndex) => {
      const matches = rule.matches?.length ? rule.matches : [{}];
      return matches.map((match, matchIndex) => ({
        route,
        hostname,
        hostIndex,
        ruleIndex,
        matchIndex,
        match,
        basePriority: httpBasePriority(hostname, match),
      }));
    }),
  );
}
