import type { KnativeIngress, KnativeLoadBalancer } from '../objects/knative-ingress.ts';
import { mergeConditions } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

/**
 * The status that Knative waits for before it sends traffic: all is ready, and the Service of the
 * gateway is where it goes. Undefined when the status says so already, or when no Service is known.
 */
export function knativeStatus(
  ingress: KnativeIngress,
  publishService: string,
  clusterDomain: string,
  now: Date,
): StatusPatch | undefined {
  const [namespace, name] = publishService.split('/');
  if (!namespace || !name) return undefined;
  const generation = ingress.metadata.generation ?? 0;
  const ready = (type: string) => ({ type, status: 'True', reason: 'Ready' }) as const;
  const merged = mergeConditions(
    ingress.status?.conditions ?? [],
    [ready('LoadBalancerReady'), ready('NetworkConfigured'), ready('Ready')],
    generation,
    now,
  );
  const domainInternal = `${name}.${namespace}.svc.${clusterDomain || 'cluster.local'}`;
  const balancer: KnativeLoadBalancer = { ingress: [{ domainInternal }] };
  const hasBalancer =
    ingress.status?.publicLoadBalancer?.ingress?.[0]?.domainInternal === domainInternal &&
    ingress.status.privateLoadBalancer?.ingress?.[0]?.domainInternal === domainInternal;
  if (!merged.isChanged && hasBalancer && ingress.status?.observedGeneration === generation)
    return undefined;
  return {
    object: ingress,
    status: {
      observedGeneration: generation,
      conditions: merged.conditions.map(({ observedGeneration: _, ...rest }) => rest),
      publicLoadBalancer: balancer,
      privateLoadBalancer: balancer,
    },
  };
}
