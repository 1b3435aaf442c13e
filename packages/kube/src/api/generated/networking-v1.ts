// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';
import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface HTTPIngressPath {
  backend: IngressBackend;
  path?: string;
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

export interface IPAddress extends KubeObject {
  apiVersion?: 'networking.k8s.io/v1';
  kind?: 'IPAddress';
  spec: IPAddressSpec;
}

export const IPAddress = /* @__PURE__ */ defineKind<IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  scope: 'Cluster',
});

export type IPAddressList = KubeList<IPAddress>;

export interface IPAddressSpec {
  parentRef: ParentReference;
}

export interface IPBlock {
  cidr: string;
  except?: string[];
}

export interface Ingress extends KubeObject {
  apiVersion?: 'networking.k8s.io/v1';
  kind?: 'Ingress';
  spec?: IngressSpec;
  status?: IngressStatus;
}

export const Ingress = /* @__PURE__ */ defineKind<Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  scope: 'Namespaced',
});

export interface IngressBackend {
  resource?: coreV1.TypedLocalObjectReference;
  service?: IngressServiceBackend;
}

export interface IngressClass extends KubeObject {
  apiVersion?: 'networking.k8s.io/v1';
  kind?: 'IngressClass';
  spec?: IngressClassSpec;
}

export const IngressClass = /* @__PURE__ */ defineKind<IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  scope: 'Cluster',
});

export type IngressClassList = KubeList<IngressClass>;

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
  scope?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export type IngressList = KubeList<Ingress>;

export interface IngressLoadBalancerIngress {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicy extends KubeObject {
  apiVersion?: 'networking.k8s.io/v1';
  kind?: 'NetworkPolicy';
  spec?: NetworkPolicySpec;
}

export const NetworkPolicy = /* @__PURE__ */ defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  scope: 'Namespaced',
});

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
}

export type NetworkPolicyList = KubeList<NetworkPolicy>;

export interface NetworkPolicyPeer {
  ipBlock?: IPBlock;
  namespaceSelector?: metaV1.LabelSelector;
  podSelector?: metaV1.LabelSelector;
}

export interface NetworkPolicyPort {
  endPort?: number;
  port?: number | string;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: metaV1.LabelSelector;
  policyTypes?: ('Egress' | 'Ingress')[];
}

export interface ParentReference {
  group?: string;
  name: string;
  namespace?: string;
  resource: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

export interface ServiceCIDR extends KubeObject {
  apiVersion?: 'networking.k8s.io/v1';
  kind?: 'ServiceCIDR';
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

export const ServiceCIDR = /* @__PURE__ */ defineKind<ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  scope: 'Cluster',
});

export type ServiceCIDRList = KubeList<ServiceCIDR>;

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: metaV1.Condition[];
}
