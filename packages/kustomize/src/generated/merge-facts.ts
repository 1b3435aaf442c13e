/**
 * Which lists of the built-in kinds merge, and by which keys, as kustomize's own OpenAPI knows
 * them. A field is `[kind of step, definition of what is inside, keys]`.
 */
export type MergeStep = readonly [step: 'map' | 'items' | 'values' | 'list', definition: string, keys?: readonly string[]];

export const definitions: Readonly<Record<string, Readonly<Record<string, MergeStep>>>> = {
  'APIService': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'APIServiceStatus'],
  },
  'APIServiceStatus': {
    conditions: ['list', '', ["type"]],
  },
  'Binding': {
    metadata: ['map', 'ObjectMeta'],
  },
  'CSIDriver': {
    metadata: ['map', 'ObjectMeta'],
  },
  'CSINode': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'CSINodeSpec'],
  },
  'CSINodeSpec': {
    drivers: ['list', '', ["name"]],
  },
  'CSIStorageCapacity': {
    metadata: ['map', 'ObjectMeta'],
  },
  'CertificateSigningRequest': {
    metadata: ['map', 'ObjectMeta'],
  },
  'ClusterRole': {
    metadata: ['map', 'ObjectMeta'],
  },
  'ClusterRoleBinding': {
    metadata: ['map', 'ObjectMeta'],
  },
  'ComponentStatus': {
    conditions: ['list', '', ["type"]],
    metadata: ['map', 'ObjectMeta'],
  },
  'ConfigMap': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Container': {
    env: ['list', '', ["name"]],
    ports: ['list', '', ["containerPort", "protocol"]],
    volumeDevices: ['list', '', ["devicePath"]],
    volumeMounts: ['list', '', ["mountPath"]],
  },
  'ContainerStatus': {
  },
  'ControllerRevision': {
    metadata: ['map', 'ObjectMeta'],
  },
  'CronJob': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'CronJobSpec'],
  },
  'CronJobSpec': {
    jobTemplate: ['map', 'JobTemplateSpec'],
  },
  'CustomResourceDefinition': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'CustomResourceDefinitionSpec'],
  },
  'CustomResourceDefinitionSpec': {
    versions: ['items', 'CustomResourceDefinitionVersion'],
  },
  'CustomResourceDefinitionVersion': {
    schema: ['map', 'CustomResourceValidation'],
  },
  'CustomResourceValidation': {
    openAPIV3Schema: ['map', 'JSONSchemaProps'],
  },
  'DaemonSet': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'DaemonSetSpec'],
    status: ['map', 'DaemonSetStatus'],
  },
  'DaemonSetSpec': {
    template: ['map', 'PodTemplateSpec'],
  },
  'DaemonSetStatus': {
    conditions: ['list', '', ["type"]],
  },
  'Deployment': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'DeploymentSpec'],
    status: ['map', 'DeploymentStatus'],
  },
  'DeploymentSpec': {
    template: ['map', 'PodTemplateSpec'],
  },
  'DeploymentStatus': {
    conditions: ['list', '', ["type"]],
  },
  'EndpointSlice': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Endpoints': {
    metadata: ['map', 'ObjectMeta'],
  },
  'EphemeralContainer': {
    env: ['list', '', ["name"]],
    ports: ['list', '', ["containerPort", "protocol"]],
    volumeDevices: ['list', '', ["devicePath"]],
    volumeMounts: ['list', '', ["mountPath"]],
  },
  'EphemeralVolumeSource': {
    volumeClaimTemplate: ['map', 'PersistentVolumeClaimTemplate'],
  },
  'Event': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Eviction': {
    metadata: ['map', 'ObjectMeta'],
  },
  'FlowSchema': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'FlowSchemaStatus'],
  },
  'FlowSchemaStatus': {
    conditions: ['list', '', ["type"]],
  },
  'HorizontalPodAutoscaler': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Ingress': {
    metadata: ['map', 'ObjectMeta'],
  },
  'IngressClass': {
    metadata: ['map', 'ObjectMeta'],
  },
  'JSONSchemaProps': {
    allOf: ['items', 'JSONSchemaProps'],
    anyOf: ['items', 'JSONSchemaProps'],
    definitions: ['values', 'JSONSchemaProps'],
    not: ['map', 'JSONSchemaProps'],
    oneOf: ['items', 'JSONSchemaProps'],
    patternProperties: ['values', 'JSONSchemaProps'],
    properties: ['values', 'JSONSchemaProps'],
  },
  'Job': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'JobSpec'],
    status: ['map', 'JobStatus'],
  },
  'JobSpec': {
    template: ['map', 'PodTemplateSpec'],
  },
  'JobStatus': {
    conditions: ['list', '', ["type"]],
  },
  'JobTemplateSpec': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'JobSpec'],
  },
  'Lease': {
    metadata: ['map', 'ObjectMeta'],
  },
  'LimitRange': {
    metadata: ['map', 'ObjectMeta'],
  },
  'LocalSubjectAccessReview': {
    metadata: ['map', 'ObjectMeta'],
  },
  'MutatingWebhook': {
  },
  'MutatingWebhookConfiguration': {
    metadata: ['map', 'ObjectMeta'],
    webhooks: ['list', 'MutatingWebhook', ["name"]],
  },
  'Namespace': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'NamespaceStatus'],
  },
  'NamespaceStatus': {
    conditions: ['list', '', ["type"]],
  },
  'NetworkPolicy': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Node': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'NodeSpec'],
    status: ['map', 'NodeStatus'],
  },
  'NodeSpec': {
    podCIDRs: ['list', '', []],
  },
  'NodeStatus': {
    addresses: ['list', '', ["type"]],
    conditions: ['list', '', ["type"]],
  },
  'ObjectMeta': {
    finalizers: ['list', '', []],
    ownerReferences: ['list', '', ["uid"]],
  },
  'PersistentVolume': {
    metadata: ['map', 'ObjectMeta'],
  },
  'PersistentVolumeClaim': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'PersistentVolumeClaimStatus'],
  },
  'PersistentVolumeClaimStatus': {
    conditions: ['list', '', ["type"]],
  },
  'PersistentVolumeClaimTemplate': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Pod': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'PodSpec'],
    status: ['map', 'PodStatus'],
  },
  'PodDisruptionBudget': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'PodDisruptionBudgetStatus'],
  },
  'PodDisruptionBudgetStatus': {
    conditions: ['list', '', ["type"]],
  },
  'PodSpec': {
    containers: ['list', 'Container', ["name"]],
    ephemeralContainers: ['list', 'EphemeralContainer', ["name"]],
    hostAliases: ['list', '', ["ip"]],
    imagePullSecrets: ['list', '', ["name"]],
    initContainers: ['list', 'Container', ["name"]],
    topologySpreadConstraints: ['list', '', ["topologyKey", "whenUnsatisfiable"]],
    volumes: ['list', 'Volume', ["name"]],
  },
  'PodStatus': {
    conditions: ['list', '', ["type"]],
    containerStatuses: ['items', 'ContainerStatus'],
    ephemeralContainerStatuses: ['items', 'ContainerStatus'],
    initContainerStatuses: ['items', 'ContainerStatus'],
    podIPs: ['list', '', ["ip"]],
  },
  'PodTemplate': {
    metadata: ['map', 'ObjectMeta'],
    template: ['map', 'PodTemplateSpec'],
  },
  'PodTemplateSpec': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'PodSpec'],
  },
  'PriorityClass': {
    metadata: ['map', 'ObjectMeta'],
  },
  'PriorityLevelConfiguration': {
    metadata: ['map', 'ObjectMeta'],
    status: ['map', 'PriorityLevelConfigurationStatus'],
  },
  'PriorityLevelConfigurationStatus': {
    conditions: ['list', '', ["type"]],
  },
  'ReplicaSet': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'ReplicaSetSpec'],
    status: ['map', 'ReplicaSetStatus'],
  },
  'ReplicaSetSpec': {
    template: ['map', 'PodTemplateSpec'],
  },
  'ReplicaSetStatus': {
    conditions: ['list', '', ["type"]],
  },
  'ReplicationController': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'ReplicationControllerSpec'],
    status: ['map', 'ReplicationControllerStatus'],
  },
  'ReplicationControllerSpec': {
    template: ['map', 'PodTemplateSpec'],
  },
  'ReplicationControllerStatus': {
    conditions: ['list', '', ["type"]],
  },
  'ResourceQuota': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Role': {
    metadata: ['map', 'ObjectMeta'],
  },
  'RoleBinding': {
    metadata: ['map', 'ObjectMeta'],
  },
  'RuntimeClass': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Scale': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Secret': {
    metadata: ['map', 'ObjectMeta'],
  },
  'SelfSubjectAccessReview': {
    metadata: ['map', 'ObjectMeta'],
  },
  'SelfSubjectRulesReview': {
    metadata: ['map', 'ObjectMeta'],
  },
  'Service': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'ServiceSpec'],
    status: ['map', 'ServiceStatus'],
  },
  'ServiceAccount': {
    metadata: ['map', 'ObjectMeta'],
    secrets: ['list', '', ["name"]],
  },
  'ServiceSpec': {
    ports: ['list', '', ["port", "protocol"]],
  },
  'ServiceStatus': {
    conditions: ['list', '', ["type"]],
  },
  'StatefulSet': {
    metadata: ['map', 'ObjectMeta'],
    spec: ['map', 'StatefulSetSpec'],
    status: ['map', 'StatefulSetStatus'],
  },
  'StatefulSetSpec': {
    template: ['map', 'PodTemplateSpec'],
    volumeClaimTemplates: ['items', 'PersistentVolumeClaim'],
  },
  'StatefulSetStatus': {
    conditions: ['list', '', ["type"]],
  },
  'StorageClass': {
    metadata: ['map', 'ObjectMeta'],
  },
  'SubjectAccessReview': {
    metadata: ['map', 'ObjectMeta'],
  },
  'TokenRequest': {
    metadata: ['map', 'ObjectMeta'],
  },
  'TokenReview': {
    metadata: ['map', 'ObjectMeta'],
  },
  'ValidatingWebhook': {
  },
  'ValidatingWebhookConfiguration': {
    metadata: ['map', 'ObjectMeta'],
    webhooks: ['list', 'ValidatingWebhook', ["name"]],
  },
  'Volume': {
    ephemeral: ['map', 'EphemeralVolumeSource'],
  },
  'VolumeAttachment': {
    metadata: ['map', 'ObjectMeta'],
  },
  'events.v1.Event': {
    metadata: ['map', 'ObjectMeta'],
  },
};

