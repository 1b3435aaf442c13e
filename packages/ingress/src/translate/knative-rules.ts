import type { KnativeIngress, KnativePath, KnativeSplit } from '../objects/knative-ingress.ts';
import type { CertificateClaim } from './certificates.ts';
import { allOf, anyHttpRequest, compare } from './expression.ts';
import { headersMatcher, hostMatcher } from './expression-matchers.ts';
import type { PluginEntity, RouteEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import {
  type Backend,
  draftOf,
  newService,
  type PortDefinition,
  portText,
  type ServiceClaim,
} from './service-claim.ts';
import { tagsOf } from './tags.ts';

/**
 * The services that Knative's Ingress asks for. A path that is split among revisions becomes one
 * Kong service whose targets have the shares as their weights.
 */
export function knativeClaims(ingress: KnativeIngress, options: ResolvedOptions): ServiceClaim[] {
  const claims: ServiceClaim[] = [];
  for (const [ruleIndex, rule] of (ingress.spec?.rules ?? []).entries()) {
    for (const [pathIndex, path] of (rule.http?.paths ?? []).entries()) {
      const backends = (path.splits ?? []).flatMap((split) => backendOf(ingress, split));
      if (backends.length === 0) continue;
      const place = placeOf(ruleIndex, pathIndex);
      claims.push({
        ...serviceOf(ingress, backends, place),
        family: 'KnativeIngress',
        owner: ingress,
        parent: ingress,
        routes: [
          draftOf(routeOf(ingress, rule.hosts ?? [], path, place, options), ingress, options),
        ],
      });
    }
  }
  return claims;
}

export function knativeCertificateClaims(ingress: KnativeIngress): CertificateClaim[] {
  const { namespace = '' } = ingress.metadata;
  return (ingress.spec?.tls ?? []).flatMap(({ hosts, secretName, secretNamespace }) =>
    secretName && hosts?.length
      ? [{ namespace: secretNamespace || namespace, secretName, hosts, parent: ingress }]
      : [],
  );
}

/** Two numbers without a separator, as always; with one where they could be read in two ways. */
function placeOf(ruleIndex: number, pathIndex: number): string {
  const isAmbiguous = ruleIndex > 9 || pathIndex > 9;
  return `${ruleIndex}${isAmbiguous ? '-' : ''}${pathIndex}`;
}

function backendOf(ingress: KnativeIngress, split: KnativeSplit): Backend[] {
  if (!split.serviceName) return [];
  const { servicePort = 0 } = split;
  const port: PortDefinition =
    typeof servicePort === 'number' || /^\d{1,5}$/u.test(servicePort)
      ? { by: 'number', number: Number(servicePort) }
      : { by: 'name', name: servicePort };
  return [
    {
      kind: 'Service',
      namespace: split.serviceNamespace || (ingress.metadata.namespace ?? ''),
      name: split.serviceName,
      port,
      weight: split.percent ?? 100,
    },
  ];
}

function serviceOf(ingress: KnativeIngress, backends: readonly Backend[], place: string) {
  const [only] = backends;
  if (only !== undefined && backends.length === 1) {
    // Its share is everything: no weights, so that an Ingress for the same port is the same service.
    const { weight: _, ...backend } = only;
    const port = portText(only.port);
    const serviceName = `${only.namespace}.${only.name}.${port}`;
    const host = `${only.name}.${only.namespace}.${port}.svc`;
    return {
      serviceName,
      service: newService(serviceName, host, 'http', { port: 80, path: '/' }),
      backends: [backend],
    };
  }
  const serviceName = `knative.${ingress.metadata.namespace}.${ingress.metadata.name}.${place}`;
  return {
    serviceName,
    service: newService(serviceName, serviceName, 'http', { port: 80, path: '/' }),
    backends,
  };
}

function routeOf(
  ingress: KnativeIngress,
  hosts: readonly string[],
  path: KnativePath,
  place: string,
  options: ResolvedOptions,
): RouteEntity {
  const entity: RouteEntity = {
    name: `${ingress.metadata.namespace}.${ingress.metadata.name}.${place}`,
    strip_path: false,
    preserve_host: true,
    request_buffering: true,
    response_buffering: true,
    tags: tagsOf(ingress),
  };
  const headers = Object.fromEntries(
    Object.entries(path.headers ?? {}).map(([name, { exact = '' }]) => [name, [exact]]),
  );
  const prefix = path.path || '/';
  if (options.isExpressions) {
    entity.expression =
      allOf(hostMatcher(hosts), compare('http.path', '^=', prefix), headersMatcher(headers)) ||
      anyHttpRequest;
    entity.priority = prefix.length;
  } else {
    entity.regex_priority = 0;
    entity.paths = [prefix];
    if (hosts.length > 0) entity.hosts = [...hosts];
    if (Object.keys(headers).length > 0) entity.headers = headers;
  }
  const plugin = headerPlugin(path, tagsOf(ingress));
  if (plugin !== undefined) entity.plugins = [plugin];
  return entity;
}

/** Headers for the backend. Those of a share count when it is the only one: a route has one set. */
function headerPlugin(path: KnativePath, tags: string[]): PluginEntity | undefined {
  const [split, second] = path.splits ?? [];
  const added = { ...(second === undefined ? split?.appendHeaders : {}), ...path.appendHeaders };
  const add = Object.entries(added)
    .map(([header, value]) => `${header}:${value}`)
    .sort();
  const replaced = path.rewriteHost ? [`host:${path.rewriteHost}`] : [];
  if (add.length + replaced.length === 0) return undefined;
  return {
    name: 'request-transformer',
    config: {
      ...(add.length > 0 ? { add: { headers: add } } : {}),
      ...(replaced.length > 0 ? { replace: { headers: replaced } } : {}),
    },
    tags,
  };
}
