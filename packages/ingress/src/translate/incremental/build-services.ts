import { buildService, type ServiceContext, type ServiceResult } from '../kong-service.ts';
import type { Family, ServiceClaim } from '../service-claim.ts';

/** The Kong services that all who claim one name ask for: one for each family of rules. */
export function buildServices(
  name: string,
  byFamily: readonly (readonly [Family, readonly ServiceClaim[]])[],
  context: ServiceContext,
): ServiceResult[] {
  return byFamily.map(([family, claims], index) => {
    // HTTP and TCP rules on one port would share a name: the later family's gets a suffix.
    const suffix = index === 0 ? '' : `.${suffixOf(family)}`;
    return buildService(name + suffix, claims, context);
  });
}

function suffixOf(family: Family): string {
  return family === 'TCPIngress' ? 'tcp' : family.toLowerCase();
}
