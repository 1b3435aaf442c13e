/**
 * Which zero values are left out when a built-in object is printed. The OpenAPI documents
 * do not say whether a scalar is optional by pointer (an explicit zero stays) or by value
 * (a zero is the same as nothing), so the exceptions are listed here.
 */

/** Numbers and booleans that are held by value: their zero is not printed. */
const droppedZeroes = new Set([
  'active',
  'availableReplicas',
  'count',
  'currentReplicas',
  'failed',
  'failureThreshold',
  'fullyLabeledReplicas',
  'generation',
  'healthCheckNodePort',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  'nodePort',
  'numberAvailable',
  'numberUnavailable',
  'observedGeneration',
  'paused',
  'periodSeconds',
  'publishNotReadyAddresses',
  'readOnly',
  'readyReplicas',
  'signal',
  'stdin',
  'stdinOnce',
  'succeeded',
  'successThreshold',
  'tty',
  'unavailableReplicas',
  'unschedulable',
  'updatedNumberScheduled',
  'updatedReplicas',
]);

const droppedZeroesOfStruct = new Set([
  'DeploymentStatus.replicas',
  'Probe.timeoutSeconds',
  'CustomResourceDefinitionVersion.deprecated',
  'JSONSchemaProps.exclusiveMaximum',
  'JSONSchemaProps.exclusiveMinimum',
  'JSONSchemaProps.nullable',
  'JSONSchemaProps.uniqueItems',
  'JSONSchemaProps.x-kubernetes-embedded-resource',
  'JSONSchemaProps.x-kubernetes-int-or-string',
  'CustomResourceColumnDefinition.priority',
]);

/** Strings that are held by pointer: the empty string is printed. */
const keptEmptyStrings = new Set([
  'EndpointPort.name',
  'EndpointPort.appProtocol',
  'EndpointPort.protocol',
  'PersistentVolumeClaimSpec.storageClassName',
  'PersistentVolumeClaimSpec.volumeMode',
  'LeaseSpec.holderIdentity',
  'IngressSpec.ingressClassName',
  'ServicePort.appProtocol',
  'ServiceSpec.loadBalancerClass',
  'PodSpec.runtimeClassName',
  'RuleWithOperations.scope',
  'WebhookClientConfig.url',
  'ServiceReference.path',
]);

export function isLeftOut(struct: string, field: string, value: unknown): boolean {
  if (value === '') return !keptEmptyStrings.has(`${struct}.${field}`);
  if (value === 0 || value === false) {
    return droppedZeroes.has(field) || droppedZeroesOfStruct.has(`${struct}.${field}`);
  }
  return false;
}
