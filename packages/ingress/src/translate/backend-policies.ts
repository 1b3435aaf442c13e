import type { KubeObject } from '@waygate/schema';
import type { BackendTlsPolicy } from '../objects/gateway-api.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { followPolicy, followStreamPolicy, policyOfPort } from './gateway/backend-tls.ts';
import { noBackendPlugin } from './gateway/backends.ts';
import type { PluginEntity, ServiceEntity, UpstreamEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProblemList } from './problem.ts';
import type { Backend, RouteDraft, ServiceClaim } from './service-claim.ts';
import { findPort } from './service-ports.ts';

interface PolicyContext {
  readonly options: ResolvedOptions;
  readonly reader: ObjectReader;
}

/** Whether BackendTLSPolicies are for a stream that our own gateway carries. */
export function isPolicedStream({ family }: ServiceClaim, { features }: ResolvedOptions): boolean {
  return family === 'TLSRoute' && features.httpRoutePlugins;
}

/** What is passed on as it is speaks TLS already. */
export function endsTls(drafts: readonly RouteDraft[]): boolean {
  return drafts.some(({ entity }) => !entity.protocols?.includes('tls_passthrough'));
}

/** The policies of backends; undefined stands for one that has none. */
function policiesOf(
  backends: readonly Backend[],
  reader: ObjectReader,
): ReadonlySet<BackendTlsPolicy | undefined> {
  return new Set(
    backends.map(({ namespace, name, port }) => {
      const service = reader.get<Service>('Service', namespace, name);
      const found = service === undefined ? 'no service' : findPort(service, port);
      return typeof found === 'string' ? undefined : policyOfPort(reader, namespace, name, found);
    }),
  );
}

const differentPolicies = 'backends of one rule have different BackendTLSPolicies';

/** A Kong service speaks to all of its backends in one way, so that their policies must be one. */
export function applyPolicies(
  entity: ServiceEntity,
  plugins: PluginEntity[],
  backends: readonly Backend[],
  parent: KubeObject,
  { reader, options }: PolicyContext,
  problems: ProblemList,
): void {
  const policies = policiesOf(backends, reader);
  if (policies.size > 1) {
    problems.add(differentPolicies, parent);
    plugins.push(noBackendPlugin());
    return;
  }
  const [policy] = policies;
  if (policy !== undefined) followPolicy(entity, plugins, policy, reader, options);
}

/** Undefined if it can be done; else why nothing may be let through. */
export function applyStreamPolicy(
  entity: ServiceEntity,
  upstream: UpstreamEntity,
  backends: readonly Backend[],
  { reader, options }: PolicyContext,
): string | undefined {
  const policies = policiesOf(backends, reader);
  if (policies.size > 1) return differentPolicies;
  const [policy] = policies;
  return policy && followStreamPolicy(entity, upstream, policy, reader, options);
}
