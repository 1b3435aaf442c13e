import type { Ingress, KubeObject } from '@waygate/schema';

/** A route that this gateway will not serve, and why: nothing is wrong with it but where it belongs. */
export interface UnservedRoute {
  readonly object: KubeObject;
  readonly field: string;
  readonly message: string;
  readonly fix: string;
}

const classAnnotation = 'kubernetes.io/ingress.class';
const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';
const routeKinds = new Set(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute']);

interface ParentReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * Says of Ingresses without a class or with another's, and of routes that name a Gateway which is not there,
 * why they do not come into force. Whether all Gateways are among the objects only the caller knows.
 */
export function unservedRoutes(
  objects: readonly KubeObject[],
  options: {
    readonly ingressClass: string;
    readonly hasAllGateways: boolean;
    /** How Ingresses of ingress-nginx are served, if they are. */
    readonly nginx?: { readonly watchesWithoutClass?: boolean } | undefined;
  },
): UnservedRoute[] {
  const { ingressClass, hasAllGateways } = options;
  const hasDefault = objects.some(
    ({ kind, metadata }) =>
      kind === 'IngressClass' &&
      metadata.name === ingressClass &&
      metadata.annotations?.[defaultAnnotation] === 'true',
  );
  const gateways = objects
    .filter(({ kind }) => kind === 'Gateway')
    .map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`);
  const isNginx = (ingress: Ingress) =>
    options.nginx !== undefined && isOfNginx(ingress, nginxClasses(objects), options.nginx);
  return objects.flatMap((object) => {
    if (object.kind === 'Ingress' && isNginx(object as Ingress)) return [];
    if (object.kind === 'Ingress')
      return unservedIngress(object as Ingress, ingressClass, hasDefault);
    if (hasAllGateways && routeKinds.has(object.kind ?? ''))
      return unattachedRoute(object, gateways);
    return [];
  });
}

function unservedIngress(ingress: Ingress, served: string, hasDefault: boolean): UnservedRoute[] {
  const annotated = ingress.metadata.annotations?.[classAnnotation];
  const named = ingress.spec?.ingressClassName ?? annotated;
  if (named === served || (named === undefined && hasDefault)) return [];
  const isAnnotated = ingress.spec?.ingressClassName === undefined && annotated !== undefined;
  const field = isAnnotated ? `metadata.annotations[${classAnnotation}]` : 'spec.ingressClassName';
  return [
    {
      object: ingress,
      field,
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

/** The classes that are ingress-nginx', by the controller that they name. */
function nginxClasses(objects: readonly KubeObject[]): ReadonlySet<string> {
  const isTheirs = (object: KubeObject) => {
    const { spec } = object as { spec?: { controller?: string } };
    return object.kind === 'IngressClass' && spec?.controller === 'k8s.io/ingress-nginx';
  };
  return new Set(objects.filter(isTheirs).map(({ metadata }) => metadata.name ?? ''));
}

function isOfNginx(
  { metadata, spec }: Ingress,
  classes: ReadonlySet<string>,
  { watchesWithoutClass = false }: { readonly watchesWithoutClass?: boolean },
): boolean {
  if (spec?.ingressClassName !== undefined) return classes.has(spec.ingressClassName);
  const annotated = metadata.annotations?.[classAnnotation];
  return annotated === undefined ? watchesWithoutClass : annotated === 'nginx';
}

function unattachedRoute(route: KubeObject, gateways: readonly string[]): UnservedRoute[] {
  const { spec } = route as { spec?: { parentRefs?: readonly ParentReference[] } };
  const parents = spec?.parentRefs ?? [];
  if (parents.length === 0)
    return [
      {
        object: route,
        field: 'spec.parentRefs',
        message: 'is missing: a route that is attached to no Gateway is served by nobody',
        fix: gatewayAdvice(gateways),
      },
    ];
  return parents.flatMap(({ group, kind = 'Gateway', namespace, name }, index) => {
    const isGateway = kind === 'Gateway' && (group ?? 'gateway.networking.k8s.io') !== '';
    const wanted = `${namespace ?? route.metadata.namespace ?? 'default'}/${name}`;
    if (!isGateway || gateways.includes(wanted)) return [];
    return [
      {
        object: route,
        field: `spec.parentRefs[${index}]`,
        message: `names the Gateway ${wanted}, which is not there`,
        fix: gatewayAdvice(gateways),
      },
    ];
  });
}

function gatewayAdvice(gateways: readonly string[]): string {
  return gateways.length === 0
    ? 'add a Gateway of the class kong to the manifests'
    : `name one that is there: ${gateways.join(', ')}`;
}

/** `Ingress shop/web (spec.ingressClassName): is missing: …`, as problems of a translation are printed. */
export function unservedLine({ object, field, message, fix }: UnservedRoute): string {
  const { namespace = 'default', name = '' } = object.metadata;
  return `${object.kind} ${namespace}/${name} (${field}): ${message}; ${fix}`;
}
