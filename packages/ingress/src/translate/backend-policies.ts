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

/** Families whose backends our own gateway calls as BackendTLSPolicies say. */
export const gatewayFamilies: ReadonlySet<string> = new Set(['HTTPRoute', 'GRPCRoute']);

/** Whether BackendTLSPolicies are for a stream that our own gateway carries. */
function isPolicedStream({ family }: ServiceClaim, { features }: ResolvedOptions): boolean {
  return family === 'TLSRoute' && features.httpRoutePlugins;
}

/** What is passed on as it is speaks TLS already. */
function endsTls(drafts: readonly RouteDraft[]): boolean {
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

/**
 * Has a service follow the policy of its backends, where our own gateway can; false where their annotations
 * must say it. A Kong service speaks to all of its backends in one way, so that their policies must be one.
 */
export function seesToPolicies(
  claim: ServiceClaim,
  entity: ServiceEntity,
  plugins: PluginEntity[],
  backends: readonly Backend[],
  { reader, options }: PolicyContext,
  problems: ProblemList,
): boolean {
  if (isPolicedStream(claim, options)) return true;
  if (!options.features.httpRoutePlugins || !gatewayFamilies.has(claim.family)) return false;
  const policies = policiesOf(backends, reader);
  const [policy] = policies;
  if (policies.size > 1) {
    problems.add(differentPolicies, claim.parent);
    plugins.push(noBackendPlugin());
  } else if (policy !== undefined) {
    followPolicy(entity, plugins, policy, reader, options);
  }
  return true;
}

/**
 * Has the service of a TLSRoute follow the policy of its backends. True when it cannot be followed, and
 * nothing may be let through.
 */
export function refusesStream(
  claim: ServiceClaim,
  drafts: readonly RouteDraft[],
  entity: ServiceEntity,
  upstream: UpstreamEntity,
  backends: readonly Backend[],
  { reader, options }: PolicyContext,
  problems: ProblemList,
): boolean {
  if (!isPolicedStream(claim, options) || !endsTls(drafts)) return false;
  const policies = policiesOf(backends, reader);
  const [policy] = policies;
  const refusal =
    policies.size > 1
      ? differentPolicies
      : policy && followStreamPolicy(entity, upstream, policy, reader, options);
  if (refusal === undefined) return false;
  const message = `the BackendTLSPolicy of a backend cannot be followed: ${refusal}`;
  problems.add(message, claim.parent);
  return true;
}
