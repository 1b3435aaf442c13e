import type { PathCaptures, RouteRequest } from './route-match.ts';
import { matchRule, type NetRule, type TraditionalRoute } from './traditional-route.ts';
import { sanitizePostfix } from './upstream-path.ts';

/** A request with its host split, as the traditional router looks at it. */
export interface TraditionalRequest {
  readonly request: RouteRequest;
  readonly hostWithoutPort: string;
  readonly hostWithPort: string;
}

/** Where the path of a route matched. */
export interface UriMatch {
  readonly prefix: string | undefined;
  readonly postfix: string | undefined;
  readonly captures: PathCaptures | undefined;
}

const noUri: UriMatch = { prefix: undefined, postfix: undefined, captures: undefined };

/** Tests one route; the result says where its path matched, if it has one. */
export function matchTraditional(
  route: TraditionalRoute,
  { request, hostWithoutPort, hostWithPort }: TraditionalRequest,
): UriMatch | undefined {
  const { rules } = route;
  if ((rules & matchRule.host) !== 0) {
    const isPlain = route.plainHosts.has(request.host) || route.plainHosts.has(hostWithoutPort);
    if (!isPlain && !route.wildcardHosts.some((host) => host.matches(hostWithPort))) {
      return undefined;
    }
  }
  if ((rules & matchRule.method) !== 0 && !route.methods.has(request.method)) return undefined;
  if ((rules & matchRule.sni) !== 0 && !matchesSni(route, request)) return undefined;
  if ((rules & matchRule.header) !== 0 && !matchesHeaders(route, request)) return undefined;
  if (
    (rules & matchRule.source) !== 0 &&
    !matchesNet(route.sources, request.sourceIp, request.sourcePort)
  ) {
    return undefined;
  }
  if (
    (rules & matchRule.destination) !== 0 &&
    !matchesNet(route.destinations, request.destinationIp, request.destinationPort)
  ) {
    return undefined;
  }
  return (rules & matchRule.uri) === 0 ? noUri : matchUri(route, request.path);
}

function matchesSni(route: TraditionalRoute, request: RouteRequest): boolean {
  return request.protocol === 'http' || (request.sni !== undefined && route.snis.has(request.sni));
}

function matchesHeaders(route: TraditionalRoute, request: RouteRequest): boolean {
  return route.headers.every((header) =>
    (request.header(header.name) ?? []).flatMap(splitList).some((text) => {
      const value = text.toLowerCase();
      return header.values.has(value) || header.pattern?.test(value) === true;
    }),
  );
}

/** A header value and, if it is a list, its elements. */
function splitList(value: string): readonly string[] {
  return value.includes(',') ? [value, ...value.split(',').map((part) => part.trim())] : [value];
}

function matchesNet(nets: readonly NetRule[], ip: string, port: number): boolean {
  return nets.some(
    (net) =>
      (net.range === undefined || net.range.contains(ip)) &&
      (net.port === undefined || net.port === port),
  );
}

function matchUri(route: TraditionalRoute, path: string): UriMatch | undefined {
  const { uri } = route;
  if (uri === undefined || path === '') return undefined;
  if (uri.regex === undefined) {
    if (!path.startsWith(uri.value)) return undefined;
    const postfix = sanitizePostfix(path.slice(uri.value.length));
    return { prefix: uri.value, postfix, captures: undefined };
  }
  const match = uri.regex.exec(path);
  if (match === undefined) return undefined;
  const { postfix, captures } = match;
  if (postfix === undefined) return { prefix: undefined, postfix: undefined, captures };
  return {
    prefix: path.slice(0, path.length - postfix.length),
    postfix: sanitizePostfix(postfix),
    captures,
  };
}
