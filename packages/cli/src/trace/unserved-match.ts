import type { RouteEntry, RouterFlavor } from '@waygate/gateway';
import {
  objectFromTags,
  routeDecidingKinds,
  toDeclarativeConfig,
  translate,
  type UnservedRoute,
  unservedRoutes,
} from '@waygate/ingress';
import type { KongRoute } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { DynamicObject, KubeObject } from '@waygate/schema';
import { followedObjects } from '../preview-gateway.ts';
import { explainRoutes } from './explain-routes.ts';
import type { TracedRequest } from './traced-request.ts';

/**
 * The routes of a cluster that would take a request if anybody served them: each is translated as if it had the
 * class of this gateway and were attached, and the router is asked.
 */
export async function unservedMatches(
  client: KubeClient,
  request: TracedRequest,
  options: { readonly ingressClass: string; readonly flavor: RouterFlavor },
  signal: AbortSignal,
): Promise<readonly UnservedRoute[]> {
  const { ingressClass, flavor } = options;
  const { objects } = await followedObjects(client, signal, ({ id }) => routeDecidingKinds.has(id));
  const whole = [...objects.values()];
  const unserved = unservedRoutes(whole, { ingressClass, isWhole: true });
  return matchingRoutes(unserved, request, { ingressClass, flavor });
}

/** Those of the routes that a request fits. */
export function matchingRoutes(
  unserved: readonly UnservedRoute[],
  request: TracedRequest,
  { ingressClass, flavor }: { readonly ingressClass: string; readonly flavor: RouterFlavor },
): readonly UnservedRoute[] {
  if (unserved.length === 0) return [];
  const served = unserved.map(({ object }) => asServed(object, ingressClass));
  // Legacy names are never asked for here, so each entity says by its tags which object it was made from.
  const { state } = translate(served, { ingressClass, routerFlavor: flavor });
  const { services = [] } = toDeclarativeConfig(state, { isDbless: false }) as {
    services?: readonly { readonly routes?: readonly KongRoute[] }[];
  };
  const entries = services.flatMap(({ routes = [] }, at) =>
    routes.map((route, index): RouteEntry => {
      const id = `${at}/${index}`;
      return { route: { ...route, id }, service: undefined };
    }),
  );
  const { match, passed } = explainRoutes(flavor, entries, request);
  const fitting = [
    match?.entry,
    ...passed.filter((each) => each.mismatches.length === 0).map((each) => each.entry),
  ];
  const names = new Set(
    fitting.map((entry) => {
      const object = objectFromTags(entry?.route.tags ?? []);
      return object && `${object.kind} ${object.namespace}/${object.name}`;
    }),
  );
  return unserved.filter(({ object }) => names.has(nameOfObject(object)));
}

function nameOfObject({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function asServed(object: KubeObject, ingressClassName: string): KubeObject {
  if (object.kind !== 'Ingress') return object;
  const { annotations = {}, ...metadata } = object.metadata;
  const { 'kubernetes.io/ingress.class': _theirs, ...others } = annotations;
  const { spec } = object as DynamicObject & { spec?: object };
  return {
    ...object,
    metadata: { ...metadata, annotations: others },
    spec: { ...spec, ingressClassName },
  } as KubeObject;
}