/** `apiVersion/kind` of what has a schema, and the definition it is. */
export const kinds: Readonly<Record<string, string>> = {
  'v1/Binding': 'Binding',
  'v1/ComponentStatus': 'ComponentStatus',
  'v1/ConfigMap': 'ConfigMap',
  'v1/Endpoints': 'Endpoints',
  'v1/Event': 'Event',
  'v1/LimitRange': 'LimitRange',
  'v1/Namespace': 'Namespace',
  'v1/Node': 'Node',
  'v1/PersistentVolume': 'PersistentVolume',
  'v1/PersistentVolumeClaim': 'PersistentVolumeClaim',
  'v1/Pod': 'Pod',
  'v1/PodTemplate': 'PodTemplate',
  'v1/ReplicationController': 'ReplicationController',
  'v1/ResourceQuota': 'ResourceQuota',
  'v1/Secret': 'Secret',
  'v1/Service': 'Service',
  'v1/ServiceAccount': 'ServiceAccount',
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': 'MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': 'ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration': 'MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration': 'ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'CustomResourceDefinition',
  'apiextensions.k8s.io/v1beta1/CustomResourceDefinition': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1/APIService': 'APIService',
  'apiregistration.k8s.io/v1beta1/APIService': 'APIService',
  'apps/v1/ControllerRevision': 'ControllerRevision',
  'apps/v1/DaemonSet': 'DaemonSet',
  'apps/v1/Deployment': 'Deployment',
  'apps/v1/ReplicaSet': 'ReplicaSet',
  'apps/v1/StatefulSet': 'StatefulSet',
  'authentication.k8s.io/v1/TokenRequest': 'TokenRequest',
  'authentication.k8s.io/v1/TokenReview': 'TokenReview',
  'authentication.k8s.io/v1beta1/TokenReview': 'TokenReview',
  'authorization.k8s.io/v1/LocalSubjectAccessReview': 'LocalSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectAccessReview': 'SelfSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectRulesReview': 'SelfSubjectRulesReview',
  'authorization.k8s.io/v1/SubjectAccessReview': 'SubjectAccessReview',
  'authorization.k8s.io/v1beta1/LocalSubjectAccessReview': 'LocalSubjectAccessReview',
  'authorization.k8s.io/v1beta1/SelfSubjectAccessReview': 'SelfSubjectAccessReview',
  'authorization.k8s.io/v1beta1/SelfSubjectRulesReview': 'SelfSubjectRulesReview',
  'authorization.k8s.io/v1beta1/SubjectAccessReview': 'SubjectAccessReview',
  'autoscaling/v1/HorizontalPodAutoscaler': 'HorizontalPodAutoscaler',
  'autoscaling/v1/Scale': 'Scale',
  'autoscaling/v2beta1/HorizontalPodAutoscaler': 'HorizontalPodAutoscaler',
  'autoscaling/v2beta2/HorizontalPodAutoscaler': 'HorizontalPodAutoscaler',
  'batch/v1/CronJob': 'CronJob',
  'batch/v1/Job': 'Job',
  'batch/v1beta1/CronJob': 'CronJob',
  'certificates.k8s.io/v1/CertificateSigningRequest': 'CertificateSigningRequest',
  'certificates.k8s.io/v1beta1/CertificateSigningRequest': 'CertificateSigningRequest',
  'coordination.k8s.io/v1/Lease': 'Lease',
  'coordination.k8s.io/v1beta1/Lease': 'Lease',
  'discovery.k8s.io/v1/EndpointSlice': 'EndpointSlice',
  'discovery.k8s.io/v1beta1/EndpointSlice': 'EndpointSlice',
  'events.k8s.io/v1/Event': 'events.v1.Event',
  'events.k8s.io/v1beta1/Event': 'events.v1.Event',
  'extensions/v1beta1/Ingress': 'Ingress',
  'flowcontrol.apiserver.k8s.io/v1beta1/FlowSchema': 'FlowSchema',
  'flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration': 'PriorityLevelConfiguration',
  'networking.k8s.io/v1/Ingress': 'Ingress',
  'networking.k8s.io/v1/IngressClass': 'IngressClass',
  'networking.k8s.io/v1/NetworkPolicy': 'NetworkPolicy',
  'networking.k8s.io/v1beta1/Ingress': 'Ingress',
  'networking.k8s.io/v1beta1/IngressClass': 'IngressClass',
  'node.k8s.io/v1/RuntimeClass': 'RuntimeClass',
  'node.k8s.io/v1beta1/RuntimeClass': 'RuntimeClass',
  'policy/v1/PodDisruptionBudget': 'PodDisruptionBudget',
  'policy/v1beta1/Eviction': 'Eviction',
  'policy/v1beta1/PodDisruptionBudget': 'PodDisruptionBudget',
  'policy/v1beta1/PodSecurityPolicy': 'ConfigMap',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'ClusterRole',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': 'ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1/Role': 'Role',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'RoleBinding',
  'rbac.authorization.k8s.io/v1beta1/ClusterRole': 'ClusterRole',
  'rbac.authorization.k8s.io/v1beta1/ClusterRoleBinding': 'ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1/Role': 'Role',
  'rbac.authorization.k8s.io/v1beta1/RoleBinding': 'RoleBinding',
  'scheduling.k8s.io/v1/PriorityClass': 'PriorityClass',
  'scheduling.k8s.io/v1beta1/PriorityClass': 'PriorityClass',
  'storage.k8s.io/v1/CSIDriver': 'CSIDriver',
  'storage.k8s.io/v1/CSINode': 'CSINode',
  'storage.k8s.io/v1/StorageClass': 'StorageClass',
  'storage.k8s.io/v1/VolumeAttachment': 'VolumeAttachment',
  'storage.k8s.io/v1beta1/CSIDriver': 'CSIDriver',
  'storage.k8s.io/v1beta1/CSINode': 'CSINode',
  'storage.k8s.io/v1beta1/CSIStorageCapacity': 'CSIStorageCapacity',
  'storage.k8s.io/v1beta1/StorageClass': 'StorageClass',
  'storage.k8s.io/v1beta1/VolumeAttachment': 'VolumeAttachment',
};

