import type { KubeObject } from '@waygate/schema';
import type { BackendTlsPolicy } from '../objects/gateway-api.ts';
import type { KindId } from '../objects/kind-id.ts';
import type { EndpointSlice } from '../objects/service.ts';

/**
 * How a translation sees the cluster. Every look-up is one of these few, so that a reader can note
 * what a result was made from: that is what incremental translation rests on.
 */
export interface ObjectReader {
  get<T extends KubeObject>(kind: KindId, namespace: string, name: string): T | undefined;
  /** All objects of a kind, oldest first. */
  list<T extends KubeObject>(kind: KindId): readonly T[];
  /** The slices that carry the endpoints of a Service, sorted by name. */
  endpointSlicesOf(namespace: string, service: string): readonly EndpointSlice[];
  backendTlsPoliciesOf(namespace: string, service: string): readonly BackendTlsPolicy[];
}
