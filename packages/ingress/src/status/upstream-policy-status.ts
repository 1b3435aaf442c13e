import type { KubeObject } from '@waygate/schema';
import type { Condition } from '../objects/gateway-api.ts';
import type { KongUpstreamPolicyResource } from '../objects/kong-resources.ts';
import { compareByAge } from '../objects/reference.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

interface AncestorStatus {
  ancestorRef: { group?: string; kind?: string; namespace?: string; name: string };
  controllerName: string;
  conditions?: Condition[];
}

/** The Gateway API lets a status name this many ancestors. */
const mostAncestors = 16;

/** What uses a policy: a Service, or a KongServiceFacade that stands in front of one. */
export interface PolicyUser {
  readonly object: KubeObject;
  readonly group: string;
  readonly kind: 'Service' | 'KongServiceFacade';
  /** Whether a rule puts it together with Services that do not use the same policy. */
  readonly isConflicted: boolean;
  /** Whether it is in the configuration that the gateways have. */
  readonly isLive: boolean;
}

/**
 * What a KongUpstreamPolicy should say of those that use it; undefined when it says so already.
 * Ancestors of other controllers stay as they are.
 */
export function upstreamPolicyStatus(
  policy: KongUpstreamPolicyResource & { status?: { ancestors?: AncestorStatus[] } },
  users: readonly PolicyUser[],
  controllerName: string,
  now: Date,
): StatusPatch | undefined {
  const existing = policy.status?.ancestors ?? [];
  const foreign = existing.filter((one) => one.controllerName !== controllerName);
  const ours = existing.filter((one) => one.controllerName === controllerName);
  let isChanged = false;
  const own = [...users]
    .sort((left, right) => compareByAge(left.object, right.object))
    .slice(0, mostAncestors - foreign.length)
    .map((user): AncestorStatus => {
      const { group, kind, object } = user;
      const { namespace = '', name = '' } = object.metadata;
      const before = ours.find(
        ({ ancestorRef }) =>
          ancestorRef.kind === kind &&
          ancestorRef.namespace === namespace &&
          ancestorRef.name === name,
      );
      const merged = mergeConditions(
        before?.conditions ?? [],
        wantedConditions(user),
        policy.metadata.generation ?? 0,
        now,
      );
      isChanged ||= merged.isChanged || before === undefined;
      return {
        ancestorRef: { group, kind, namespace, name },
        controllerName,
        conditions: merged.conditions,
      };
    });
  isChanged ||= own.length !== ours.length;
  if (!isChanged) return undefined;
  return { object: policy, status: { ancestors: [...foreign, ...own] } };
}

function wantedConditions({ isConflicted, isLive }: PolicyUser): WantedCondition[] {
  return [
    isConflicted
      ? { type: 'Accepted', status: 'False', reason: 'Conflicted' }
      : { type: 'Accepted', status: 'True', reason: 'Accepted' },
    isLive && !isConflicted
      ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
      : { type: 'Programmed', status: 'False', reason: 'Pending' },
  ];
}
