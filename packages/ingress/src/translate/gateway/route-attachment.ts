import type { KubeObject } from '@waygate/schema';
import type {
  Gateway,
  GatewayClass,
  Listener,
  ListenerSet,
  ParentReference,
  RouteObject,
} from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ResolvedOptions } from '../options.ts';
import { asksClients } from './frontend-validation.ts';
import {
  gatewayOfSet,
  hasFilters,
  isNamespaceMeant,
  type ListenerOwner,
  listenersOf,
  servedListeners,
} from './gateway-listeners.ts';

export const gatewayGroup = 'gateway.networking.k8s.io';

/** The kinds of routes that a listener can take, by its protocol. */
const kindsOf: Readonly<Record<string, readonly string[]>> = {
  HTTP: ['HTTPRoute', 'GRPCRoute'],
  HTTPS: ['HTTPRoute', 'GRPCRoute'],
  TLS: ['TLSRoute'],
  TCP: ['TCPRoute'],
  UDP: ['UDPRoute'],
};

export function supportedKinds(listener: Listener): { group: string; kind: string }[] {
  const own = kindsOf[listener.protocol] ?? [];
  const asked = listener.allowedRoutes?.kinds ?? [];
  const kinds =
    asked.length === 0
      ? own
      : asked
          .filter(({ group }) => (group ?? gatewayGroup) === gatewayGroup)
          .map(({ kind }) => kind)
          .filter((kind) => own.includes(kind));
  return kinds.map((kind) => ({ group: gatewayGroup, kind }));
}

/** What a route is attached to: a Gateway, or a ListenerSet of one. */
export interface RouteParent {
  readonly gateway: Gateway;
  readonly owner: ListenerOwner;
}

/** The Gateway or ListenerSet that a reference names, whosever it is. */
export function parentOf(
  reader: ObjectReader,
  routeNamespace: string,
  { group, kind, namespace: named, name }: ParentReference,
): RouteParent | undefined {
  if ((group ?? gatewayGroup) !== gatewayGroup) return undefined;
  const namespace = named || routeNamespace;
  if ((kind ?? 'Gateway') === 'Gateway') {
    const gateway = reader.get<Gateway>('Gateway', namespace, name);
    return gateway && { gateway, owner: gateway };
  }
  if (kind !== 'ListenerSet') return undefined;
  const owner = reader.get<ListenerSet>('ListenerSet', namespace, name);
  const gateway = owner && gatewayOfSet(reader, owner);
  return gateway && { gateway, owner };
}

/** The same, if the class of the Gateway says that it is ours. */
export function ownParent(
  reader: ObjectReader,
  route: KubeObject,
  parent: ParentReference,
  controllerName: string,
): RouteParent | undefined {
  const found = parentOf(reader, route.metadata.namespace ?? '', parent);
  const className = found?.gateway.spec?.gatewayClassName ?? '';
  const gatewayClass = reader.get<GatewayClass>('GatewayClass', '', className);
  return gatewayClass?.spec?.controllerName === controllerName ? found : undefined;
}

/** The listeners that a reference to this parent can mean: with a Gateway those of its own. */
export function listenersNamed(
  reader: ObjectReader,
  { gateway, owner }: RouteParent,
  { sectionName, port: wanted }: ParentReference,
): Listener[] {
  const listeners =
    owner === gateway
      ? (gateway.spec?.listeners ?? []).filter((listener) => !hasFilters(listener))
      : servedListeners(listenersOf(reader, gateway), owner);
  return listeners.filter(
    ({ name, port }) => (!sectionName || sectionName === name) && (!wanted || wanted === port),
  );
}

/** Why no listener takes a route, in the words of the Gateway API. */
export interface AttachmentRefusal {
  readonly reason: 'NoMatchingParent' | 'NotAllowedByListeners' | 'NoMatchingListenerHostname';
  readonly message: string;
}

