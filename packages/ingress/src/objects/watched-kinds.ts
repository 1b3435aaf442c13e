import { type DynamicObject, defineKind, type Kind } from '@waygate/schema';

/** What is to be known of a kind beside its names. */
interface Details {
  readonly isCluster?: true;
  /** Its API is part of every cluster. */
  readonly isBuiltIn?: true;
  /** The flag that switches it off, without `enable-controller-`. */
  readonly flag?: string;
  /** Other versions of its API that will do, where the cluster does not serve the usual one. */
  readonly otherVersions?: readonly string[];
  /** Another group that files may have it in. */
  readonly formerGroup?: string;
  /** Its Kubernetes kind, where that is not its name here. */
  readonly kind?: string;
}

type Row = readonly [id: string, group: string, version: string, plural: string, more?: Details];

const kong = 'configuration.konghq.com';
const gateway = 'gateway.networking.k8s.io';
const networking = 'networking.k8s.io';
const builtIn = { isBuiltIn: true } as const;
const cluster = { isCluster: true } as const;

/** Every kind that is read, in one place. What Kong Ingress Controller 3 watches is watched. */
const rows = [
  [
    'Ingress',
    networking,
    'v1',
    'ingresses',
    { ...builtIn, flag: 'ingress-networkingv1', formerGroup: 'extensions' },
  ],
  [
    'IngressClass',
    networking,
    'v1',
    'ingressclasses',
    { ...builtIn, ...cluster, flag: 'ingress-class-networkingv1' },
  ],
  ['Service', '', 'v1', 'services', { ...builtIn, flag: 'service' }],
  ['EndpointSlice', 'discovery.k8s.io', 'v1', 'endpointslices', builtIn],
  ['Namespace', '', 'v1', 'namespaces', { ...builtIn, ...cluster }],
  ['Secret', '', 'v1', 'secrets', builtIn],
  ['ConfigMap', '', 'v1', 'configmaps', builtIn],
  ['Endpoints', '', 'v1', 'endpoints', builtIn],
  [
    'KnativeIngress',
    'networking.internal.knative.dev',
    'v1alpha1',
    'ingresses',
    { kind: 'Ingress' },
  ],
  [
    'IngressClassParameters',
    kong,
    'v1alpha1',
    'ingressclassparameterses',
    { flag: 'ingress-class-parameters' },
  ],
  [
    'KongClusterPlugin',
    kong,
    'v1',
    'kongclusterplugins',
    { ...cluster, flag: 'kongclusterplugin' },
  ],
  ['KongConsumer', kong, 'v1', 'kongconsumers', { flag: 'kongconsumer' }],
  ['KongConsumerGroup', kong, 'v1beta1', 'kongconsumergroups', { flag: 'kongconsumer' }],
  ['KongCredential', kong, 'v1', 'kongcredentials'],
  ['KongCustomEntity', kong, 'v1alpha1', 'kongcustomentities', { flag: 'kong-custom-entity' }],
  ['KongIngress', kong, 'v1', 'kongingresses', { flag: 'kongingress' }],
  ['KongLicense', kong, 'v1alpha1', 'konglicenses', { ...cluster, flag: 'kong-license' }],
  ['KongPlugin', kong, 'v1', 'kongplugins', { flag: 'kongplugin' }],
  [
    'KongServiceFacade',
    'incubator.ingress-controller.konghq.com',
    'v1alpha1',
    'kongservicefacades',
    { flag: 'kong-service-facade' },
  ],
  ['KongUpstreamPolicy', kong, 'v1beta1', 'kongupstreampolicies', { flag: 'kong-upstream-policy' }],
  ['KongVault', kong, 'v1alpha1', 'kongvaults', { ...cluster, flag: 'kong-vault' }],
  ['TCPIngress', kong, 'v1beta1', 'tcpingresses', { flag: 'tcpingress' }],
  ['UDPIngress', kong, 'v1beta1', 'udpingresses', { flag: 'udpingress' }],
  ['GatewayClass', gateway, 'v1', 'gatewayclasses', { ...cluster, flag: 'gwapi-gateway' }],
  ['Gateway', gateway, 'v1', 'gateways', { flag: 'gwapi-gateway' }],
  ['ListenerSet', gateway, 'v1', 'listenersets', { flag: 'gwapi-gateway' }],
  ['HTTPRoute', gateway, 'v1', 'httproutes', { flag: 'gwapi-httproute' }],
  ['GRPCRoute', gateway, 'v1', 'grpcroutes', { flag: 'gwapi-grpcroute' }],
  [
    'ReferenceGrant',
    gateway,
    'v1beta1',
    'referencegrants',
    { flag: 'gwapi-reference-grant', otherVersions: ['v1'] },
  ],
  ['TCPRoute', gateway, 'v1alpha2', 'tcproutes', { otherVersions: ['v1'] }],
  ['UDPRoute', gateway, 'v1alpha2', 'udproutes', { otherVersions: ['v1'] }],
  ['TLSRoute', gateway, 'v1alpha2', 'tlsroutes', { otherVersions: ['v1alpha3', 'v1'] }],
  [
    'BackendTLSPolicy',
    gateway,
    'v1alpha3',
    'backendtlspolicies',
    { otherVersions: ['v1', 'v1alpha2'] },
  ],
] as const satisfies readonly Row[];

/**
 * The kinds that a translation reads, each by a name that is unique among them. It is the Kubernetes
 * kind, except for Knative's Ingress, which shares its kind with the standard one.
 */
export type KindId = (typeof rows)[number][0];

/** A kind that the controller follows. */
export interface WatchedKind {
  readonly id: KindId;
  readonly kind: Kind<DynamicObject>;
  /** Its API is not part of every cluster: it is followed when and as soon as it is there. */
  readonly isOptional: boolean;
  /** Other versions of its API that will do, where the cluster does not serve the usual one. */
  readonly otherVersions: readonly string[];
  /** The flag that switches it off, without `enable-controller-`. */
  readonly flag?: string;
}

/** All of them, those too that are not watched, with the groups that they may be in. */
export const knownKinds: readonly (WatchedKind & { readonly groups: readonly string[] })[] =
  rows.map(([id, group, version, plural, more]: Row) => {
    const { isCluster, isBuiltIn, flag, otherVersions = [], formerGroup, kind = id } = more ?? {};
    const scope = isCluster ? 'Cluster' : 'Namespaced';
    return {
      id: id as KindId,
      kind: defineKind<DynamicObject>({ group, version, kind, plural, scope }),
      groups: formerGroup === undefined ? [group] : [group, formerGroup],
      isOptional: !isBuiltIn,
      otherVersions,
      ...(flag !== undefined && { flag }),
    };
  });

/** Everything that Kong Ingress Controller 3 watches: what was older than it comes from files only. */
export const watchedKinds: readonly WatchedKind[] = knownKinds.filter(
  ({ id }) => id !== 'KongCredential',
);

const byId = new Map(knownKinds.map((known) => [known.id, known]));

export function watchedKindOf(id: KindId): WatchedKind {
  return byId.get(id)!;
}

/** The same kind in another version of its API. */
export function inVersion(watchedKind: WatchedKind, version: string): WatchedKind {
  const { group, kind, plural, scope } = watchedKind.kind;
  return {
    ...watchedKind,
    kind: defineKind<DynamicObject>({ group, version, kind, plural, scope }),
  };
}
