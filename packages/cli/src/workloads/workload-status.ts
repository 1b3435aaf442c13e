import type { Condition, DynamicObject } from '@waygate/schema';
import { type Carried, timeText } from './pod-objects.ts';
import { templateHash } from './workload.ts';

/**
 * The status that a workload's own controller would write of its Pods, so that `kubectl rollout status` and
 * `kubectl wait` end: with success when the process is ready, at once with a refusal when nothing runs it.
 */
export function workloadStatusOf(
  carried: Carried,
  nowMs: number,
): NonNullable<DynamicObject['status']> {
  const { workload, task } = carried;
  const { replicas } = workload;
  const isReady = task?.state?.isReady === true && carried.problem === undefined;
  const ready = isReady ? replicas : 0;
  const observedGeneration = workload.object.metadata.generation ?? 1;
  if (workload.kind === 'DaemonSet')
    return {
      observedGeneration,
      currentNumberScheduled: 1,
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
      numberReady: ready,
      numberAvailable: ready,
      updatedNumberScheduled: task === undefined ? 0 : 1,
      numberUnavailable: 1 - ready,
    };
  const shown = task === undefined ? Math.min(replicas, 1) : replicas;
  const counts = {
    observedGeneration,
    replicas: shown,
    updatedReplicas: shown,
    readyReplicas: ready,
    availableReplicas: ready,
  };
  if (workload.kind === 'StatefulSet') {
    const revision = `${workload.name}-${templateHash(workload)}`;
    return {
      ...counts,
      currentReplicas: shown,
      currentRevision: revision,
      updateRevision: revision,
    };
  }
  return {
    ...counts,
    unavailableReplicas: Math.max(replicas - ready, 0),
    conditions: deploymentConditions(carried, isReady, nowMs),
  };
}

function deploymentConditions(carried: Carried, isReady: boolean, nowMs: number): Condition[] {
  const { workload, task, problem } = carried;
  const time = { lastTransitionTime: timeText(nowMs), lastUpdateTime: timeText(nowMs) };
  const isAvailable = isReady || workload.replicas === 0;
  const why = problem ?? task?.state?.message ?? 'the process is not ready yet';
  const available: Condition = isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
        ...time,
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: why,
        ...time,
      };
  const name = `${workload.name}-${templateHash(workload)}`;
  const isHopeless = task === undefined || task.state?.phase === 'ended';
  const progressing: Condition =
    isHopeless && !isAvailable
      ? {
          type: 'Progressing',
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: why,
          ...time,
        }
      : {
          type: 'Progressing',
          status: 'True',
          reason: isAvailable ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
          message: isAvailable
            ? `ReplicaSet "${name}" has successfully progressed.`
            : `ReplicaSet "${name}" is progressing: ${why}`,
          ...time,
        };
  return [available, progressing];
}
