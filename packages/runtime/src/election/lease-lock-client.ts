import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { createInformer } from '../cache/create-informer.ts';
import type { LeaseClient } from './lease-lock.ts';

/**
 * Leases through a client of the API. Who may list and watch Leases sees at once that one was given up or
 * renewed; who may not is a candidate all the same.
 *
 * ```ts
 * const lock = new LeaseLock({ client: leaseClient(client), namespace: 'default', name: 'work', identity: 'a' });
 * ```
 */
export function leaseClient(client: Pick<KubeClient, 'resource' | 'whenReachable'>): LeaseClient {
  const leases = client.resource(kinds.Lease);
  return {
    get: (namespace, name, call) => leases.get(name, { namespace }, call),
    create: (lease, call) => leases.create(lease, {}, call),
    update: (lease, call) => leases.update(lease, {}, call),
    follow: async (namespace, name, onChange, signal) => {
      const fieldSelector = `metadata.name=${name}`;
      const informer = createInformer(client, kinds.Lease, { namespace, fieldSelector });
      informer.addEventHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
      await informer.run(signal);
    },
  };
}
