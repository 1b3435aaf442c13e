import type { KubeObject } from '@waygate/schema';
import { selectorFromLabelSelector } from '@waygate/text';
import type {
  Gateway,
  GatewayClass,
  Listener,
  ParentReference,
  RouteObject,
} from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ResolvedOptions } from '../options.ts';

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

/** A Gateway that a reference names, if its class says that it is ours. */
export function ownGateway(
  reader: ObjectReader,
  route: KubeObject,
  parent: ParentReference,
  controllerName: string,
): Gateway | undefined {
  if ((parent.group ?? gatewayGroup) !== gatewayGroup) return undefined;
  if ((parent.kind ?? 'Gateway') !== 'Gateway') return undefined;
  const namespace = parent.namespace || (route.metadata.namespace ?? '');
  const gateway = reader.get<Gateway>('Gateway', namespace, parent.name);
  const className = gateway?.spec?.gatewayClassName ?? '';
  const gatewayClass = reader.get<GatewayClass>('GatewayClass', '', className);
  return gatewayClass?.spec?.controllerName === controllerName ? gateway : undefined;
}

/** Why no listener takes a route, in the words of the Gateway API. */
export interface AttachmentRefusal {
  readonly reason: 'NoMatchingParent' | 'NotAllowedByListeners' | 'NoMatchingListenerHostname';
  readonly message: string;
}

/** The listeners of a Gateway that take a route, or why none does. */
export function listenersTaking(
  reader: ObjectReader,
  route: RouteObject<unknown>,
  parent: ParentReference,
  gateway: Gateway,
): Listener[] | AttachmentRefusal {
  const refused = (reason: AttachmentRefusal['reason'], message: string): AttachmentRefusal => ({
    reason,
    message,
  });
  const named = (gateway.spec?.listeners ?? []).filter(
    ({ name, port }) =>
      (!parent.sectionName || parent.sectionName === name) &&
      (!parent.port || parent.port === port),
  );
  if (named.length === 0) return refused('NoMatchingParent', 'no listener has this name or port');
  const allowed = named.filter(
    (listener) =>
      supportedKinds(listener).some(({ kind }) => kind === route.kind) &&
      isNamespaceAllowed(reader, listener, gateway, route.metadata.namespace ?? ''),
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
  gateway: Gateway,
  namespace: string,
): boolean {
  const { from = 'Same', selector } = listener.allowedRoutes?.namespaces ?? {};
  if (from === 'All') return true;
  if (from === 'Same') return namespace === gateway.metadata.namespace;
  if (from !== 'Selector' || !selector) return false;
  const labels = reader.get<KubeObject>('Namespace', '', namespace)?.metadata.labels ?? {};
  try {
    return selectorFromLabelSelector(selector).matches(labels);
  } catch {
    return false;
  }
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
 * theirs where it names none. Undefined when no listener of a Gateway of ours takes it.
 */
export function attachedRoute<Route extends RouteObject<unknown>>(
  route: Route,
  reader: ObjectReader,
  { gatewayControllerName }: ResolvedOptions,
): Route | undefined {
  const listeners: Listener[] = [];
  for (const parent of route.spec?.parentRefs ?? []) {
    const gateway = ownGateway(reader, route, parent, gatewayControllerName);
    const taking = gateway && listenersTaking(reader, route, parent, gateway);
    if (Array.isArray(taking)) listeners.push(...taking);
  }
  if (listeners.length === 0) return undefined;
  const own = route.spec?.hostnames ?? [];
  const hostnames = sharedHostnames(own, listeners);
  const isSame =
    hostnames.length === own.length && hostnames.every((host, index) => host === own[index]);
  return isSame ? route : { ...route, spec: { ...route.spec, hostnames } };
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
