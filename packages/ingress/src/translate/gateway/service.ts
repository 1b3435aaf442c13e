import type { KubeObject } from '@waygate/schema';
import type { BackendReference } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { type Family, newService, type RouteDraft, type ServiceClaim } from '../service-claim.ts';
import { backendsOf, noBackendPlugin } from './backends.ts';

/** The service of one rule of a Gateway API route: its host is its own name. */
export function gatewayServiceClaim(
  route: KubeObject,
  family: Family,
  name: string,
  protocol: string,
  references: readonly BackendReference[],
  reader: ObjectReader,
  routes: readonly RouteDraft[],
): ServiceClaim {
  const backends = backendsOf(route, references, reader);
  const canAnswer = protocol.startsWith('http') || protocol.startsWith('grpc');
  const isUnreachable = backends.length === 0 && references.length > 0 && canAnswer;
  return {
    serviceName: name,
    family,
    owner: route,
    parent: route,
    service: newService(name, name, protocol),
    backends,
    routes,
    ...(isUnreachable ? { plugins: [noBackendPlugin()] } : {}),
  };
}
