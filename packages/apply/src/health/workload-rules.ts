import type { KubeObject } from '@waygate/schema';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';
import { conditionsOf, fieldAt, textAt, wholeAt } from './object-fields.ts';

/** The deadline that means none. */
const never = 2 ** 31 - 1;

export function deploymentHealth(object: KubeObject): HealthResult {
  // Without a deadline the controller never tells of progress, so none is waited for.
  let isProgressing = wholeAt(object, never, 'spec', 'progressDeadlineSeconds') === never;
  let isAvailable = false;
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'Progressing') {
      if (reason === 'ProgressDeadlineExceeded') {
        const said = 'Progress deadline exceeded';
        return { ...failedHealth('ProgressDeadlineExceeded', message || said), message: said };
      }
      if (status === 'True' && reason === 'NewReplicaSetAvailable') isProgressing = true;
    } else if (type === 'Available' && status === 'True') isAvailable = true;
  }
  const wanted = wholeAt(object, 1, 'spec', 'replicas');
  const replicas = wholeAt(object, 0, 'status', 'replicas');
  const updated = wholeAt(object, 0, 'status', 'updatedReplicas');
  const ready = wholeAt(object, 0, 'status', 'readyReplicas');
  const available = wholeAt(object, 0, 'status', 'availableReplicas');
  if (wanted > replicas) return inProgress('LessReplicas', `Replicas: ${replicas}/${wanted}`);
  if (wanted > updated) return inProgress('LessUpdated', `Updated: ${updated}/${wanted}`);
  if (replicas > wanted) {
    return inProgress('ExtraPods', `Pending termination: ${replicas - wanted}`);
  }
  if (updated > available) return inProgress('LessAvailable', `Available: ${available}/${updated}`);
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`);
  if (!isProgressing) return inProgress('ReplicaSetNotAvailable', 'ReplicaSet not Available');
  if (!isAvailable) return inProgress('DeploymentNotAvailable', 'Deployment not Available');
  return current(`Deployment is available. Replicas: ${replicas}`);
}

export function replicaSetHealth(object: KubeObject): HealthResult {
  if (conditionsOf(object).some((one) => one.type === 'ReplicaFailure' && one.status === 'True')) {
    return inProgress('ReplicaFailure', 'Replica Failure condition. Check Pods');
  }
  const wanted = wholeAt(object, 1, 'spec', 'replicas');
  const replicas = wholeAt(object, 0, 'status', 'replicas');
  const ready = wholeAt(object, 0, 'status', 'readyReplicas');
  const available = wholeAt(object, 0, 'status', 'availableReplicas');
  const labelled = wholeAt(object, 0, 'status', 'fullyLabeledReplicas');
  if (wanted > labelled) return inProgress('LessLabelled', `Labelled: ${labelled}/${wanted}`);
  if (wanted > available) return inProgress('LessAvailable', `Available: ${available}/${wanted}`);
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`);
  if (replicas > wanted) {
    return inProgress('ExtraPods', `Pending termination: ${replicas - wanted}`);
  }
  return current(`ReplicaSet is available. Replicas: ${replicas}`);
}

export function statefulSetHealth(object: KubeObject): HealthResult {
  if (textAt(object, '', 'spec', 'updateStrategy', 'type') === 'OnDelete') {
    return current('StatefulSet is using the ondelete update strategy');
  }
  const wanted = wholeAt(object, 1, 'spec', 'replicas');
  const replicas = wholeAt(object, 0, 'status', 'replicas');
  const ready = wholeAt(object, 0, 'status', 'readyReplicas');
  const updated = wholeAt(object, 0, 'status', 'updatedReplicas');
  const currentReplicas = wholeAt(object, 0, 'status', 'currentReplicas');
  const partition = wholeAt(object, -1, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  if (wanted > replicas) return inProgress('LessReplicas', `Replicas: ${replicas}/${wanted}`);
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`);
  if (replicas > wanted) {
    return inProgress('ExtraPods', `Pending termination: ${replicas - wanted}`);
  }
  if (partition !== -1) {
    if (updated < wanted - partition) {
      return inProgress('PartitionRollout', `updated: ${updated}/${wanted - partition}`);
    }
    return current(`Partition rollout complete. updated: ${updated}`);
  }
  if (wanted > currentReplicas) {
    return inProgress('LessCurrent', `current: ${currentReplicas}/${wanted}`);
  }
  const currentRevision = textAt(object, '', 'status', 'currentRevision');
  if (currentRevision !== textAt(object, '', 'status', 'updateRevision')) {
    return inProgress('RevisionMismatch', 'Waiting for updated revision to match current');
  }
  return current(`All replicas scheduled as expected. Replicas: ${replicas}`);
}

export function daemonSetHealth(object: KubeObject): HealthResult {
  const missing = missingGeneration(object);
  if (missing !== undefined) return missing;
  const wanted = wholeAt(object, -1, 'status', 'desiredNumberScheduled');
  if (wanted === -1) return inProgress('NoDesiredNumber', 'Missing .status.desiredNumberScheduled');
  const scheduled = wholeAt(object, 0, 'status', 'currentNumberScheduled');
  const updated = wholeAt(object, 0, 'status', 'updatedNumberScheduled');
  const available = wholeAt(object, 0, 'status', 'numberAvailable');
  const ready = wholeAt(object, 0, 'status', 'numberReady');
  if (wanted > scheduled) return inProgress('LessCurrent', `Current: ${scheduled}/${wanted}`);
  if (wanted > updated) return inProgress('LessUpdated', `Updated: ${updated}/${wanted}`);
  if (wanted > available) return inProgress('LessAvailable', `Available: ${available}/${wanted}`);
  if (wanted > ready) return inProgress('LessReady', `Ready: ${ready}/${wanted}`);
  return current(`All replicas scheduled as expected. Replicas: ${wanted}`);
}

/** The controller of DaemonSets always sets them: without them it has not looked yet. */
function missingGeneration(object: KubeObject): HealthResult | undefined {
  if (typeof fieldAt(object, 'metadata', 'generation') !== 'number') {
    return inProgress('NoGeneration', `${object.kind} metadata.generation not found`);
  }
  if (typeof fieldAt(object, 'status', 'observedGeneration') !== 'number') {
    return inProgress('NoObservedGeneration', `${object.kind} status.observedGeneration not found`);
  }
  return undefined;
}
