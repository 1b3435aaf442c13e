import { definitionStrategy } from '../crd/definition-strategy.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  namespacedRoleStrategy,
  roleBindingStrategy,
} from './access.ts';
import { configMapStrategy, secretStrategy } from './configuration.ts';
import { leaseStrategy } from './coordination.ts';
import { endpointSliceStrategy, endpointsStrategy, withLoopbackAddresses } from './endpoints.ts';
import { eventStrategy, modernEventStrategy } from './event.ts';
import * as further from './further.ts';
import { ingressClassStrategy, ingressStrategy } from './ingress.ts';
import { namespaceStrategy } from './namespace.ts';
import { podStrategy } from './pod.ts';
import { serviceStrategy } from './service.ts';
import {
  mutatingConfigurationStrategy,
  validatingConfigurationStrategy,
} from './webhook-configuration.ts';
import * as workloads from './workloads.ts';

/** What is particular to built-in kinds, by `plural` or `plural.group`. */
export const builtinStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: eventStrategy,
  namespaces: namespaceStrategy,
  nodes: further.nodeStrategy,
  persistentvolumeclaims: further.claimStrategy,
  persistentvolumes: further.volumeStrategy,
  pods: podStrategy,
  replicationcontrollers: further.replicationControllerStrategy,
  resourcequotas: further.quotaStrategy,
  secrets: secretStrategy,
  serviceaccounts: further.serviceAccountStrategy,
  services: serviceStrategy,
  'cronjobs.batch': workloads.cronJobStrategy,
  'customresourcedefinitions.apiextensions.k8s.io': definitionStrategy,
  'daemonsets.apps': workloads.daemonSetStrategy,
  'deployments.apps': workloads.deploymentStrategy,
  'endpointslices.discovery.k8s.io': endpointSliceStrategy,
  'events.events.k8s.io': modernEventStrategy,
  'horizontalpodautoscalers.autoscaling': further.autoscalerStrategy,
  'ingressclasses.networking.k8s.io': ingressClassStrategy,
  'ingresses.networking.k8s.io': ingressStrategy,
  'jobs.batch': workloads.jobStrategy,
  'leases.coordination.k8s.io': leaseStrategy,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingConfigurationStrategy,
  'networkpolicies.networking.k8s.io': further.networkPolicyStrategy,
  'poddisruptionbudgets.policy': further.disruptionBudgetStrategy,
  'priorityclasses.scheduling.k8s.io': further.priorityClassStrategy,
  'replicasets.apps': workloads.replicaSetStrategy,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingStrategy,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleStrategy,
  'rolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  'roles.rbac.authorization.k8s.io': namespacedRoleStrategy,
  'statefulsets.apps': workloads.statefulSetStrategy,
  'storageclasses.storage.k8s.io': further.storageClassStrategy,
  'validatingadmissionpolicies.admissionregistration.k8s.io': further.policyStrategy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': further.policyStrategy,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingConfigurationStrategy,
};

/** The same, for an API whose services are processes on its own machine. */
export const singleMachineStrategies: typeof builtinStrategies = {
  ...builtinStrategies,
  endpoints: withLoopbackAddresses(endpointsStrategy),
  'endpointslices.discovery.k8s.io': withLoopbackAddresses(endpointSliceStrategy),
};
