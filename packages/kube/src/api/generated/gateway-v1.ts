// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface BackendTLSPolicy extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'BackendTLSPolicy';
  spec: BackendTLSPolicySpec;
  status?: BackendTLSPolicyStatus;
}

export const BackendTLSPolicy = /* @__PURE__ */ defineKind<BackendTLSPolicy>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
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

export interface GatewayClass extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'GatewayClass';
  spec: GatewayClassSpec;
  status?: GatewayClassStatus;
}

export const GatewayClass = /* @__PURE__ */ defineKind<GatewayClass>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'GatewayClass',
  plural: 'gatewayclasses',
  scope: 'Cluster',
});

export interface GatewayClassSpec {
  controllerName: string;
  description?: string;
  parametersRef?: GatewayClassSpecParametersRef;
}

export interface GatewayClassSpecParametersRef {
  group: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface GatewayClassStatus {
  conditions?: GatewayClassStatusConditionsItem[];
  supportedFeatures?: GatewayClassStatusSupportedFeaturesItem[];
}

export interface GatewayClassStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GatewayClassStatusSupportedFeaturesItem {
  name: string;
}

export interface Gateway extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'Gateway';
  spec: GatewaySpec;
  status?: GatewayStatus;
}

export const Gateway = /* @__PURE__ */ defineKind<Gateway>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'Gateway',
  plural: 'gateways',
  scope: 'Namespaced',
});

export interface GatewaySpec {
  addresses?: GatewaySpecAddressesItem[];
  allowedListeners?: GatewaySpecAllowedListeners;
  defaultScope?: 'All' | 'None';
  gatewayClassName: string;
  infrastructure?: GatewaySpecInfrastructure;
  listeners: GatewaySpecListenersItem[];
  tls?: GatewaySpecTls;
}

export interface GatewaySpecAddressesItem {
  type?: string;
  value?: string;
}

export interface GatewaySpecAllowedListeners {
  namespaces?: GatewaySpecAllowedListenersNamespaces;
}

export interface GatewaySpecAllowedListenersNamespaces {
  from?: 'All' | 'Selector' | 'Same' | 'None';
  selector?: GatewaySpecAllowedListenersNamespacesSelector;
}

export interface GatewaySpecAllowedListenersNamespacesSelector {
  matchExpressions?: GatewaySpecAllowedListenersNamespacesSelectorMatchExpressionsItem[];
  matchLabels?: Record<string, string>;
}

export interface GatewaySpecAllowedListenersNamespacesSelectorMatchExpressionsItem {
  key: string;
  operator: string;
  values?: string[];
}

export interface GatewaySpecInfrastructure {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  parametersRef?: GatewaySpecInfrastructureParametersRef;
}

export interface GatewaySpecInfrastructureParametersRef {
  group: string;
  kind: string;
  name: string;
}

export interface GatewaySpecListenersItem {
  allowedRoutes?: GatewaySpecListenersItemAllowedRoutes;
  hostname?: string;
  name: string;
  port: number;
  protocol: string;
  tls?: GatewaySpecListenersItemTls;
}

export interface GatewaySpecListenersItemAllowedRoutes {
  kinds?: GatewaySpecListenersItemAllowedRoutesKindsItem[];
  namespaces?: GatewaySpecListenersItemAllowedRoutesNamespaces;
}

export interface GatewaySpecListenersItemAllowedRoutesKindsItem {
  group?: string;
  kind: string;
}

export interface GatewaySpecListenersItemAllowedRoutesNamespaces {
  from?: 'All' | 'Selector' | 'Same';
  selector?: GatewaySpecListenersItemAllowedRoutesNamespacesSelector;
}

export interface GatewaySpecListenersItemAllowedRoutesNamespacesSelector {
  matchExpressions?: GatewaySpecListenersItemAllowedRoutesNamespacesSelectorMatchExpressionsItem[];
  matchLabels?: Record<string, string>;
}

export interface GatewaySpecListenersItemAllowedRoutesNamespacesSelectorMatchExpressionsItem {
  key: string;
  operator: string;
  values?: string[];
}