/** The listeners of a parent that take a route, or why none does. */
export function listenersTaking(
  reader: ObjectReader,
  route: RouteObject<unknown>,
  parent: ParentReference,
  found: RouteParent,
): Listener[] | AttachmentRefusal {
  const refused = (reason: AttachmentRefusal['reason'], message: string): AttachmentRefusal => ({
    reason,
    message,
  });
  const named = listenersNamed(reader, found, parent);
  if (named.length === 0) return refused('NoMatchingParent', 'no listener has this name or port');
  const allowed = named.filter(
    (listener) =>
      supportedKinds(listener).some(({ kind }) => kind === route.kind) &&
      isNamespaceAllowed(reader, listener, found.owner, route.metadata.namespace ?? ''),
  );
  if (allowed.length === 0)
    return refused('NotAllowedByListeners', 'no listener allows this kind of route from here');
  const hostnames = route.spec?.hostnames ?? [];
  const matching = allowed.filter(
    ({ hostname }) =>
      !hostname || hostnames.length === 0 || hostnames.some((one) => intersects(hostname, one)),
  );
  if (matching.length === 0)
    return refused('NoMatchingListenerHostname', 'no host of the route is one of a listener');
  return matching;
}

function isNamespaceAllowed(
  reader: ObjectReader,
  listener: Listener,
  { metadata }: ListenerOwner,
  namespace: string,
): boolean {
  const { from = 'Same', selector } = listener.allowedRoutes?.namespaces ?? {};
  return isNamespaceMeant(reader, from, selector, metadata.namespace ?? '', namespace);
}

/** Whether two host names, either with a leading `*.`, have a name in common. */
export function intersects(left: string, right: string): boolean {
  return covers(left, right) || covers(right, left);
}

/** Whether all names that the second one stands for are ones of the first. */
export function covers(wider: string, narrower: string): boolean {
  const [one, other] = [wider.toLowerCase(), narrower.toLowerCase()];
  if (one === other) return true;
  return one.startsWith('*.') && other.endsWith(one.slice(1)) && other !== one.slice(1);
}

/**
 * A route as its listeners let it be: with those of its hosts only that are theirs too, and with
 * theirs where it names none. Where Gateways have addresses of their own, guards keep it to what is theirs,
 * and its own hosts say how precise it is. Undefined when no listener of a Gateway of ours takes it.
 */
export function attachedRoute<Route extends RouteObject<unknown>>(
  route: Route,
  reader: ObjectReader,
  { gatewayAddress, gatewayControllerName }: ResolvedOptions,
): Route | undefined {
  const listeners: Listener[] = [];
  for (const parent of route.spec?.parentRefs ?? []) {
    const found = ownParent(reader, route, parent, gatewayControllerName);
    const taking = found && listenersTaking(reader, route, parent, found);
    if (!Array.isArray(taking)) continue;
    // Where all Gateways share ports, nobody could see to it that clients show their certificates.
    const isOpen = (listener: Listener) =>
      gatewayAddress !== undefined || !asksClients(found!.gateway, listener);
    listeners.push(...taking.filter(isOpen));
  }
  if (listeners.length === 0) return undefined;
  const own = route.spec?.hostnames ?? [];
  const hostnames =
    gatewayAddress === undefined ? sharedHostnames(own, listeners) : metHostnames(own, listeners);
  const isSame =
    hostnames.length === own.length && hostnames.every((host, index) => host === own[index]);
  return isSame ? route : { ...route, spec: { ...route.spec, hostnames } };
}

function metHostnames(own: readonly string[], listeners: readonly Listener[]): string[] {
  return own.filter((host) =>
    listeners.some(({ hostname }) => !hostname || intersects(hostname, host)),
  );
}

function sharedHostnames(own: readonly string[], listeners: readonly Listener[]): string[] {
  // A listener without a host name takes them all.
  if (listeners.some(({ hostname }) => !hostname)) return [...own];
  const theirs = listeners.flatMap(({ hostname }) => hostname ?? []);
  if (own.length === 0) return [...new Set(theirs)];
  const shared = own.flatMap((host) =>
    theirs
      .filter((listener) => intersects(listener, host))
      // Of two wildcards the narrower one is what they have in common.
      .map((listener) => (covers(listener, host) ? host : listener)),
  );
  return [...new Set(shared)];
}
