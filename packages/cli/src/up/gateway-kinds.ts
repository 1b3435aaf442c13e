import { defineKind, type Kind, type KubeObject } from '@waygate/schema';

const ofGatewayApi = (kind: string, plural: string, scope: Kind['scope']): Kind<KubeObject> =>
  defineKind<KubeObject>({
    group: 'gateway.networking.k8s.io',
    version: 'v1',
    kind,
    plural,
    scope,
  });

export const gatewayClassKind = ofGatewayApi('GatewayClass', 'gatewayclasses', 'Cluster');
export const gatewayKind = ofGatewayApi('Gateway', 'gateways', 'Namespaced');
export const listenerSetKind = ofGatewayApi('ListenerSet', 'listenersets', 'Namespaced');
export const httpRouteKind = ofGatewayApi('HTTPRoute', 'httproutes', 'Namespaced');
export const grpcRouteKind = ofGatewayApi('GRPCRoute', 'grpcroutes', 'Namespaced');
