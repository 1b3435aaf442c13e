import type { KubeObject } from '@waygate/schema';
import type { BackendReference, RouteObject } from '../objects/gateway-api.ts';
import { kindIdOf } from '../objects/kind-id.ts';

const clusterScoped: ReadonlySet<string> = new Set([
  'GatewayClass',
  'IngressClass',
  'KongClusterPlugin',
  'KongLicense',
  'KongVault',
]);

const routeKinds: ReadonlySet<string> = new Set([
  'GRPCRoute',
  'HTTPRoute',
  'TCPRoute',
  'TLSRoute',
  'UDPRoute',
]);

/**
 * What an API server would have filled in, for objects that come from files: the namespace, and the
 * kind of backend references. A translation takes objects as an API server gives them.
 */
export function withManifestDefaults(object: KubeObject, namespace = 'default'): KubeObject {
  const kind = kindIdOf(object);
  if (kind === undefined) return object;
  let result = object;
  if (!clusterScoped.has(kind) && !object.metadata.namespace)
    result = { ...result, metadata: { ...result.metadata, namespace } };
  return routeKinds.has(kind) ? withBackendKinds(result) : result;
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
