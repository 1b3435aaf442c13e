// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeObject } from '@waygate/schema';

export interface KongConsumerGroup extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1beta1';
  kind?: 'KongConsumerGroup';
  spec?: KongConsumerGroupSpec;
  status?: KongConsumerGroupStatus;
}

export const KongConsumerGroup = /* @__PURE__ */ defineKind<KongConsumerGroup>({
  group: 'configuration.konghq.com',
  version: 'v1beta1',
  kind: 'KongConsumerGroup',
  plural: 'kongconsumergroups',
  scope: 'Namespaced',
});

export interface KongConsumerGroupSpec {
  controlPlaneRef?: KongConsumerGroupSpecControlPlaneRef;
  name?: string;
  tags?: string[];
}

export interface KongConsumerGroupSpecControlPlaneRef {
  konnectID?: string;
  konnectNamespacedRef?: KongConsumerGroupSpecControlPlaneRefKonnectNamespacedRef;
  type?: 'konnectID' | 'konnectNamespacedRef' | 'kic';
}

export interface KongConsumerGroupSpecControlPlaneRefKonnectNamespacedRef {
  name: string;
  namespace?: string;
}

export interface KongConsumerGroupStatus {
  conditions?: KongConsumerGroupStatusConditionsItem[];
  konnect?: KongConsumerGroupStatusKonnect;
}

export interface KongConsumerGroupStatusConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface KongConsumerGroupStatusKonnect {
  controlPlaneID?: string;
  id?: string;
  organizationID?: string;
  serverURL?: string;
}

export interface KongUpstreamPolicy extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1beta1';
  kind?: 'KongUpstreamPolicy';
  spec?: KongUpstreamPolicySpec;
  status?: KongUpstreamPolicyStatus;
}

export const KongUpstreamPolicy = /* @__PURE__ */ defineKind<KongUpstreamPolicy>({
  group: 'configuration.konghq.com',
  version: 'v1beta1',
  kind: 'KongUpstreamPolicy',
  plural: 'kongupstreampolicies',
  scope: 'Namespaced',
});

export interface KongUpstreamPolicySpec {
  algorithm?: 'round-robin' | 'consistent-hashing' | 'least-connections' | 'latency' | 'sticky-sessions';
  hashOn?: KongUpstreamPolicySpecHashOn;
  hashOnFallback?: KongUpstreamPolicySpecHashOnFallback;
  healthchecks?: KongUpstreamPolicySpecHealthchecks;
  slots?: number;
  stickySessions?: KongUpstreamPolicySpecStickySessions;
}

export interface KongUpstreamPolicySpecHashOn {
  cookie?: string;
  cookiePath?: string;
  header?: string;
  input?: 'ip' | 'consumer' | 'path' | 'none';
  queryArg?: string;
  uriCapture?: string;
}

export interface KongUpstreamPolicySpecHashOnFallback {
  cookie?: string;
  cookiePath?: string;
  header?: string;
  input?: 'ip' | 'consumer' | 'path' | 'none';
  queryArg?: string;
  uriCapture?: string;
}

export interface KongUpstreamPolicySpecHealthchecks {
  active?: KongUpstreamPolicySpecHealthchecksActive;
  passive?: KongUpstreamPolicySpecHealthchecksPassive;
  threshold?: number;
}

export interface KongUpstreamPolicySpecHealthchecksActive {
  concurrency?: number;
  headers?: Record<string, string[]>;
  healthy?: KongUpstreamPolicySpecHealthchecksActiveHealthy;
  httpPath?: string;
  httpsSni?: string;
  httpsVerifyCertificate?: boolean;
  timeout?: number;
  type?: 'http' | 'https' | 'tcp' | 'grpc' | 'grpcs';
  unhealthy?: KongUpstreamPolicySpecHealthchecksActiveUnhealthy;
}

export interface KongUpstreamPolicySpecHealthchecksActiveHealthy {
  httpStatuses?: number[];
  interval?: number;
  successes?: number;
}

export interface KongUpstreamPolicySpecHealthchecksActiveUnhealthy {
  httpFailures?: number;
  httpStatuses?: number[];
  interval?: number;
  tcpFailures?: number;
  timeouts?: number;
}

