import type {
  CronJob,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  PodDisruptionBudget,
  ReplicaSet,
  Scale,
  StatefulSet,
} from './api/apps.ts';
import type {
  ConfigMap,
  CoreEvent,
  Endpoints,
  Namespace,
  Node,
  PersistentVolumeClaim,
  ReplicationController,
  Secret,
  Service,
  ServiceAccount,
} from './api/core.ts';
import type {
  CustomResourceDefinition,
  Event,
  Lease,
  SubjectAccessReview,
  TokenReview,
  WebhookConfiguration,
} from './api/machinery.ts';
import type { EndpointSlice, Ingress, IngressClass, NetworkPolicy } from './api/networking.ts';
import type { Pod } from './api/pod.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './api/rbac.ts';
import type { Kind, Scope } from './kind.ts';
import type { DynamicObject, KubeObject } from './object.ts';

function of<T extends KubeObject = DynamicObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: Scope = 'Namespaced',
): Kind<T> {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), kind, plural, scope };
}

const core = 'v1';
const apps = 'apps/v1';
const admission = 'admissionregistration.k8s.io/v1';
const authorization = 'authorization.k8s.io/v1';
const authentication = 'authentication.k8s.io/v1';
const networking = 'networking.k8s.io/v1';
const rbac = 'rbac.authorization.k8s.io/v1';
const storage = 'storage.k8s.io/v1';

/**
 * The built-in kinds with their types, by name. Of two kinds with one name the older keeps it:
 * `Event` is the core one, `EventsEvent` that of `events.k8s.io`.
 *
 * ```ts
 * kinds.Deployment.plural; // 'deployments'
 * ```
 */
export const kinds = {
  Namespace: of<Namespace>(core, 'Namespace', 'namespaces', 'Cluster'),
  Pod: of<Pod>(core, 'Pod', 'pods'),
  Service: of<Service>(core, 'Service', 'services'),
  Endpoints: of<Endpoints>(core, 'Endpoints', 'endpoints'),
  ConfigMap: of<ConfigMap>(core, 'ConfigMap', 'configmaps'),
  Secret: of<Secret>(core, 'Secret', 'secrets'),
  ServiceAccount: of<ServiceAccount>(core, 'ServiceAccount', 'serviceaccounts'),
  Event: of<CoreEvent>(core, 'Event', 'events'),
  Node: of<Node>(core, 'Node', 'nodes', 'Cluster'),
  PersistentVolume: of(core, 'PersistentVolume', 'persistentvolumes', 'Cluster'),
  PersistentVolumeClaim: of<PersistentVolumeClaim>(
    core,
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
  ),
  ReplicationController: of<ReplicationController>(
    core,
    'ReplicationController',
    'replicationcontrollers',
  ),
  LimitRange: of(core, 'LimitRange', 'limitranges'),
  ResourceQuota: of(core, 'ResourceQuota', 'resourcequotas'),
  PodTemplate: of(core, 'PodTemplate', 'podtemplates'),
  Deployment: of<Deployment>(apps, 'Deployment', 'deployments'),
  StatefulSet: of<StatefulSet>(apps, 'StatefulSet', 'statefulsets'),
  DaemonSet: of<DaemonSet>(apps, 'DaemonSet', 'daemonsets'),
  ReplicaSet: of<ReplicaSet>(apps, 'ReplicaSet', 'replicasets'),
  ControllerRevision: of(apps, 'ControllerRevision', 'controllerrevisions'),
  Job: of<Job>('batch/v1', 'Job', 'jobs'),
  CronJob: of<CronJob>('batch/v1', 'CronJob', 'cronjobs'),
  HorizontalPodAutoscaler: of<HorizontalPodAutoscaler>(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
  ),
  /** Only a subresource; its plural is that of the kind that is scaled. */
  Scale: of<Scale>('autoscaling/v1', 'Scale', 'scale'),
  PodDisruptionBudget: of<PodDisruptionBudget>(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
  ),
  Ingress: of<Ingress>(networking, 'Ingress', 'ingresses'),
  IngressClass: of<IngressClass>(networking, 'IngressClass', 'ingressclasses', 'Cluster'),
  NetworkPolicy: of<NetworkPolicy>(networking, 'NetworkPolicy', 'networkpolicies'),
  EndpointSlice: of<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  Lease: of<Lease>('coordination.k8s.io/v1', 'Lease', 'leases'),
  EventsEvent: of<Event>('events.k8s.io/v1', 'Event', 'events'),
  CustomResourceDefinition: of<CustomResourceDefinition>(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'Cluster',
  ),
  APIService: of('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'Cluster'),
  Role: of<Role>(rbac, 'Role', 'roles'),
  RoleBinding: of<RoleBinding>(rbac, 'RoleBinding', 'rolebindings'),
  ClusterRole: of<ClusterRole>(rbac, 'ClusterRole', 'clusterroles', 'Cluster'),
  ClusterRoleBinding: of<ClusterRoleBinding>(
    rbac,
    'ClusterRoleBinding',
    'clusterrolebindings',
    'Cluster',
  ),
  ValidatingWebhookConfiguration: of<WebhookConfiguration>(
    admission,
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    'Cluster',
  ),
  MutatingWebhookConfiguration: of<WebhookConfiguration>(
    admission,
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    'Cluster',
  ),
  ValidatingAdmissionPolicy: of(
    admission,
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    'Cluster',
  ),
  ValidatingAdmissionPolicyBinding: of(
    admission,
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    'Cluster',
  ),
  SubjectAccessReview: of<SubjectAccessReview>(
    authorization,
    'SubjectAccessReview',
    'subjectaccessreviews',
    'Cluster',
  ),
  SelfSubjectAccessReview: of<SubjectAccessReview>(
    authorization,
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
    'Cluster',
  ),
  LocalSubjectAccessReview: of<SubjectAccessReview>(
    authorization,
    'LocalSubjectAccessReview',
    'localsubjectaccessreviews',
  ),
  SelfSubjectReview: of(authentication, 'SelfSubjectReview', 'selfsubjectreviews', 'Cluster'),
  TokenReview: of<TokenReview>(authentication, 'TokenReview', 'tokenreviews', 'Cluster'),
  CertificateSigningRequest: of(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    'certificatesigningrequests',
    'Cluster',
  ),
  PriorityClass: of('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'Cluster'),
  RuntimeClass: of('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', 'Cluster'),
  StorageClass: of(storage, 'StorageClass', 'storageclasses', 'Cluster'),
  CSIDriver: of(storage, 'CSIDriver', 'csidrivers', 'Cluster'),
  VolumeAttachment: of(storage, 'VolumeAttachment', 'volumeattachments', 'Cluster'),
} as const;
