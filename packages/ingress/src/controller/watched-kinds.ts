import { type DynamicObject, defineKind, type Kind } from '@waygate/schema';
import type { KindId } from '../objects/kind-id.ts';

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

const kong = 'configuration.konghq.com';
const gateway = 'gateway.networking.k8s.io';

function watched(
  id: KindId,
  group: string,
  version: string,
  plural: string,
  more: {
    isCluster?: boolean;
    flag?: string;
    isOptional?: boolean;
    otherVersions?: readonly string[];
  } = {},
): WatchedKind {
  const scope = more.isCluster ? 'Cluster' : 'Namespaced';
  const kind = id === 'KnativeIngress' ? 'Ingress' : id;
  return {
    id,
    kind: defineKind<DynamicObject>({ group, version, kind, plural, scope }),
    isOptional: more.isOptional ?? true,
    otherVersions: more.otherVersions ?? [],
    ...(more.flag === undefined ? {} : { flag: more.flag }),
  };
}

const builtIn = { isOptional: false };

/** Everything that Kong Ingress Controller 3 watches. */
export const watchedKinds: readonly WatchedKind[] = [
  watched('Ingress', 'networking.k8s.io', 'v1', 'ingresses', {
    ...builtIn,
    flag: 'ingress-networkingv1',
  }),
  watched('IngressClass', 'networking.k8s.io', 'v1', 'ingressclasses', {
    ...builtIn,
    isCluster: true,
    flag: 'ingress-class-networkingv1',
  }),
  watched('Service', '', 'v1', 'services', { ...builtIn, flag: 'service' }),
  watched('EndpointSlice', 'discovery.k8s.io', 'v1', 'endpointslices', builtIn),
  watched('Namespace', '', 'v1', 'namespaces', { ...builtIn, isCluster: true }),
  watched('Secret', '', 'v1', 'secrets', builtIn),
  watched('ConfigMap', '', 'v1', 'configmaps', builtIn),
  watched('Endpoints', '', 'v1', 'endpoints', builtIn),
  watched('KnativeIngress', 'networking.internal.knative.dev', 'v1alpha1', 'ingresses'),
  watched('IngressClassParameters', kong, 'v1alpha1', 'ingressclassparameterses', {
    flag: 'ingress-class-parameters',
  }),
  watched('KongClusterPlugin', kong, 'v1', 'kongclusterplugins', {
    isCluster: true,
    flag: 'kongclusterplugin',
  }),
  watched('KongConsumer', kong, 'v1', 'kongconsumers', { flag: 'kongconsumer' }),
  watched('KongConsumerGroup', kong, 'v1beta1', 'kongconsumergroups', { flag: 'kongconsumer' }),
  watched('KongCustomEntity', kong, 'v1alpha1', 'kongcustomentities', {
    flag: 'kong-custom-entity',
  }),
  watched('KongIngress', kong, 'v1', 'kongingresses', { flag: 'kongingress' }),
  watched('KongLicense', kong, 'v1alpha1', 'konglicenses', {
    isCluster: true,
    flag: 'kong-license',
  }),
  watched('KongPlugin', kong, 'v1', 'kongplugins', { flag: 'kongplugin' }),
  watched(
    'KongServiceFacade',
    'incubator.ingress-controller.konghq.com',
    'v1alpha1',
    'kongservicefacades',
    { flag: 'kong-service-facade' },
  ),
  watched('KongUpstreamPolicy', kong, 'v1beta1', 'kongupstreampolicies', {
    flag: 'kong-upstream-policy',
  }),
  watched('KongVault', kong, 'v1alpha1', 'kongvaults', { isCluster: true, flag: 'kong-vault' }),
  watched('TCPIngress', kong, 'v1beta1', 'tcpingresses', { flag: 'tcpingress' }),
  watched('UDPIngress', kong, 'v1beta1', 'udpingresses', { flag: 'udpingress' }),
  watched('GatewayClass', gateway, 'v1', 'gatewayclasses', {
    isCluster: true,
    flag: 'gwapi-gateway',
  }),
  watched('Gateway', gateway, 'v1', 'gateways', { flag: 'gwapi-gateway' }),
  watched('HTTPRoute', gateway, 'v1', 'httproutes', { flag: 'gwapi-httproute' }),
  watched('GRPCRoute', gateway, 'v1', 'grpcroutes', { flag: 'gwapi-grpcroute' }),
  watched('ReferenceGrant', gateway, 'v1beta1', 'referencegrants', {
    flag: 'gwapi-reference-grant',
    otherVersions: ['v1'],
  }),
  watched('TCPRoute', gateway, 'v1alpha2', 'tcproutes', { otherVersions: ['v1'] }),
  watched('UDPRoute', gateway, 'v1alpha2', 'udproutes', { otherVersions: ['v1'] }),
  watched('TLSRoute', gateway, 'v1alpha2', 'tlsroutes', { otherVersions: ['v1alpha3', 'v1'] }),
  watched('BackendTLSPolicy', gateway, 'v1alpha3', 'backendtlspolicies', {
    otherVersions: ['v1', 'v1alpha2'],
  }),
];

/** The same kind in another version of its API. */
export function inVersion(watchedKind: WatchedKind, version: string): WatchedKind {
  const { group, kind, plural, scope } = watchedKind.kind;
  return {
    ...watchedKind,
    kind: defineKind<DynamicObject>({ group, version, kind, plural, scope }),
  };
}

export function watchedKindOf(id: KindId): WatchedKind | undefined {
  return watchedKinds.find((watchedKind) => watchedKind.id === id);
}
