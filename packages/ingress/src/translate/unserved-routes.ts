import type { Ingress, KubeObject } from '@waygate/schema';
import type {
  Gateway,
  GatewayClass,
  ListenerSet,
  ParentReference,
  RouteObject,
} from '../objects/gateway-api.ts';
import { isRouteKind, kindIdOf, routeKinds } from '../objects/kind-id.ts';
import { ObjectStore } from '../store/object-store.ts';
import { allowsSetsFrom } from './gateway/gateway-listeners.ts';
import {
  type AttachmentRefusal,
  gatewayGroup,
  listenersTaking,
  parentOf,
  type RouteParent,
} from './gateway/route-attachment.ts';
import { resolveOptions } from './options.ts';

/** A route that this gateway will not serve, and why: nothing is wrong with it but where it belongs. */
export interface UnservedRoute {
  readonly object: KubeObject;
  readonly field: string;
  readonly message: string;
  readonly fix: string;
  /** What its status says, where a Gateway of ours refused it: there it need not be told twice. */
  readonly reason?: AttachmentRefusal['reason'];
}

export interface UnservedOptions {
  readonly ingressClass: string;
  /**
   * Whether the objects are all that there are, as those of a cluster: what is not among manifests may be in
   * the cluster already.
   */
  readonly isWhole: boolean;
  /**
   * Whether other controllers may run beside this one: then an Ingress of a class that there is, and that is
   * theirs, is their business.
   */
  readonly hasOthers?: boolean;
  /** Whose classes the Gateways have that are ours. */
  readonly gatewayControllerName?: string;
  /** How Ingresses of ingress-nginx are served, if they are. */
  readonly nginx?: { readonly watchesWithoutClass?: boolean } | undefined;
}

/** The kinds that decide which routes are served; all that `unservedRoutes` looks at. */
export const routeDecidingKinds: ReadonlySet<string> = new Set([
  'Ingress',
  'IngressClass',
  'Gateway',
  'GatewayClass',
  'ListenerSet',
  'Namespace',
  ...routeKinds,
]);

const classAnnotation = 'kubernetes.io/ingress.class';
const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';
const nginxController = 'k8s.io/ingress-nginx';

/**
 * Says of Ingresses without a class or with another's, and of routes whose Gateway is not there, is another's
 * or refuses them, why they do not come into force.
 *
 * @example
 * const [first] = unservedRoutes(objects, { ingressClass: 'kong', isWhole: true });
 */
export function unservedRoutes(
  objects: readonly KubeObject[],
  options: UnservedOptions,
): UnservedRoute[] {
  const store = new ObjectStore();
  for (const object of objects) store.put(object);
  const classes = new Map(store.list('IngressClass').map((each) => [each.metadata.name, each]));
  return objects.flatMap((object): UnservedRoute[] => {
    const kind = kindIdOf(object);
    if (kind === 'Ingress') return unservedIngress(object as Ingress, classes, options);
    if (kind === undefined || !isRouteKind(kind)) return [];
    return unattachedRoute(object as RouteObject<unknown>, store, options);
  });
}

type IngressClasses = ReadonlyMap<string | undefined, KubeObject>;

function unservedIngress(
  ingress: Ingress,
  classes: IngressClasses,
  options: UnservedOptions,
): UnservedRoute[] {
  const { ingressClass: served, nginx, hasOthers = false } = options;
  const annotated = ingress.metadata.annotations?.[classAnnotation];
  const named = ingress.spec?.ingressClassName ?? annotated;
  if (nginx !== undefined && isOfNginx(ingress, classes, nginx)) return [];
  const isDefault = (name: string | undefined): boolean =>
    classes.get(name)?.metadata.annotations?.[defaultAnnotation] === 'true';
  if (named === served || (named === undefined && isDefault(served))) return [];
  const isTheirs =
    named === undefined ? [...classes.keys()].some(isDefault) : controllerOf(classes.get(named));
  if (hasOthers && isTheirs) return [];
  const isAnnotated = ingress.spec?.ingressClassName === undefined && annotated !== undefined;
  return [
    {
      object: ingress,
      field: isAnnotated ? `metadata.annotations[${classAnnotation}]` : 'spec.ingressClassName',
      message:
        named === undefined
          ? 'is missing: an Ingress without a class is served by nobody'
          : `is ${named}: this gateway serves the class ${served}`,
      fix:
        named === 'nginx'
          ? `serve it with --ingress-nginx, or set spec.ingressClassName to ${served}`
          : `set spec.ingressClassName to ${served}`,
    },
  ];
}

function controllerOf(ingressClass: KubeObject | undefined): string | undefined {
  return (ingressClass as { spec?: { controller?: string } } | undefined)?.spec?.controller;
}

function isOfNginx(
  { metadata, spec }: Ingress,
  classes: IngressClasses,
  { watchesWithoutClass = false }: { readonly watchesWithoutClass?: boolean },
): boolean {
  if (spec?.ingressClassName !== undefined)
    return controllerOf(classes.get(spec.ingressClassName)) === nginxController;
  const annotated = metadata.annotations?.[classAnnotation];
  return annotated === undefined ? watchesWithoutClass : annotated === 'nginx';
}

