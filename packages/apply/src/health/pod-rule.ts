import type { KubeObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';
import { conditionsOf, fieldAt, textAt } from './object-fields.ts';

/** How long a Pod may be without a node before that counts as a failure. */
const scheduleWindowMs = 15_000;

export function podHealth(object: KubeObject, nowMs: number): HealthResult {
  const conditions = conditionsOf(object);
  const phase = textAt(object, '', 'status', 'phase');
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running': {
      if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) {
        return current('Pod is Ready');
      }
      const crashing = crashLoopingContainers(object);
      if (crashing.length > 0) {
        const names = crashing.join(',');
        return failedHealth('ContainerCrashLooping', `Containers in CrashLoop state: ${names}`);
      }
      return inProgress('PodRunningNotReady', 'Pod is running but is not Ready');
    }
    case 'Pending': {
      const isUnschedulable = conditions.some(
        ({ type, status, reason }) =>
          type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
      );
      if (!isUnschedulable) return inProgress('PodPending', 'Pod is in the Pending phase');
      const created = Date.parse(object.metadata.creationTimestamp ?? '');
      if (nowMs - scheduleWindowMs < created) {
        return inProgress('PodNotScheduled', 'Pod has not been scheduled');
      }
      return failedHealth('PodUnschedulable', 'Pod could not be scheduled');
    }
    case '':
      return inProgress('PodNotObserved', 'Pod phase not available');
    default:
      return { status: 'Unknown', message: `unknown phase ${phase}`, conditions: [] };
  }
}

function crashLoopingContainers(object: KubeObject): string[] {
  const statuses = fieldAt(object, 'status', 'containerStatuses');
  if (!Array.isArray(statuses)) return [];
  return statuses
    .filter(isObject)
    .filter((one) => textAt(one, '', 'state', 'waiting', 'reason') === 'CrashLoopBackOff')
    .map((one) => textAt(one, '', 'name'));
}
