import type { KubeObject } from '@waygate/schema';
import { keyOf } from '../objects/reference.ts';
import type { UniqueClaim } from './incremental/unique-claims.ts';
import type { RouteEntity } from './kong-state.ts';
import type { RouteDraft } from './service-claim.ts';

/** A route's claim to its name, or to requests that a rule of it matches. */
export interface RouteClaim extends UniqueClaim {
  readonly route: string;
}

/**
 * What a route must have for itself: its name, and rules that no route of another namespace has just
 * so. Kong would take either of two equal rules, by chance; here it is the older one's. Inside a
 * namespace equal rules are the business of its owner.
 */
export function routeClaims(drafts: readonly RouteDraft[]): RouteClaim[] {
  return drafts.flatMap(({ entity, source }) => {
    const by = { objects: [source] as const, holder: keyOf(source), route: entity.name };
    const name: RouteClaim = { index: 'route', value: entity.name, ...by };
    const sharedBy = source.metadata.namespace ?? '';
    const rules = rulesOf(entity).map((value) => ({ index: 'rule', value, sharedBy, ...by }));
    return [name, ...rules];
  });
}

/** The rules of a route, one for each of its hosts and paths, as texts that are equal when they are. */
export function rulesOf(route: RouteEntity): string[] {
  const sort = isStream(route) ? 'stream' : 'http';
  if (route.expression !== undefined) return [`${sort} ${route.expression}`];
  if (sort === 'stream') {
    const ports = (route.destinations ?? []).map(({ port }) => port);
    const snis = route.snis ?? [''];
    return ports.flatMap((port) => snis.map((sni) => `${streamOf(route)} ${port} ${sni}`));
  }
  const rest = restOf(route);
  const hosts = route.hosts ?? [''];
  const paths = route.paths ?? [''];
  return hosts.flatMap((host) => paths.map((path) => `${host.toLowerCase()} ${path}${rest}`));
}

function isStream({ protocols }: RouteEntity): boolean {
  return (protocols ?? []).some((one) => one === 'tcp' || one === 'udp' || one.startsWith('tls'));
}

function streamOf({ protocols }: RouteEntity): string {
  return protocols?.includes('udp') ? 'udp' : 'tcp';
}

/** The other conditions; nearly always there are none. */
function restOf({ methods, headers, snis }: RouteEntity): string {
  if (methods === undefined && headers === undefined && snis === undefined) return '';
  const sorted = Object.entries(headers ?? {})
    .map(([name, values]) => [name.toLowerCase(), [...values].sort()] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return ` ${JSON.stringify([[...(methods ?? [])].sort(), sorted, [...(snis ?? [])].sort()])}`;
}

/** What is said on the object whose route was not made, because another one has what it needs. */
export function lostRouteMessage({ index, value }: RouteClaim, winner: KubeObject): string {
  const what = index === 'route' ? `the name ${JSON.stringify(value)}` : 'the same rule';
  return `route left out: ${winner.kind} ${keyOf(winner)} has ${what}`;
}
