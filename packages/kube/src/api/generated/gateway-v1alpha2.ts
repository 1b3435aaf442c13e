// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface TCPRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1alpha2';
  kind?: 'TCPRoute';
  spec: TCPRouteSpec;
  status?: TCPRouteStatus;
}

export const TCPRoute = /* @__PURE__ */ defineKind<TCPRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1alpha2',
  kind: 'TCPRoute',
  plural: 'tcproutes',
  scope: 'Namespaced',
});

export interface TCPRouteSpec {
  parentRefs?: TCPRouteSpecParentRefsItem[];
  rules: TCPRouteSpecRulesItem[];
  useDefaultGateways?: 'All' | 'None';
}

export interface TCPRouteSpecParentRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface TCPRouteSpecRulesItem {
  backendRefs: TCPRouteSpecRulesItemBackendRefsItem[];
  name?: string;
}

export interface TCPRouteSpecRulesItemBackendRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

export interface TCPRouteStatus {
  parents: TCPRouteStatusParentsItem[];
}

export interface TCPRouteStatusParentsItem {
  conditions: TCPRouteStatusParentsItemConditionsItem[];
  controllerName: string;
  parentRef: TCPRouteStatusParentsItemParentRef;
}

export interface TCPRouteStatusParentsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface TCPRouteStatusParentsItemParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface TLSRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1alpha2';
  kind?: 'TLSRoute';
  spec: TLSRouteSpec;
  status?: TLSRouteStatus;
}

export const TLSRoute = /* @__PURE__ */ defineKind<TLSRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1alpha2',
  kind: 'TLSRoute',
  plural: 'tlsroutes',
  scope: 'Namespaced',
});

export interface TLSRouteSpec {
  hostnames?: string[];
  parentRefs?: TLSRouteSpecParentRefsItem[];
  rules: TLSRouteSpecRulesItem[];
  useDefaultGateways?: 'All' | 'None';
}

export interface TLSRouteSpecParentRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface TLSRouteSpecRulesItem {
  backendRefs: TLSRouteSpecRulesItemBackendRefsItem[];
  name?: string;
}

export interface TLSRouteSpecRulesItemBackendRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

export interface TLSRouteStatus {
  parents: TLSRouteStatusParentsItem[];
}

export interface TLSRouteStatusParentsItem {
  conditions: TLSRouteStatusParentsItemConditionsItem[];
  controllerName: string;
  parentRef: TLSRouteStatusParentsItemParentRef;
}

export interface TLSRouteStatusParentsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface TLSRouteStatusParentsItemParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface UDPRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1alpha2';
  kind?: 'UDPRoute';
  spec: UDPRouteSpec;
  status?: UDPRouteStatus;
}

export const UDPRoute = /* @__PURE__ */ defineKind<UDPRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1alpha2',
  kind: 'UDPRoute',
  plural: 'udproutes',
  scope: 'Namespaced',
});

export interface UDPRouteSpec {
  parentRefs?: UDPRouteSpecParentRefsItem[];
  rules: UDPRouteSpecRulesItem[];
  useDefaultGateways?: 'All' | 'None';
}

export interface UDPRouteSpecParentRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface UDPRouteSpecRulesItem {
  backendRefs: UDPRouteSpecRulesItemBackendRefsItem[];
  name?: string;
}

export interface UDPRouteSpecRulesItemBackendRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

export interface UDPRouteStatus {
  parents: UDPRouteStatusParentsItem[];
}

export interface UDPRouteStatusParentsItem {
  conditions: UDPRouteStatusParentsItemConditionsItem[];
  controllerName: string;
  parentRef: UDPRouteStatusParentsItemParentRef;
}

export interface UDPRouteStatusParentsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface UDPRouteStatusParentsItemParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}
