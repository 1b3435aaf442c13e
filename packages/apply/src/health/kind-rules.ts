import type { KubeObject } from '@waygate/schema';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';
import { jobHealth } from './job-rule.ts';
import { conditionsOf, fieldAt, textAt } from './object-fields.ts';
import { podHealth } from './pod-rule.ts';
import {
  daemonSetHealth,
  deploymentHealth,
  replicaSetHealth,
  statefulSetHealth,
} from './workload-rules.ts';

type HealthRule = (object: KubeObject, nowMs: number) => HealthResult;

const alwaysReady: HealthRule = () => current('Resource is always ready');

const claimHealth: HealthRule = (object) => {
  const phase = textAt(object, 'unknown', 'status', 'phase');
  return phase === 'Bound'
    ? current('PVC is Bound')
    : inProgress('NotBound', `PVC is not Bound. phase: ${phase}`);
};

const serviceHealth: HealthRule = (object) => {
  if (textAt(object, 'ClusterIP', 'spec', 'type') !== 'LoadBalancer') {
    return current('Service is ready');
  }
  const ingress = fieldAt(object, 'status', 'loadBalancer', 'ingress');
  const isReady = textAt(object, '', 'spec', 'clusterIP') !== '' || hasAddress(ingress);
  return isReady
    ? current('Service is ready')
    : inProgress('NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer');
};

function hasAddress(ingress: unknown): boolean {
  return Array.isArray(ingress) && ingress.length > 0;
}

const disruptionBudgetHealth: HealthRule = () => current('AllowedDisruptions has been computed.');

const definitionHealth: HealthRule = (object) => {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'NamesAccepted' && status === 'False') return failedHealth(reason, message);
    if (type !== 'Established') continue;
    if (status === 'False' && reason !== 'Installing') return failedHealth(reason, message);
    if (status === 'True') return current('CRD is established');
  }
  return inProgress('Installing', 'Install in progress');
};

/** The rules of kinds that do not follow the conventions, by `group/Kind`. */
export const kindRules: ReadonlyMap<string, HealthRule> = new Map<string, HealthRule>([
  ['/Service', serviceHealth],
  ['/Pod', podHealth],
  ['/Secret', alwaysReady],
  ['/ConfigMap', alwaysReady],
  ['/PersistentVolumeClaim', claimHealth],
  ['apps/StatefulSet', statefulSetHealth],
  ['apps/DaemonSet', daemonSetHealth],
  ['extensions/DaemonSet', daemonSetHealth],
  ['apps/Deployment', deploymentHealth],
  ['extensions/Deployment', deploymentHealth],
  ['apps/ReplicaSet', replicaSetHealth],
  ['extensions/ReplicaSet', replicaSetHealth],
  ['policy/PodDisruptionBudget', disruptionBudgetHealth],
  ['batch/CronJob', alwaysReady],
  ['batch/Job', jobHealth],
  ['apiextensions.k8s.io/CustomResourceDefinition', definitionHealth],
]);
