import type { LabelSelector } from '@waygate/text';
import type { IntOrString } from '../int-or-string.ts';
import type { KubeObject } from '../object.ts';
import type { LoadBalancerIngress } from './core.ts';
import type { ObjectReference } from './meta.ts';

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface IngressBackend {
  service?: { name: string; port?: { name?: string; number?: number } };
  resource?: TypedLocalObjectReference;
}

export interface IngressPath {
  path?: string;
  pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific';
  backend: IngressBackend;
}

export interface IngressRule {
  host?: string;
  http?: { paths: IngressPath[] };
}

export interface IngressTls {
  hosts?: string[];
  secretName?: string;
}

export interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    tls?: IngressTls[];
    rules?: IngressRule[];
  };
  status?: { loadBalancer?: { ingress?: LoadBalancerIngress[] } };
}

export interface IngressClass extends KubeObject {
  spec?: {
    controller?: string;
    parameters?: {
      apiGroup?: string;
      kind: string;
      name: string;
      namespace?: string;
      scope?: string;
    };
  };
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface NetworkPolicyPort {
  port?: IntOrString;
  endPort?: number;
  protocol?: string;
}

export interface NetworkPolicy extends KubeObject {
  spec?: {
    podSelector?: LabelSelector;
    policyTypes?: string[];
    ingress?: { from?: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
    egress?: { to?: NetworkPolicyPeer[]; ports?: NetworkPolicyPort[] }[];
  };
}

export interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

export interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
  targetRef?: ObjectReference;
  deprecatedTopology?: Record<string, string>;
}

export interface EndpointSlice extends KubeObject {
  addressType: 'IPv4' | 'IPv6' | 'FQDN';
  endpoints: Endpoint[];
  ports?: EndpointPort[];
}
