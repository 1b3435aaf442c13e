import type { KubeObject } from '@waygate/schema';
import type { BackendReference, HttpRoute } from '../objects/gateway-api.ts';
import type { KongUpstreamPolicyResource } from '../objects/kong-resources.ts';
import { keyOf, namespacedKey } from '../objects/reference.ts';
import type { StatusPatch } from '../status/status-writer.ts';
import { type PolicyUser, upstreamPolicyStatus } from '../status/upstream-policy-status.ts';
import { entryOf } from '../store/entry-of.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationsOf } from '../translate/annotations.ts';
import { type LiveObjects, liveKey } from './status-reports.ts';

const facadeGroup = 'incubator.ingress-controller.konghq.com';

/** What KongUpstreamPolicies say of the Services and facades that use them. */
export function upstreamPolicyPatches(
  reader: ObjectReader,
  controllerName: string,
  live: LiveObjects,
  now: Date,
): StatusPatch[] {
  const policies = reader.list<KongUpstreamPolicyResource>('KongUpstreamPolicy');
  if (policies.length === 0) return [];
  const services = byPolicy(reader.list('Service'));
  const facades = byPolicy(reader.list('KongServiceFacade'));
  const neighbours = neighboursOf(reader.list<HttpRoute>('HTTPRoute'));
  return policies.flatMap((policy) => {
    const key = keyOf(policy);
    const same = new Set((services.get(key) ?? []).map(keyOf));
    const users = [
      ...(services.get(key) ?? []).map((object): PolicyUser => {
        const others = neighbours.get(keyOf(object)) ?? [];
        const isConflicted = [...others].some((other) => !same.has(other));
        return { object, group: 'core', kind: 'Service', isConflicted, isLive: isLive(object) };
      }),
      ...(facades.get(key) ?? []).map(
        (object): PolicyUser => ({
          object,
          group: facadeGroup,
          kind: 'KongServiceFacade',
          isConflicted: false,
          isLive: isLive(object),
        }),
      ),
    ];
    return upstreamPolicyStatus(policy, users, controllerName, now) ?? [];
  });

  function isLive(object: KubeObject): boolean {
    return live.has(liveKey(object));
  }
}

function byPolicy(objects: readonly KubeObject[]): Map<string, KubeObject[]> {
  const users = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const name = annotation(annotationsOf(object), 'upstream-policy');
    if (!name) continue;
    const key = namespacedKey(object.metadata.namespace ?? '', name);
    entryOf(users, key, () => []).push(object);
  }
  return users;
}

/** The Services that rules of HTTPRoutes put together with each Service: they share one upstream. */
function neighboursOf(routes: readonly HttpRoute[]): Map<string, Set<string>> {
  const neighbours = new Map<string, Set<string>>();
  for (const route of routes) {
    for (const { backendRefs } of route.spec?.rules ?? []) {
      const keys = (backendRefs ?? []).flatMap((reference) => serviceKeyOf(route, reference) ?? []);
      if (keys.length < 2) continue;
      for (const key of keys) {
        const known = entryOf(neighbours, key, () => new Set());
        for (const other of keys) if (other !== key) known.add(other);
      }
    }
  }
  return neighbours;
}

function serviceKeyOf(
  route: HttpRoute,
  { group, kind, namespace, name }: BackendReference,
): string | undefined {
  const isService = (kind ?? 'Service') === 'Service' && ['', 'core'].includes(group ?? '');
  return isService ? namespacedKey(namespace ?? route.metadata.namespace ?? '', name) : undefined;
}