export interface KongUpstreamPolicySpecHealthchecksPassive {
  healthy?: KongUpstreamPolicySpecHealthchecksPassiveHealthy;
  type?: 'http' | 'https' | 'tcp' | 'grpc' | 'grpcs';
  unhealthy?: KongUpstreamPolicySpecHealthchecksPassiveUnhealthy;
}

export interface KongUpstreamPolicySpecHealthchecksPassiveHealthy {
  httpStatuses?: number[];
  interval?: number;
  successes?: number;
}

export interface KongUpstreamPolicySpecHealthchecksPassiveUnhealthy {
  httpFailures?: number;
  httpStatuses?: number[];
  interval?: number;
  tcpFailures?: number;
  timeouts?: number;
}

export interface KongUpstreamPolicySpecStickySessions {
  cookie: string;
  cookiePath?: string;
}

export interface KongUpstreamPolicyStatus {
  ancestors: KongUpstreamPolicyStatusAncestorsItem[];
}

export interface KongUpstreamPolicyStatusAncestorsItem {
  ancestorRef: KongUpstreamPolicyStatusAncestorsItemAncestorRef;
  conditions?: KongUpstreamPolicyStatusAncestorsItemConditionsItem[];
  controllerName: string;
}

export interface KongUpstreamPolicyStatusAncestorsItemAncestorRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  sectionName?: string;
}

export interface KongUpstreamPolicyStatusAncestorsItemConditionsItem {
  lastTransitionTime: string;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: 'True' | 'False' | 'Unknown';
  type: string;
}

export interface TCPIngress extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1beta1';
  kind?: 'TCPIngress';
  spec?: TCPIngressSpec;
  status?: TCPIngressStatus;
}

export const TCPIngress = /* @__PURE__ */ defineKind<TCPIngress>({
  group: 'configuration.konghq.com',
  version: 'v1beta1',
  kind: 'TCPIngress',
  plural: 'tcpingresses',
  scope: 'Namespaced',
});

export interface TCPIngressSpec {
  rules?: TCPIngressSpecRulesItem[];
  tls?: TCPIngressSpecTlsItem[];
}

export interface TCPIngressSpecRulesItem {
  backend: TCPIngressSpecRulesItemBackend;
  host?: string;
  port?: number;
}

export interface TCPIngressSpecRulesItemBackend {
  serviceName: string;
  servicePort: number;
}

export interface TCPIngressSpecTlsItem {
  hosts?: string[];
  secretName?: string;
}

export interface TCPIngressStatus {
  loadBalancer?: TCPIngressStatusLoadBalancer;
}

export interface TCPIngressStatusLoadBalancer {
  ingress?: TCPIngressStatusLoadBalancerIngressItem[];
}

export interface TCPIngressStatusLoadBalancerIngressItem {
  hostname?: string;
  ip?: string;
  ipMode?: string;
  ports?: TCPIngressStatusLoadBalancerIngressItemPortsItem[];
}

export interface TCPIngressStatusLoadBalancerIngressItemPortsItem {
  error?: string;
  port?: number;
  protocol?: string;
}

export interface UDPIngress extends KubeObject {
  apiVersion?: 'configuration.konghq.com/v1beta1';
  kind?: 'UDPIngress';
  spec?: UDPIngressSpec;
  status?: UDPIngressStatus;
}

export const UDPIngress = /* @__PURE__ */ defineKind<UDPIngress>({
  group: 'configuration.konghq.com',
  version: 'v1beta1',
  kind: 'UDPIngress',
  plural: 'udpingresses',
  scope: 'Namespaced',
});

export interface UDPIngressSpec {
  rules?: UDPIngressSpecRulesItem[];
}

export interface UDPIngressSpecRulesItem {
  backend: UDPIngressSpecRulesItemBackend;
  port: number;
}

export interface UDPIngressSpecRulesItemBackend {
  serviceName: string;
  servicePort: number;
}

export interface UDPIngressStatus {
  loadBalancer?: UDPIngressStatusLoadBalancer;
}

export interface UDPIngressStatusLoadBalancer {
  ingress?: UDPIngressStatusLoadBalancerIngressItem[];
}

export interface UDPIngressStatusLoadBalancerIngressItem {
  hostname?: string;
  ip?: string;
  ipMode?: string;
  ports?: UDPIngressStatusLoadBalancerIngressItemPortsItem[];
}

export interface UDPIngressStatusLoadBalancerIngressItemPortsItem {
  error?: string;
  port?: number;
  protocol?: string;
}