export interface GatewaySpecListenersItemTls {
  certificateRefs?: GatewaySpecListenersItemTlsCertificateRefsItem[];
  mode?: 'Terminate' | 'Passthrough';
  options?: Record<string, string>;
}

export interface GatewaySpecListenersItemTlsCertificateRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface GatewaySpecTls {
  backend?: GatewaySpecTlsBackend;
  frontend?: GatewaySpecTlsFrontend;
}

export interface GatewaySpecTlsBackend {
  clientCertificateRef?: GatewaySpecTlsBackendClientCertificateRef;
}

export interface GatewaySpecTlsBackendClientCertificateRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface GatewaySpecTlsFrontend {
  default: GatewaySpecTlsFrontendDefault;
  perPort?: GatewaySpecTlsFrontendPerPortItem[];
}

export interface GatewaySpecTlsFrontendDefault {
  validation?: GatewaySpecTlsFrontendDefaultValidation;
}

export interface GatewaySpecTlsFrontendDefaultValidation {
  caCertificateRefs: GatewaySpecTlsFrontendDefaultValidationCaCertificateRefsItem[];
  mode?: 'AllowValidOnly' | 'AllowInsecureFallback';
}

export interface GatewaySpecTlsFrontendDefaultValidationCaCertificateRefsItem {
  group: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface GatewaySpecTlsFrontendPerPortItem {
  port: number;
  tls: GatewaySpecTlsFrontendPerPortItemTls;
}

export interface GatewaySpecTlsFrontendPerPortItemTls {
  validation?: GatewaySpecTlsFrontendPerPortItemTlsValidation;
}

export interface GatewaySpecTlsFrontendPerPortItemTlsValidation {
  caCertificateRefs: GatewaySpecTlsFrontendPerPortItemTlsValidationCaCertificateRefsItem[];
  mode?: 'AllowValidOnly' | 'AllowInsecureFallback';
}

export interface GatewaySpecTlsFrontendPerPortItemTlsValidationCaCertificateRefsItem {
  group: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface GatewayStatus {
  addresses?: GatewayStatusAddressesItem[];
  attachedListenerSets?: number;
  conditions?: GatewayStatusConditionsItem[];
  listeners?: GatewayStatusListenersItem[];
}

export interface GatewayStatusAddressesItem {
  type?: string;
  value: string;
}

export interface GatewayStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GatewayStatusListenersItem {
  attachedRoutes: number;
  conditions: GatewayStatusListenersItemConditionsItem[];
  name: string;
  supportedKinds?: GatewayStatusListenersItemSupportedKindsItem[];
}

export interface GatewayStatusListenersItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GatewayStatusListenersItemSupportedKindsItem {
  group?: string;
  kind: string;
}

export interface GRPCRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'GRPCRoute';
  spec: GRPCRouteSpec;
  status?: GRPCRouteStatus;
}

export const GRPCRoute = /* @__PURE__ */ defineKind<GRPCRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'GRPCRoute',
  plural: 'grpcroutes',
  scope: 'Namespaced',
});

export interface GRPCRouteSpec {
  hostnames?: string[];
  parentRefs?: GRPCRouteSpecParentRefsItem[];
  rules?: GRPCRouteSpecRulesItem[];
  useDefaultGateways?: 'All' | 'None';
}

export interface GRPCRouteSpecParentRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface GRPCRouteSpecRulesItem {
  backendRefs?: GRPCRouteSpecRulesItemBackendRefsItem[];
  filters?: GRPCRouteSpecRulesItemFiltersItem[];
  matches?: GRPCRouteSpecRulesItemMatchesItem[];
  name?: string;
  sessionPersistence?: GRPCRouteSpecRulesItemSessionPersistence;
}

