import { isIP } from 'node:net';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import { compareText } from '../objects/reference.ts';
import type { Service } from '../objects/service.ts';

/** Where users reach the gateway, as the status of Ingresses says it. */
export function publishedAddresses(
  publishStatusAddress: readonly string[],
  publishService: Service | undefined,
): LoadBalancerIngress[] {
  if (publishStatusAddress.length > 0)
    return publishStatusAddress.map(addressOf).sort(compareAddresses);
  if (publishService === undefined) return [];
  if (publishService.spec?.type === 'LoadBalancer') {
    const assigned = (publishService.status?.loadBalancer?.ingress ?? []).flatMap(
      ({ ip, hostname }) => [...(ip ? [{ ip }] : []), ...(hostname ? [{ hostname }] : [])],
    );
    const external = (publishService.spec.externalIPs ?? []).map((ip) => ({ ip }));
    return [...assigned, ...external].sort(compareAddresses);
  }
  const { clusterIP, clusterIPs } = publishService.spec ?? {};
  const addresses = clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : [];
  return addresses
    .filter((ip) => ip !== 'None')
    .map((ip) => ({ ip }))
    .sort(compareAddresses);
}

export function addressOf(text: string): LoadBalancerIngress {
  return isIP(text) === 0 ? { hostname: text } : { ip: text };
}

export function compareAddresses(left: LoadBalancerIngress, right: LoadBalancerIngress): number {
  return (
    compareText(left.hostname ?? '', right.hostname ?? '') ||
    compareText(left.ip ?? '', right.ip ?? '')
  );
}

export function areSameAddresses(
  left: readonly LoadBalancerIngress[],
  right: readonly LoadBalancerIngress[],
): boolean {
  return (
    left.length === right.length &&
    left.every(({ ip, hostname }, index) => {
      const other = right[index];
      return (ip ?? '') === (other?.ip ?? '') && (hostname ?? '') === (other?.hostname ?? '');
    })
  );
}
