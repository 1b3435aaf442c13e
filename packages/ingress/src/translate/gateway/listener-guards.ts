import type { Listener, RouteObject } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { allOf, anyOf, compare, type Matcher } from '../expression.ts';
import { hostMatcher } from '../expression-matchers.ts';
import type { ResolvedOptions } from '../options.ts';
import { listenersOf, servedListeners } from './gateway-listeners.ts';
import { covers, intersects, listenersTaking, ownParent } from './route-attachment.ts';

/** A listener that takes a route, at the address that its Gateway has to itself. */
export interface ListenerPlace {
  readonly address: string;
  readonly listener: Listener;
  /** All that the Gateway has, this one too. */
  readonly all: readonly Listener[];
}

/** Where a route is served, if Gateways have addresses of their own; undefined if they share one. */
export function placesOf(
  route: RouteObject<unknown>,
  reader: ObjectReader,
  { gatewayAddress, gatewayControllerName }: ResolvedOptions,
): ListenerPlace[] | undefined {
  if (gatewayAddress === undefined) return undefined;
  const places: ListenerPlace[] = [];
  for (const parent of route.spec?.parentRefs ?? []) {
    const found = ownParent(reader, route, parent, gatewayControllerName);
    const address = found && gatewayAddress(found.gateway);
    if (found === undefined || address === undefined) continue;
    const taking = listenersTaking(reader, route, parent, found);
    if (!Array.isArray(taking)) continue;
    const all = servedListeners(listenersOf(reader, found.gateway));
    places.push(...taking.map((listener) => ({ address, listener, all })));
  }
  return places;
}

/** Matches nothing: a route that no listener serves. */
const nowhere: Matcher = compare('net.dst.port', '==', 0);

/**
 * What keeps a route to the listeners that take it, for each of its host names: their address and port,
 * and that no other listener there is meant by a more precise host name.
 */
export function listenerGuards(
  route: RouteObject<unknown>,
  reader: ObjectReader,
  options: ResolvedOptions,
): (hostname: string) => Matcher {
  const places = placesOf(route, reader, options);
  if (places === undefined) return () => '';
  return (hostname) => guardOf(places, hostname, hostMatcher);
}

/** The same for places that are known, with hosts told by another field. */
export function guardOf(
  places: readonly ListenerPlace[],
  hostname: string,
  matcherOf: (hosts: readonly string[]) => Matcher,
): Matcher {
  const guards = places.map((place) => placeGuard(place, hostname, matcherOf));
  return anyOf(...new Set(guards)) || nowhere;
}

function placeGuard(
  { address, listener, all }: ListenerPlace,
  hostname: string,
  matcherOf: (hosts: readonly string[]) => Matcher,
): Matcher {
  const own = listener.hostname ?? '';
  const isMet = own === '' || hostname === '' || intersects(own, hostname);
  if (!isMet) return '';
  const isImplied = own === '' || (hostname !== '' && covers(own, hostname));
  const rivals = all
    .filter(({ port }) => port === listener.port)
    .map((other) => other.hostname ?? '')
    .filter((other) => other !== '' && other !== own && (own === '' || covers(own, other)))
    .filter((other) => hostname === '' || intersects(other, hostname));
  return allOf(
    placeMatcher(address, all, listener),
    isImplied ? '' : matcherOf([own]),
    ...[...new Set(rivals)].map((other) => `!(${matcherOf([other])})`),
  );
}

/**
 * The router takes a port that a request names in its `Host` for the one that it came to, so that ports
 * are looked at only where an address has several.
 */
function placeMatcher(address: string, all: readonly Listener[], { port }: Listener): Matcher {
  const isOnly = all.every((other) => other.port === port);
  return allOf(`net.dst.ip == ${address}`, isOnly ? '' : compare('net.dst.port', '==', port));
}
