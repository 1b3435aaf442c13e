import type { BalancerAddress } from './balancer-address.ts';
import type { UpstreamBalancer } from './upstream-balancer.ts';

/** Where a request may go, or why it may go nowhere. */
export type Destination =
  | {
      readonly kind: 'address';
      readonly address: BalancerAddress;
      readonly upstream?: UpstreamBalancer;
    }
  | { readonly kind: 'none'; readonly message: string };

export const noPeer: Destination = {
  kind: 'none',
  message: 'failure to get a peer from the ring-balancer',
};

export const noName: Destination = { kind: 'none', message: 'name resolution failed' };
