import type { KubeObject } from '@waygate/schema';
import type { BackendReference, RouteObject } from '../objects/gateway-api.ts';
import { isClusterScoped, isRouteKind, kindIdOf } from '../objects/kind-id.ts';

/**
 * What an API server would have filled in, for objects that come from files: the namespace, and the
 * kind of backend references. A translation takes objects as an API server gives them.
 *
 * ```ts
 * withManifestDefaults({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } }).metadata; // { name: 'web', namespace: 'default' }
 * ```
 */
export function withManifestDefaults(object: KubeObject, namespace = 'default'): KubeObject {
  const kind = kindIdOf(object);
  if (kind === undefined) return object;
  let result = object;
  if (!isClusterScoped(kind) && !object.metadata.namespace)
    result = { ...result, metadata: { ...result.metadata, namespace } };
  return isRouteKind(kind) ? withBackendKinds(result) : result;
}

function withBackendKinds(object: KubeObject): KubeObject {
  const route = object as RouteObject<{ backendRefs?: BackendReference[] | null }>;
  if (!route.spec?.rules) return object;
  const rules = route.spec.rules.map((rule) => ({
    ...rule,
    ...(rule.backendRefs && {
      backendRefs: rule.backendRefs.map((one) => ({ group: '', kind: 'Service', ...one })),
    }),
  }));
  return { ...route, spec: { ...route.spec, rules } } as KubeObject;
}
