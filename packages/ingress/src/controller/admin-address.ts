import { isIPv6 } from 'node:net';
import type { EndpointSlice } from '../objects/service.ts';

/** An Admin API that was found in the endpoints of a Service. */
export interface AdminAddress {
  readonly url: string;
  /** The name that its certificate is for, unless the user gives another one. */
  readonly tlsServerName: string;
  /** `namespace/name` of the Pod behind it. */
  readonly pod: string;
}

/**
 * The Admin APIs in an EndpointSlice of a Service: Pods only, on ports with one of these names. Whether
 * a Pod is ready does not count, since a gateway is not before it has a configuration; one that ends
 * is left alone. TLS is assumed unless the port says that it speaks plain HTTP.
 */
export function adminAddressesOf(
  slice: EndpointSlice,
  service: string,
  portNames: ReadonlySet<string>,
): AdminAddress[] {
  const { namespace = '' } = slice.metadata;
  const addresses: AdminAddress[] = [];
  for (const { name, port, appProtocol } of slice.ports ?? []) {
    if (!name || !portNames.has(name) || typeof port !== 'number') continue;
    const scheme = appProtocol === 'http' ? 'http' : 'https';
    for (const { addresses: [ip] = [], targetRef, conditions } of endpointsOf(slice)) {
      if (ip === undefined || targetRef?.kind !== 'Pod') continue;
      if (conditions?.terminating === true) continue;
      addresses.push({
        url: `${scheme}://${isIPv6(ip) ? `[${ip}]` : ip}:${port}`,
        tlsServerName: `pod.${service}.${namespace}.svc`,
        pod: `${targetRef.namespace ?? namespace}/${targetRef.name ?? ''}`,
      });
    }
  }
  return addresses;
}

function endpointsOf({ endpoints }: EndpointSlice) {
  return (endpoints ?? []).map((endpoint) => ({
    ...endpoint,
    addresses: endpoint.addresses ?? [],
  }));
}
