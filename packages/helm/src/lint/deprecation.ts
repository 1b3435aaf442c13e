/** An API that Kubernetes has given up, or will. */
interface Deprecation {
  readonly since: string;
  readonly until: string;
  readonly replacement: string;
}

// From the lifecycle that Kubernetes declares for its own kinds: `apiVersion kind since until replacement`.
// biome-ignore format: a table
const table = `
admission.k8s.io/v1beta1 AdmissionReview 1.19 1.22 admission.k8s.io/v1|AdmissionReview
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy 1.35 1.38 -
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding 1.35 1.38 -
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy 1.29 1.32 -
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding 1.29 1.32 -
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy 1.37 1.40 admissionregistration.k8s.io/v1|MutatingAdmissionPolicy
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding 1.37 1.40 admissionregistration.k8s.io/v1|MutatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration 1.16 1.22 admissionregistration.k8s.io/v1|MutatingWebhookConfiguration
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy 1.31 1.34 -
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding 1.31 1.34 -
admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration 1.16 1.22 admissionregistration.k8s.io/v1|ValidatingWebhookConfiguration
apidiscovery.k8s.io/v2beta1 APIGroupDiscovery 1.32 1.35 -
apps/v1beta1 ControllerRevision 1.8 1.16 apps/v1|ControllerRevision
apps/v1beta1 Deployment 1.8 1.16 apps/v1|Deployment
apps/v1beta1 DeploymentRollback 1.8 1.16 apps/v1|DeploymentRollback
apps/v1beta1 Scale 1.8 1.16 autoscaling/v1|Scale
apps/v1beta1 StatefulSet 1.8 1.16 apps/v1|StatefulSet
apps/v1beta2 ControllerRevision 1.9 1.16 apps/v1|ControllerRevision
apps/v1beta2 DaemonSet 1.9 1.16 apps/v1|DaemonSet
apps/v1beta2 Deployment 1.9 1.16 apps/v1|Deployment
apps/v1beta2 ReplicaSet 1.9 1.16 apps/v1|ReplicaSet
apps/v1beta2 Scale 1.9 1.16 autoscaling/v1|Scale
apps/v1beta2 StatefulSet 1.9 1.16 apps/v1|StatefulSet
authentication.k8s.io/v1alpha1 SelfSubjectReview 1.29 1.32 -
authentication.k8s.io/v1beta1 SelfSubjectReview 1.30 1.33 -
authentication.k8s.io/v1beta1 TokenReview 1.19 1.22 authentication.k8s.io/v1|TokenReview
authorization.k8s.io/v1beta1 LocalSubjectAccessReview 1.19 1.22 authorization.k8s.io/v1|LocalSubjectAccessReview
authorization.k8s.io/v1beta1 SelfSubjectAccessReview 1.19 1.22 authorization.k8s.io/v1|SelfSubjectAccessReview
authorization.k8s.io/v1beta1 SelfSubjectRulesReview 1.19 1.22 authorization.k8s.io/v1|SelfSubjectRulesReview
authorization.k8s.io/v1beta1 SubjectAccessReview 1.19 1.22 authorization.k8s.io/v1|SubjectAccessReview
batch/v1beta1 CronJob 1.21 1.25 batch/v1|CronJob
certificates.k8s.io/v1alpha1 ClusterTrustBundle 1.34 1.37 -
certificates.k8s.io/v1beta1 CertificateSigningRequest 1.19 1.22 certificates.k8s.io/v1|CertificateSigningRequest
certificates.k8s.io/v1beta1 ClusterTrustBundle 1.37 1.40 certificates.k8s.io/v1|ClusterTrustBundle
certificates.k8s.io/v1beta1 PodCertificateRequest 1.37 1.40 certificates.k8s.io/v1|PodCertificateRequest
coordination.k8s.io/v1alpha2 LeaseCandidate 1.35 1.38 -
coordination.k8s.io/v1beta1 Lease 1.19 1.22 coordination.k8s.io/v1|Lease
coordination.k8s.io/v1beta1 LeaseCandidate 1.36 1.39 -
discovery.k8s.io/v1beta1 EndpointSlice 1.21 1.25 discovery.k8s.io/v1|EndpointSlice
events.k8s.io/v1beta1 Event 1.22 1.25 -
extensions/v1beta1 DaemonSet 1.8 1.16 apps/v1|DaemonSet
extensions/v1beta1 Deployment 1.8 1.16 apps/v1|Deployment
extensions/v1beta1 DeploymentRollback 1.8 1.16 -
extensions/v1beta1 Ingress 1.14 1.22 networking.k8s.io/v1|Ingress
extensions/v1beta1 NetworkPolicy 1.9 1.16 networking.k8s.io/v1|NetworkPolicy
extensions/v1beta1 ReplicaSet 1.8 1.16 apps/v1|ReplicaSet
extensions/v1beta1 Scale 1.2 1.16 -
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema 1.23 1.26 flowcontrol.apiserver.k8s.io/v1beta3|FlowSchema
flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration 1.23 1.26 flowcontrol.apiserver.k8s.io/v1beta3|PriorityLevelConfiguration
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema 1.26 1.29 flowcontrol.apiserver.k8s.io/v1beta3|FlowSchema
flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration 1.26 1.29 flowcontrol.apiserver.k8s.io/v1beta3|PriorityLevelConfiguration
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema 1.29 1.32 flowcontrol.apiserver.k8s.io/v1|FlowSchema
flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration 1.29 1.32 flowcontrol.apiserver.k8s.io/v1|PriorityLevelConfiguration
lifecycle.k8s.io/v1alpha1 Eviction 1.40 1.43 -
lifecycle.k8s.io/v1alpha1 EvictionRequest 1.40 1.43 -
networking.k8s.io/v1beta1 IPAddress 1.34 1.37 -
networking.k8s.io/v1beta1 Ingress 1.19 1.22 networking.k8s.io/v1|Ingress
networking.k8s.io/v1beta1 IngressClass 1.19 1.22 networking.k8s.io/v1|IngressClassList
networking.k8s.io/v1beta1 ServiceCIDR 1.34 1.37 -
node.k8s.io/v1beta1 RuntimeClass 1.22 1.25 -
policy/v1beta1 Eviction 1.22 1.25 -
policy/v1beta1 PodDisruptionBudget 1.21 1.25 policy/v1|PodDisruptionBudget
rbac.authorization.k8s.io/v1beta1 ClusterRole 1.17 1.22 rbac.authorization.k8s.io/v1|ClusterRole
rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding 1.17 1.22 rbac.authorization.k8s.io/v1|ClusterRoleBinding
rbac.authorization.k8s.io/v1beta1 Role 1.17 1.22 rbac.authorization.k8s.io/v1|Role
rbac.authorization.k8s.io/v1beta1 RoleBinding 1.17 1.22 rbac.authorization.k8s.io/v1|RoleBinding
resource.k8s.io/v1alpha3 DeviceTaintRule 1.36 1.39 -
resource.k8s.io/v1alpha3 ResourcePoolStatusRequest 1.39 1.42 -
resource.k8s.io/v1beta1 DeviceClass 1.35 1.38 -
resource.k8s.io/v1beta1 ResourceClaim 1.35 1.38 -
resource.k8s.io/v1beta1 ResourceClaimTemplate 1.35 1.38 -
resource.k8s.io/v1beta1 ResourceSlice 1.35 1.38 -
resource.k8s.io/v1beta2 DeviceClass 1.36 1.39 -
resource.k8s.io/v1beta2 DeviceTaintRule 1.39 1.42 -
resource.k8s.io/v1beta2 ResourceClaim 1.36 1.39 -
resource.k8s.io/v1beta2 ResourceClaimTemplate 1.36 1.39 -
resource.k8s.io/v1beta2 ResourceSlice 1.36 1.39 -
scheduling.k8s.io/v1beta1 PodGroup 1.40 1.43 -
scheduling.k8s.io/v1beta1 PriorityClass 1.14 1.22 scheduling.k8s.io/v1|PriorityClass
scheduling.k8s.io/v1beta1 Workload 1.40 1.43 -
storage.k8s.io/v1alpha1 CSIStorageCapacity 1.21 1.24 storage.k8s.io/v1beta1|CSIStorageCapacity
storage.k8s.io/v1alpha1 VolumeAttachment 1.21 1.24 storage.k8s.io/v1|VolumeAttachment
storage.k8s.io/v1alpha1 VolumeAttributesClass 1.32 1.35 storage.k8s.io/v1|VolumeAttributesClass
storage.k8s.io/v1beta1 CSIDriver 1.19 1.22 storage.k8s.io/v1|CSIDriver
storage.k8s.io/v1beta1 CSINode 1.17 1.22 storage.k8s.io/v1|CSINode
storage.k8s.io/v1beta1 CSIStorageCapacity 1.24 1.27 storage.k8s.io/v1|CSIStorageCapacity
storage.k8s.io/v1beta1 StorageClass 1.19 1.22 storage.k8s.io/v1|StorageClass
storage.k8s.io/v1beta1 VolumeAttachment 1.19 1.22 storage.k8s.io/v1|VolumeAttachment
storage.k8s.io/v1beta1 VolumeAttributesClass 1.34 1.37 storage.k8s.io/v1|VolumeAttributesClass
storagemigration.k8s.io/v1beta1 StorageVersionMigration 1.37 1.40 storagemigration.k8s.io/v1|StorageVersionMigration
`;

