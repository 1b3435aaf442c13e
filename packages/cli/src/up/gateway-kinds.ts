import { defineKind, type Kind, type KubeObject } from '@waygate/schema';

const group = 'gateway.networking.k8s.io';

export const gatewayKind: Kind<KubeObject> = defineKind<KubeObject>({
  group,
  version: 'v1',
  kind: 'Gateway',
  plural: 'gateways',
  scope: 'Namespaced',
});

export const httpRouteKind: Kind<KubeObject> = defineKind<KubeObject>({
  group,
  version: 'v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
  scope: 'Namespaced',
});
