// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface BackendTLSPolicy extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1alpha3';
  kind?: 'BackendTLSPolicy';
  spec: BackendTLSPolicySpec;
  status?: BackendTLSPolicyStatus;
}

export const BackendTLSPolicy = /* @__PURE__ */ defineKind<BackendTLSPolicy>({
  group: 'gateway.networking.k8s.io',
  version: 'v1alpha3',
  kind: 'BackendTLSPolicy',
  plural: 'backendtlspolicies',
  scope: 'Namespaced',
});

export interface BackendTLSPolicySpec {
  options?: Record<string, string>;
  targetRefs: BackendTLSPolicySpecTargetRefsItem[];
  validation: BackendTLSPolicySpecValidation;
}

export interface BackendTLSPolicySpecTargetRefsItem {
  group: string;
  kind: string;
  name: string;
  sectionName?: string;
}

export interface BackendTLSPolicySpecValidation {
  caCertificateRefs?: BackendTLSPolicySpecValidationCaCertificateRefsItem[];
  hostname: string;
  subjectAltNames?: BackendTLSPolicySpecValidationSubjectAltNamesItem[];
  wellKnownCACertificates?: string;
}

export interface BackendTLSPolicySpecValidationCaCertificateRefsItem {
  group: string;
  kind: string;
  name: string;
}

export interface BackendTLSPolicySpecValidationSubjectAltNamesItem {
  hostname?: string;
  type: 'Hostname' | 'URI';
  uri?: string;
}

export interface BackendTLSPolicyStatus {
  ancestors: BackendTLSPolicyStatusAncestorsItem[];
}

export interface BackendTLSPolicyStatusAncestorsItem {
  ancestorRef: BackendTLSPolicyStatusAncestorsItemAncestorRef;
  conditions: BackendTLSPolicyStatusAncestorsItemConditionsItem[];
  controllerName: string;
}

export interface BackendTLSPolicyStatusAncestorsItemAncestorRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface BackendTLSPolicyStatusAncestorsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface TLSRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1alpha3';
  kind?: 'TLSRoute';
  spec: TLSRouteSpec;
  status?: TLSRouteStatus;
}

export const TLSRoute = /* @__PURE__ */ defineKind<TLSRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1alpha3',
  kind: 'TLSRoute',
  plural: 'tlsroutes',
  scope: 'Namespaced',
});

export interface TLSRouteSpec {
  hostnames: string[];
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