function unattachedRoute(
  route: RouteObject<unknown>,
  store: ObjectStore,
  options: UnservedOptions,
): UnservedRoute[] {
  const parents = route.spec?.parentRefs ?? [];
  if (parents.length === 0)
    return [
      {
        object: route,
        field: 'spec.parentRefs',
        message: 'is missing: a route that is attached to no Gateway is served by nobody',
        fix: gatewayAdvice(store, options),
      },
    ];
  return parents.flatMap((parent, index) => {
    const why = whyUnattached(route, parent, store, options);
    return why === undefined ? [] : [{ object: route, field: `spec.parentRefs[${index}]`, ...why }];
  });
}

function whyUnattached(
  route: RouteObject<unknown>,
  parent: ParentReference,
  store: ObjectStore,
  options: UnservedOptions,
): Pick<UnservedRoute, 'message' | 'fix' | 'reason'> | undefined {
  const kind = parent.kind ?? 'Gateway';
  if ((parent.group ?? gatewayGroup) !== gatewayGroup || !isParentKind(kind)) return undefined;
  const namespace = parent.namespace || (route.metadata.namespace ?? 'default');
  const set =
    kind === 'ListenerSet' ? store.get<ListenerSet>(kind, namespace, parent.name) : undefined;
  const found = parentOf(store, namespace, parent);
  if (found === undefined)
    return {
      message:
        set === undefined
          ? `names the ${kind} ${namespace}/${parent.name}, which is not there`
          : `names the ListenerSet ${namespace}/${parent.name}, whose Gateway is not there`,
      fix: gatewayAdvice(store, options),
    };
  const { gateway } = found;
  const shown = `${gateway.metadata.namespace}/${gateway.metadata.name}`;
  const named =
    set === undefined ? 'names the Gateway' : 'is attached by a ListenerSet to the Gateway';
  if (set !== undefined && !allowsSetsFrom(store, gateway, namespace))
    return {
      message: `names the ListenerSet ${namespace}/${parent.name}, which the Gateway ${shown} does not allow`,
      fix: `let spec.allowedListeners of the Gateway take ListenerSets from the namespace ${namespace}`,
    };
  const ours = options.ingressClass;
  const className = gateway.spec?.gatewayClassName ?? '';
  const ownController = options.gatewayControllerName ?? resolveOptions({}).gatewayControllerName;
  const gatewayClass = store.get<GatewayClass>('GatewayClass', '', className);
  if (gatewayClass === undefined) {
    // A class named as ours may be one of the cluster that the manifests need not bring.
    if (!options.isWhole) return refusal(route, parent, found, store);
    return {
      message: `${named} ${shown}, whose class ${className} is not there`,
      fix: `set its spec.gatewayClassName to ${ours}`,
    };
  }
  if (gatewayClass.spec?.controllerName === ownController)
    return refusal(route, parent, found, store);
  if (options.hasOthers === true) return undefined;
  return {
    message: `${named} ${shown}, whose class ${className} is another's`,
    fix: `set its spec.gatewayClassName to ${ours}`,
  };
}

function isParentKind(kind: string): kind is 'Gateway' | 'ListenerSet' {
  return kind === 'Gateway' || kind === 'ListenerSet';
}

function refusal(
  route: RouteObject<unknown>,
  parent: ParentReference,
  to: RouteParent,
  store: ObjectStore,
): Pick<UnservedRoute, 'message' | 'fix' | 'reason'> | undefined {
  const taking = listenersTaking(store, route, parent, to);
  if (Array.isArray(taking)) return undefined;
  const { reason, message } = taking;
  const { kind, metadata, spec } = to.owner;
  const listeners = spec?.listeners ?? [];
  const shown = `${kind} ${metadata.namespace}/${metadata.name}`;
  const hosts = [...new Set(listeners.flatMap(({ hostname }) => hostname ?? []))];
  const fixes = {
    NoMatchingParent: `name one of the listeners of ${shown}: ${listeners.map(({ name, port }) => `${name} (port ${port})`).join(', ')}`,
    NotAllowedByListeners: `let allowedRoutes of a listener of ${shown} take ${route.kind} from the namespace ${route.metadata.namespace}`,
    NoMatchingListenerHostname: `${shown} takes ${hosts.join(', ')}: change spec.hostnames or its listeners`,
  };
  return { reason, message, fix: fixes[reason] };
}

function gatewayAdvice(store: ObjectStore, { ingressClass, isWhole }: UnservedOptions): string {
  const names = store
    .list<Gateway>('Gateway')
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const there = names.length === 0 ? undefined : `name one that is there: ${names.join(', ')}`;
  if (!isWhole) return `have it in the cluster, or ${there ?? 'bring it along'}`;
  return there ?? `add a Gateway of the class ${ingressClass} to the manifests`;
}

/** `Ingress shop/web (spec.ingressClassName): is missing: …`, as problems of a translation are printed. */
export function unservedLine({ object, field, message, fix }: UnservedRoute): string {
  const { namespace = 'default', name = '' } = object.metadata;
  return `${object.kind} ${namespace}/${name} (${field}): ${message}; ${fix}`;
}
