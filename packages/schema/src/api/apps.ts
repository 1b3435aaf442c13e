import type { LabelSelector } from '@waygate/text';
import type { IntOrString } from '../int-or-string.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from './core.ts';
import type { Condition, ObjectReference } from './meta.ts';

export interface Deployment extends KubeObject {
  spec?: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplateSpec;
    strategy?: {
      type?: 'Recreate' | 'RollingUpdate';
      rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    terminatingReplicas?: number;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

export interface StatefulSet extends KubeObject {
  spec?: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplateSpec;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString };
    };
    volumeClaimTemplates?: PersistentVolumeClaim[];
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

export interface DaemonSet extends KubeObject {
  spec?: {
    selector: LabelSelector;
    template: PodTemplateSpec;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: {
    observedGeneration?: number;
    currentNumberScheduled?: number;
    desiredNumberScheduled?: number;
    numberAvailable?: number;
    numberMisscheduled?: number;
    numberReady?: number;
    numberUnavailable?: number;
    updatedNumberScheduled?: number;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

export interface ReplicaSet extends KubeObject {
  spec?: {
    replicas?: number;
    selector: LabelSelector;
    template?: PodTemplateSpec;
    minReadySeconds?: number;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    fullyLabeledReplicas?: number;
    conditions?: Condition[];
  };
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: string;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  suspend?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
}

export interface Job extends KubeObject {
  spec?: JobSpec;
  status?: {
    active?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: Condition[];
  };
}

export interface CronJob extends KubeObject {
  spec?: {
    schedule: string;
    timeZone?: string;
    concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    suspend?: boolean;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata?: ObjectMeta; spec?: JobSpec };
  };
  status?: { active?: ObjectReference[]; lastScheduleTime?: string; lastSuccessfulTime?: string };
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    observedGeneration?: number;
    currentHealthy: number;
    desiredHealthy: number;
    disruptionsAllowed: number;
    expectedPods: number;
    conditions?: Condition[];
  };
}

export interface HorizontalPodAutoscaler extends KubeObject {
  spec?: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
    minReplicas?: number;
    maxReplicas: number;
    metrics?: Record<string, unknown>[];
    behavior?: Record<string, unknown>;
  };
  status?: {
    observedGeneration?: number;
    currentReplicas?: number;
    desiredReplicas?: number;
    lastScaleTime?: string;
    currentMetrics?: Record<string, unknown>[];
    conditions?: Condition[];
  };
}

/** The `scale` subresource. */
export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}
