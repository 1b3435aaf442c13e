import { type KubeObject, parseApiVersion } from '@waygate/schema';

/**
 * The kinds that a translation reads, each by a name that is unique among them. It is the Kubernetes
 * kind, except for Knative's Ingress, which shares its kind with the standard one.
 */
export type KindId =
  | 'BackendTLSPolicy'
  | 'ConfigMap'
  | 'EndpointSlice'
  | 'Endpoints'
  | 'GRPCRoute'
  | 'Gateway'
  | 'GatewayClass'
  | 'HTTPRoute'
  | 'Ingress'
  | 'IngressClass'
  | 'IngressClassParameters'
  | 'KnativeIngress'
  | 'KongClusterPlugin'
  | 'KongConsumer'
  | 'KongConsumerGroup'
  | 'KongCredential'
  | 'KongCustomEntity'
  | 'KongIngress'
  | 'KongLicense'
  | 'KongPlugin'
  | 'KongServiceFacade'
  | 'KongUpstreamPolicy'
  | 'KongVault'
  | 'Namespace'
  | 'ReferenceGrant'
  | 'Secret'
  | 'Service'
  | 'TCPIngress'
  | 'TCPRoute'
  | 'TLSRoute'
  | 'UDPIngress'
  | 'UDPRoute';

const configuration = ['configuration.konghq.com'];
const gateway = ['gateway.networking.k8s.io'];

const groupsOf: Readonly<Record<Exclude<KindId, 'KnativeIngress'>, readonly string[]>> = {
  BackendTLSPolicy: gateway,
  ConfigMap: [''],
  EndpointSlice: ['discovery.k8s.io'],
  Endpoints: [''],
  GRPCRoute: gateway,
  Gateway: gateway,
  GatewayClass: gateway,
  HTTPRoute: gateway,
  Ingress: ['networking.k8s.io', 'extensions'],
  IngressClass: ['networking.k8s.io'],
  IngressClassParameters: configuration,
  KongClusterPlugin: configuration,
  KongConsumer: configuration,
  KongConsumerGroup: configuration,
  KongCredential: configuration,
  KongCustomEntity: configuration,
  KongIngress: configuration,
  KongLicense: configuration,
  KongPlugin: configuration,
  KongServiceFacade: ['incubator.ingress-controller.konghq.com'],
  KongUpstreamPolicy: configuration,
  KongVault: configuration,
  Namespace: [''],
  ReferenceGrant: gateway,
  Secret: [''],
  Service: [''],
  TCPIngress: configuration,
  TCPRoute: gateway,
  TLSRoute: gateway,
  UDPIngress: configuration,
  UDPRoute: gateway,
};

/** Which of our kinds an object is; undefined for everything that a translation does not read. */
export function kindIdOf(object: KubeObject): KindId | undefined {
  const { group } = parseApiVersion(object.apiVersion ?? '');
  const kind = object.kind ?? '';
  if (kind === 'Ingress' && group === 'networking.internal.knative.dev') return 'KnativeIngress';
  if (!Object.hasOwn(groupsOf, kind)) return undefined;
  const known = kind as Exclude<KindId, 'KnativeIngress'>;
  return groupsOf[known].includes(group) ? known : undefined;
}