/** `apiVersion/kind` of what is not in a namespace. Others are, or are not known. */
export const clusterScoped: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1/CustomResourceDefinition',
  'apiextensions.k8s.io/v1beta1/CustomResourceDefinition',
  'apiregistration.k8s.io/v1/APIService',
  'apiregistration.k8s.io/v1beta1/APIService',
  'certificates.k8s.io/v1/CertificateSigningRequest',
  'certificates.k8s.io/v1beta1/CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/v1beta1/FlowSchema',
  'flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration',
  'networking.k8s.io/v1/IngressClass',
  'networking.k8s.io/v1beta1/IngressClass',
  'node.k8s.io/v1/RuntimeClass',
  'node.k8s.io/v1beta1/RuntimeClass',
  'policy/v1beta1/PodSecurityPolicy',
  'rbac.authorization.k8s.io/v1/ClusterRole',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1/ClusterRole',
  'rbac.authorization.k8s.io/v1beta1/ClusterRoleBinding',
  'scheduling.k8s.io/v1/PriorityClass',
  'scheduling.k8s.io/v1beta1/PriorityClass',
  'storage.k8s.io/v1/CSIDriver',
  'storage.k8s.io/v1/CSINode',
  'storage.k8s.io/v1/StorageClass',
  'storage.k8s.io/v1/VolumeAttachment',
  'storage.k8s.io/v1beta1/CSIDriver',
  'storage.k8s.io/v1beta1/CSINode',
  'storage.k8s.io/v1beta1/StorageClass',
  'storage.k8s.io/v1beta1/VolumeAttachment',
  'v1/ComponentStatus',
  'v1/Namespace',
  'v1/Node',
  'v1/PersistentVolume',
]);
