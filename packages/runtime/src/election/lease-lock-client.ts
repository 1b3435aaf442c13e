import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { LeaseClient } from './lease-lock.ts';

/**
 * Leases through a client of the API.
 *
 * ```ts
 * const lock = new LeaseLock({ client: leaseClient(client), namespace: 'default', name: 'work', identity: 'a' });
 * ```
 */
export function leaseClient(client: Pick<KubeClient, 'resource'>): LeaseClient {
  const leases = client.resource(kinds.Lease);
  return {
    get: (namespace, name, call) => leases.get(name, { namespace }, call),
    create: (lease, call) => leases.create(lease, {}, call),
    update: (lease, call) => leases.update(lease, {}, call),
  };
}
