import type { Strategy } from '../resources/resource.ts';
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  namespacedRoleStrategy,
  roleBindingStrategy,
} from './access.ts';
import * as policy from './admission-policy.ts';
import { autoscalerStrategy, oldAutoscalerStrategy } from './autoscaler.ts';
import { configMapStrategy, secretStrategy } from './configuration.ts';
import { leaseStrategy } from './coordination.ts';
import { cronJobStrategy } from './cron-job.ts';
import { daemonSetStrategy } from './daemon-set.ts';
import { deploymentStrategy } from './deployment.ts';
import { disruptionBudgetStrategy } from './disruption-budget.ts';
import { endpointSliceStrategy, endpointsStrategy, withLoopbackAddresses } from './endpoints.ts';
import { eventStrategy, modernEventStrategy } from './event.ts';
import * as further from './further.ts';
import { ingressClassStrategy, ingressStrategy } from './ingress.ts';
import { jobStrategy } from './job.ts';
import { namespaceStrategy } from './namespace.ts';
import { networkPolicyStrategy } from './network-policy.ts';
import { claimStrategy, volumeStrategy } from './persistent-volume.ts';
import { podStrategy } from './pod.ts';
import { limitRangeStrategy, quotaStrategy } from './quota.ts';
import { rareStrategies } from './rare-kinds.ts';
import { replicaSetStrategy, replicationControllerStrategy } from './replica-set.ts';
import { serviceStrategy } from './service.ts';
import { statefulSetStrategy } from './stateful-set.ts';
import { storageClassStrategy } from './storage-class.ts';
import {
  mutatingConfigurationStrategy,
  validatingConfigurationStrategy,
} from './webhook-configuration.ts';

/** What is particular to built-in kinds, by `plural` or `plural.group`. */
export const builtinStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  ...rareStrategies,
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: eventStrategy,
  limitranges: limitRangeStrategy,
  namespaces: namespaceStrategy,
  nodes: further.nodeStrategy,
  persistentvolumeclaims: claimStrategy,
  persistentvolumes: volumeStrategy,
  pods: podStrategy,
  podtemplates: further.podTemplateStrategy,
  replicationcontrollers: replicationControllerStrategy,
  resourcequotas: quotaStrategy,
  secrets: secretStrategy,
  serviceaccounts: further.serviceAccountStrategy,
  services: serviceStrategy,
  'cronjobs.batch': cronJobStrategy,
  'daemonsets.apps': daemonSetStrategy,
  'deployments.apps': deploymentStrategy,
  'endpointslices.discovery.k8s.io': endpointSliceStrategy,
  'events.events.k8s.io': modernEventStrategy,
  'horizontalpodautoscalers.autoscaling': autoscalerStrategy,
  'horizontalpodautoscalers.autoscaling/v1': oldAutoscalerStrategy,
  'ingressclasses.networking.k8s.io': ingressClassStrategy,
  'ingresses.networking.k8s.io': ingressStrategy,
  'jobs.batch': jobStrategy,
  'leases.coordination.k8s.io': leaseStrategy,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': policy.mutatingPolicyStrategy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policy.mutatingBindingStrategy,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingConfigurationStrategy,
  'networkpolicies.networking.k8s.io': networkPolicyStrategy,
  'poddisruptionbudgets.policy': disruptionBudgetStrategy,
  'priorityclasses.scheduling.k8s.io': further.priorityClassStrategy,
  'replicasets.apps': replicaSetStrategy,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingStrategy,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleStrategy,
  'rolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  'roles.rbac.authorization.k8s.io': namespacedRoleStrategy,
  'statefulsets.apps': statefulSetStrategy,
  'storageclasses.storage.k8s.io': storageClassStrategy,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policy.validatingPolicyStrategy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io':
    policy.validatingBindingStrategy,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingConfigurationStrategy,
};

/** The same, for an API whose services are processes on its own machine. */
export const singleMachineStrategies: typeof builtinStrategies = {
  ...builtinStrategies,
  endpoints: withLoopbackAddresses(endpointsStrategy),
  'endpointslices.discovery.k8s.io': withLoopbackAddresses(endpointSliceStrategy),
};