export interface GRPCRouteSpecRulesItemBackendRefsItem {
  filters?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItem[];
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItem {
  extensionRef?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemExtensionRef;
  requestHeaderModifier?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifier;
  requestMirror?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirror;
  responseHeaderModifier?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifier;
  type: 'ResponseHeaderModifier' | 'RequestHeaderModifier' | 'RequestMirror' | 'ExtensionRef';
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemExtensionRef {
  group: string;
  kind: string;
  name: string;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifier {
  add?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierAddItem[];
  remove?: string[];
  set?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierSetItem[];
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirror {
  backendRef: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorBackendRef;
  fraction?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorFraction;
  percent?: number;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorFraction {
  denominator?: number;
  numerator: number;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifier {
  add?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierAddItem[];
  remove?: string[];
  set?: GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierSetItem[];
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemFiltersItem {
  extensionRef?: GRPCRouteSpecRulesItemFiltersItemExtensionRef;
  requestHeaderModifier?: GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifier;
  requestMirror?: GRPCRouteSpecRulesItemFiltersItemRequestMirror;
  responseHeaderModifier?: GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifier;
  type: 'ResponseHeaderModifier' | 'RequestHeaderModifier' | 'RequestMirror' | 'ExtensionRef';
}

export interface GRPCRouteSpecRulesItemFiltersItemExtensionRef {
  group: string;
  kind: string;
  name: string;
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifier {
  add?: GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifierAddItem[];
  remove?: string[];
  set?: GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifierSetItem[];
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestMirror {
  backendRef: GRPCRouteSpecRulesItemFiltersItemRequestMirrorBackendRef;
  fraction?: GRPCRouteSpecRulesItemFiltersItemRequestMirrorFraction;
  percent?: number;
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestMirrorBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface GRPCRouteSpecRulesItemFiltersItemRequestMirrorFraction {
  denominator?: number;
  numerator: number;
}

export interface GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifier {
  add?: GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifierAddItem[];
  remove?: string[];
  set?: GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifierSetItem[];
}

export interface GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemFiltersItemResponseHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface GRPCRouteSpecRulesItemMatchesItem {
  headers?: GRPCRouteSpecRulesItemMatchesItemHeadersItem[];
  method?: GRPCRouteSpecRulesItemMatchesItemMethod;
}

export interface GRPCRouteSpecRulesItemMatchesItemHeadersItem {
  name: string;
  type?: 'Exact' | 'RegularExpression';
  value: string;
}

export interface GRPCRouteSpecRulesItemMatchesItemMethod {
  method?: string;
  service?: string;
  type?: 'Exact' | 'RegularExpression';
}

export interface GRPCRouteSpecRulesItemSessionPersistence {
  absoluteTimeout?: string;
  cookieConfig?: GRPCRouteSpecRulesItemSessionPersistenceCookieConfig;
  sessionName?: string;
  type?: 'Cookie' | 'Header';
}

export interface GRPCRouteSpecRulesItemSessionPersistenceCookieConfig {
  lifetimeType?: 'Permanent' | 'Session';
}

export interface GRPCRouteStatus {
  parents: GRPCRouteStatusParentsItem[];
}

export interface GRPCRouteStatusParentsItem {
  conditions: GRPCRouteStatusParentsItemConditionsItem[];
  controllerName: string;
  parentRef: GRPCRouteStatusParentsItemParentRef;
}

export interface GRPCRouteStatusParentsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface GRPCRouteStatusParentsItemParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface HTTPRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'HTTPRoute';
  spec: HTTPRouteSpec;
  status?: HTTPRouteStatus;
}

export const HTTPRoute = /* @__PURE__ */ defineKind<HTTPRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
  scope: 'Namespaced',
});

export interface HTTPRouteSpec {
  hostnames?: string[];
  parentRefs?: HTTPRouteSpecParentRefsItem[];
  rules?: HTTPRouteSpecRulesItem[];
  useDefaultGateways?: 'All' | 'None';
}

export interface HTTPRouteSpecParentRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface HTTPRouteSpecRulesItem {
  backendRefs?: HTTPRouteSpecRulesItemBackendRefsItem[];
  filters?: HTTPRouteSpecRulesItemFiltersItem[];
  matches?: HTTPRouteSpecRulesItemMatchesItem[];
  name?: string;
  retry?: HTTPRouteSpecRulesItemRetry;
  sessionPersistence?: HTTPRouteSpecRulesItemSessionPersistence;
  timeouts?: HTTPRouteSpecRulesItemTimeouts;
}

export interface HTTPRouteSpecRulesItemBackendRefsItem {
  filters?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItem[];
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItem {
  cors?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemCors;
  extensionRef?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExtensionRef;
  externalAuth?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuth;
  requestHeaderModifier?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifier;
  requestMirror?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirror;
  requestRedirect?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestRedirect;
  responseHeaderModifier?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifier;
  type: 'RequestHeaderModifier' | 'ResponseHeaderModifier' | 'RequestMirror' | 'RequestRedirect' | 'URLRewrite' | 'ExtensionRef' | 'CORS' | 'ExternalAuth';
  urlRewrite?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemUrlRewrite;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemCors {
  allowCredentials?: boolean;
  allowHeaders?: string[];
  allowMethods?: ('GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH' | '*')[];
  allowOrigins?: string[];
  exposeHeaders?: string[];
  maxAge?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExtensionRef {
  group: string;
  kind: string;
  name: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuth {
  backendRef: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthBackendRef;
  forwardBody?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthForwardBody;
  grpc?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthGrpc;
  http?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthHttp;
  protocol: 'HTTP' | 'GRPC';
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthForwardBody {
  maxSize?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthGrpc {
  allowedHeaders?: string[];
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemExternalAuthHttp {
  allowedHeaders?: string[];
  allowedResponseHeaders?: string[];
  path?: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifier {
  add?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierAddItem[];
  remove?: string[];
  set?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierSetItem[];
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirror {
  backendRef: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorBackendRef;
  fraction?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorFraction;
  percent?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestMirrorFraction {
  denominator?: number;
  numerator: number;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestRedirect {
  hostname?: string;
  path?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestRedirectPath;
  port?: number;
  scheme?: 'http' | 'https';
  statusCode?: 301 | 302 | 303 | 307 | 308;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemRequestRedirectPath {
  replaceFullPath?: string;
  replacePrefixMatch?: string;
  type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifier {
  add?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierAddItem[];
  remove?: string[];
  set?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierSetItem[];
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemResponseHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemUrlRewrite {
  hostname?: string;
  path?: HTTPRouteSpecRulesItemBackendRefsItemFiltersItemUrlRewritePath;
}

export interface HTTPRouteSpecRulesItemBackendRefsItemFiltersItemUrlRewritePath {
  replaceFullPath?: string;
  replacePrefixMatch?: string;
  type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
}

export interface HTTPRouteSpecRulesItemFiltersItem {
  cors?: HTTPRouteSpecRulesItemFiltersItemCors;
  extensionRef?: HTTPRouteSpecRulesItemFiltersItemExtensionRef;
  externalAuth?: HTTPRouteSpecRulesItemFiltersItemExternalAuth;
  requestHeaderModifier?: HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifier;
  requestMirror?: HTTPRouteSpecRulesItemFiltersItemRequestMirror;
  requestRedirect?: HTTPRouteSpecRulesItemFiltersItemRequestRedirect;
  responseHeaderModifier?: HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifier;
  type: 'RequestHeaderModifier' | 'ResponseHeaderModifier' | 'RequestMirror' | 'RequestRedirect' | 'URLRewrite' | 'ExtensionRef' | 'CORS' | 'ExternalAuth';
  urlRewrite?: HTTPRouteSpecRulesItemFiltersItemUrlRewrite;
}

export interface HTTPRouteSpecRulesItemFiltersItemCors {
  allowCredentials?: boolean;
  allowHeaders?: string[];
  allowMethods?: ('GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH' | '*')[];
  allowOrigins?: string[];
  exposeHeaders?: string[];
  maxAge?: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemExtensionRef {
  group: string;
  kind: string;
  name: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemExternalAuth {
  backendRef: HTTPRouteSpecRulesItemFiltersItemExternalAuthBackendRef;
  forwardBody?: HTTPRouteSpecRulesItemFiltersItemExternalAuthForwardBody;
  grpc?: HTTPRouteSpecRulesItemFiltersItemExternalAuthGrpc;
  http?: HTTPRouteSpecRulesItemFiltersItemExternalAuthHttp;
  protocol: 'HTTP' | 'GRPC';
}

export interface HTTPRouteSpecRulesItemFiltersItemExternalAuthBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemExternalAuthForwardBody {
  maxSize?: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemExternalAuthGrpc {
  allowedHeaders?: string[];
}

export interface HTTPRouteSpecRulesItemFiltersItemExternalAuthHttp {
  allowedHeaders?: string[];
  allowedResponseHeaders?: string[];
  path?: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifier {
  add?: HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifierAddItem[];
  remove?: string[];
  set?: HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifierSetItem[];
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestMirror {
  backendRef: HTTPRouteSpecRulesItemFiltersItemRequestMirrorBackendRef;
  fraction?: HTTPRouteSpecRulesItemFiltersItemRequestMirrorFraction;
  percent?: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestMirrorBackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestMirrorFraction {
  denominator?: number;
  numerator: number;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestRedirect {
  hostname?: string;
  path?: HTTPRouteSpecRulesItemFiltersItemRequestRedirectPath;
  port?: number;
  scheme?: 'http' | 'https';
  statusCode?: 301 | 302 | 303 | 307 | 308;
}

export interface HTTPRouteSpecRulesItemFiltersItemRequestRedirectPath {
  replaceFullPath?: string;
  replacePrefixMatch?: string;
  type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
}

export interface HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifier {
  add?: HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifierAddItem[];
  remove?: string[];
  set?: HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifierSetItem[];
}

export interface HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifierAddItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemResponseHeaderModifierSetItem {
  name: string;
  value: string;
}

export interface HTTPRouteSpecRulesItemFiltersItemUrlRewrite {
  hostname?: string;
  path?: HTTPRouteSpecRulesItemFiltersItemUrlRewritePath;
}

export interface HTTPRouteSpecRulesItemFiltersItemUrlRewritePath {
  replaceFullPath?: string;
  replacePrefixMatch?: string;
  type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
}

export interface HTTPRouteSpecRulesItemMatchesItem {
  headers?: HTTPRouteSpecRulesItemMatchesItemHeadersItem[];
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'CONNECT' | 'OPTIONS' | 'TRACE' | 'PATCH';
  path?: HTTPRouteSpecRulesItemMatchesItemPath;
  queryParams?: HTTPRouteSpecRulesItemMatchesItemQueryParamsItem[];
}

export interface HTTPRouteSpecRulesItemMatchesItemHeadersItem {
  name: string;
  type?: 'Exact' | 'RegularExpression';
  value: string;
}

export interface HTTPRouteSpecRulesItemMatchesItemPath {
  type?: 'Exact' | 'PathPrefix' | 'RegularExpression';
  value?: string;
}

export interface HTTPRouteSpecRulesItemMatchesItemQueryParamsItem {
  name: string;
  type?: 'Exact' | 'RegularExpression';
  value: string;
}

export interface HTTPRouteSpecRulesItemRetry {
  attempts?: number;
  backoff?: string;
  codes?: number[];
}

export interface HTTPRouteSpecRulesItemSessionPersistence {
  absoluteTimeout?: string;
  cookieConfig?: HTTPRouteSpecRulesItemSessionPersistenceCookieConfig;
  sessionName?: string;
  type?: 'Cookie' | 'Header';
}

export interface HTTPRouteSpecRulesItemSessionPersistenceCookieConfig {
  lifetimeType?: 'Permanent' | 'Session';
}

export interface HTTPRouteSpecRulesItemTimeouts {
  backendRequest?: string;
  request?: string;
}

export interface HTTPRouteStatus {
  parents: HTTPRouteStatusParentsItem[];
}

export interface HTTPRouteStatusParentsItem {
  conditions: HTTPRouteStatusParentsItemConditionsItem[];
  controllerName: string;
  parentRef: HTTPRouteStatusParentsItemParentRef;
}

export interface HTTPRouteStatusParentsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface HTTPRouteStatusParentsItemParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface ListenerSet extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'ListenerSet';
  spec: ListenerSetSpec;
  status?: ListenerSetStatus;
}

export const ListenerSet = /* @__PURE__ */ defineKind<ListenerSet>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'ListenerSet',
  plural: 'listenersets',
  scope: 'Namespaced',
});

export interface ListenerSetSpec {
  listeners: ListenerSetSpecListenersItem[];
  parentRef: ListenerSetSpecParentRef;
}

export interface ListenerSetSpecListenersItem {
  allowedRoutes?: ListenerSetSpecListenersItemAllowedRoutes;
  hostname?: string;
  name: string;
  port: number;
  protocol: string;
  tls?: ListenerSetSpecListenersItemTls;
}

export interface ListenerSetSpecListenersItemAllowedRoutes {
  kinds?: ListenerSetSpecListenersItemAllowedRoutesKindsItem[];
  namespaces?: ListenerSetSpecListenersItemAllowedRoutesNamespaces;
}

export interface ListenerSetSpecListenersItemAllowedRoutesKindsItem {
  group?: string;
  kind: string;
}

export interface ListenerSetSpecListenersItemAllowedRoutesNamespaces {
  from?: 'All' | 'Selector' | 'Same';
  selector?: ListenerSetSpecListenersItemAllowedRoutesNamespacesSelector;
}

export interface ListenerSetSpecListenersItemAllowedRoutesNamespacesSelector {
  matchExpressions?: ListenerSetSpecListenersItemAllowedRoutesNamespacesSelectorMatchExpressionsItem[];
  matchLabels?: Record<string, string>;
}

export interface ListenerSetSpecListenersItemAllowedRoutesNamespacesSelectorMatchExpressionsItem {
  key: string;
  operator: string;
  values?: string[];
}

export interface ListenerSetSpecListenersItemTls {
  certificateRefs?: ListenerSetSpecListenersItemTlsCertificateRefsItem[];
  mode?: 'Terminate' | 'Passthrough';
  options?: Record<string, string>;
}

export interface ListenerSetSpecListenersItemTlsCertificateRefsItem {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface ListenerSetSpecParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface ListenerSetStatus {
  conditions?: ListenerSetStatusConditionsItem[];
  listeners?: ListenerSetStatusListenersItem[];
}

export interface ListenerSetStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface ListenerSetStatusListenersItem {
  attachedRoutes: number;
  conditions: ListenerSetStatusListenersItemConditionsItem[];
  name: string;
  supportedKinds?: ListenerSetStatusListenersItemSupportedKindsItem[];
}

export interface ListenerSetStatusListenersItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface ListenerSetStatusListenersItemSupportedKindsItem {
  group?: string;
  kind: string;
}

export interface ReferenceGrant extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'ReferenceGrant';
  spec: ReferenceGrantSpec;
}

export const ReferenceGrant = /* @__PURE__ */ defineKind<ReferenceGrant>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'ReferenceGrant',
  plural: 'referencegrants',
  scope: 'Namespaced',
});

export interface ReferenceGrantSpec {
  from: ReferenceGrantSpecFromItem[];
  to: ReferenceGrantSpecToItem[];
}

export interface ReferenceGrantSpecFromItem {
  group: string;
  kind: string;
  namespace: string;
}

export interface ReferenceGrantSpecToItem {
  group: string;
  kind: string;
  name?: string;
}

export interface TCPRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'TCPRoute';
  spec: TCPRouteSpec;
  status?: TCPRouteStatus;
}

export const TCPRoute = /* @__PURE__ */ defineKind<TCPRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
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
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'TLSRoute';
  spec: TLSRouteSpec;
  status?: TLSRouteStatus;
}

export const TLSRoute = /* @__PURE__ */ defineKind<TLSRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
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

export interface UDPRoute extends KubeObject {
  apiVersion?: 'gateway.networking.k8s.io/v1';
  kind?: 'UDPRoute';
  spec: UDPRouteSpec;
  status?: UDPRouteStatus;
}

export const UDPRoute = /* @__PURE__ */ defineKind<UDPRoute>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
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
