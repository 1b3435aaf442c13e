import type { BackendTlsPolicy } from '../objects/gateway-api.ts';
import type { KongServiceFacadeResource } from '../objects/kong-resources.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationPrefix, annotationsOf, parseInteger } from './annotations.ts';
import type { ProblemList } from './problem.ts';
import type { Backend } from './service-claim.ts';

/** The Service behind a backend, with the annotations of the facade that stands in front of it. */
export function serviceOf(backend: Backend, reader: ObjectReader): Service | string {
  const { namespace, name } = backend;
  if (backend.kind === 'Service') {
    return (
      reader.get<Service>('Service', namespace, name) ??
      `failed to fetch Service ${namespace}/${name}: Service ${namespace}/${name} not found`
    );
  }
  const facade = reader.get<KongServiceFacadeResource>('KongServiceFacade', namespace, name);
  if (facade === undefined)
    return `failed to fetch KongServiceFacade ${namespace}/${name}: KongServiceFacade ${namespace}/${name} not found`;
  const target = facade.spec?.backendRef?.name ?? '';
  const service = reader.get<Service>('Service', namespace, target);
  if (service === undefined)
    return `failed to fetch Service ${namespace}/${target}: Service ${namespace}/${target} not found`;
  return withAnnotations(service, annotationsOf(facade));
}

function withAnnotations(service: Service, annotations: Readonly<Record<string, string>>): Service {
  return {
    ...service,
    metadata: {
      ...service.metadata,
      annotations: { ...service.metadata.annotations, ...annotations },
    },
  };
}

/**
 * Services that share one Kong service must agree on all of our annotations, because they set the
 * fields of that one service. What differs is reported on each of them.
 */
export function haveConsistentAnnotations(
  services: readonly Service[],
  serviceName: string,
  problems: ProblemList,
): boolean {
  if (services.length < 2) return true;
  const keys = new Set<string>();
  for (const service of services) {
    for (const key of Object.keys(annotationsOf(service)))
      if (key.startsWith(annotationPrefix)) keys.add(key);
  }
  const differing = [...keys]
    .sort()
    .filter((key) => new Set(services.map((service) => annotationsOf(service)[key])).size > 1);
  for (const service of services) {
    for (const key of differing) {
      problems.add(
        `Service has inconsistent ${key} annotation and is used in multi-Service backend ${serviceName}. ` +
          'This annotation must have the same value across all Services in the backend.',
        service,
      );
    }
  }
  return differing.length === 0;
}

/** A BackendTLSPolicy says in the Gateway API's words what our annotations say on a Service. */
export function withBackendTlsPolicy(
  service: Service,
  reader: ObjectReader,
  problems: ProblemList,
): Service {
  const { namespace = '', name = '' } = service.metadata;
  const policies = reader.backendTlsPoliciesOf(namespace, name);
  const [policy] = policies;
  if (policy === undefined) return service;
  if (policies.length > 1) {
    problems.add('Multiple BackendTLSPolicies attached to service', service);
    return service;
  }
  return withAnnotations(service, policyAnnotations(policy));
}

function policyAnnotations(policy: BackendTlsPolicy): Record<string, string> {
  const { validation, options } = policy.spec ?? {};
  const named = (kind: string) =>
    (validation?.caCertificateRefs ?? [])
      .filter((reference) => reference.kind === kind)
      .map((reference) => reference.name)
      .join(',');
  const annotations: Record<string, string> = {
    [`${annotationPrefix}tls-verify`]: 'true',
    [`${annotationPrefix}host-header`]: validation?.hostname ?? '',
    [`${annotationPrefix}protocol`]: 'https',
  };
  const secrets = named('Secret');
  const configMaps = named('ConfigMap');
  if (secrets !== '') annotations[`${annotationPrefix}ca-certificates-secrets`] = secrets;
  if (configMaps !== '') annotations[`${annotationPrefix}ca-certificates-configmaps`] = configMaps;
  const depth = parseInteger(options?.['tls-verify-depth'] ?? '');
  if (depth !== undefined && depth >= 0)
    annotations[`${annotationPrefix}tls-verify-depth`] = String(depth);
  return annotations;
}