const deprecations: ReadonlyMap<string, Deprecation> = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [apiVersion, kind, since = '', until = '', replacement = ''] = line.split(' ');
      const shown = replacement === '-' ? '' : replacement.replace('|', ' ');
      return [`${apiVersion} ${kind}`, { since, until, replacement: shown }];
    }),
);

/**
 * What Kubernetes says of a kind that is deprecated in a version; undefined of others.
 *
 * ```ts
 * describeDeprecation('policy/v1beta1', 'PodDisruptionBudget', 'v1.30.0');
 * // policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 …
 * ```
 */
export function describeDeprecation(
  apiVersion: string,
  kind: string,
  kubeVersion: string,
): string | undefined {
  const found = deprecations.get(`${apiVersion} ${kind}`);
  if (found === undefined || isBefore(kubeVersion, found.since)) return undefined;
  const gone = found.until === '' ? '' : `, unavailable in v${found.until}+`;
  const instead = found.replacement === '' ? '' : `; use ${found.replacement}`;
  return `${apiVersion} ${kind} is deprecated in v${found.since}+${gone}${instead}`;
}

function isBefore(version: string, since: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [sinceMajor = 0, sinceMinor = 0] = since.split('.').map(Number);
  return major < sinceMajor || (major === sinceMajor && minor < sinceMinor);
}
