import type { KubeObject } from '@waygate/schema';
import type { Condition } from '../objects/gateway-api.ts';
import type { KongUpstreamPolicyResource } from '../objects/kong-resources.ts';
import { compareByAge } from '../objects/reference.ts';
import type { Service } from '../objects/service.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

interface AncestorStatus {
  ancestorRef: { group?: string; kind?: string; namespace?: string; name: string };
  controllerName: string;
  conditions?: Condition[];
}

/** The Gateway API lets a status name this many ancestors. */
const mostAncestors = 16;

/**
 * What a KongUpstreamPolicy should say of the Services that use it; undefined when it says so
 * already. Ancestors of other controllers stay as they are.
 */
export function upstreamPolicyStatus(
  policy: KongUpstreamPolicyResource & { status?: { ancestors?: AncestorStatus[] } },
  services: readonly Service[],
  controllerName: string,
  isLive: (service: KubeObject) => boolean,
  now: Date,
): StatusPatch | undefined {
  const existing = policy.status?.ancestors ?? [];
  const foreign = existing.filter((one) => one.controllerName !== controllerName);
  const ours = existing.filter((one) => one.controllerName === controllerName);
  let isChanged = false;
  const own = [...services]
    .sort(compareByAge)
    .slice(0, mostAncestors - foreign.length)
    .map((service): AncestorStatus => {
      const { namespace = '', name = '' } = service.metadata;
      const before = ours.find(
        ({ ancestorRef }) => ancestorRef.namespace === namespace && ancestorRef.name === name,
      );
      const programmed: WantedCondition = isLive(service)
        ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
        : { type: 'Programmed', status: 'False', reason: 'Pending' };
      const merged = mergeConditions(
        before?.conditions ?? [],
        [{ type: 'Accepted', status: 'True', reason: 'Accepted' }, programmed],
        policy.metadata.generation ?? 0,
        now,
      );
      isChanged ||= merged.isChanged || before === undefined;
      return {
        ancestorRef: { group: 'core', kind: 'Service', namespace, name },
        controllerName,
        conditions: merged.conditions,
      };
    });
  isChanged ||= own.length !== ours.length;
  if (!isChanged) return undefined;
  return { object: policy, status: { ancestors: [...foreign, ...own] } };
}
