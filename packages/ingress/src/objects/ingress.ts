import type { KubeObject } from '@waygate/schema';

/** `networking.k8s.io/v1` Ingress: the fields that a translation reads. */
export interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string | null;
    defaultBackend?: IngressBackend | null;
    tls?: IngressTls[] | null;
    rules?: IngressRule[] | null;
  };
  status?: { loadBalancer?: { ingress?: LoadBalancerIngress[] } };
}

export interface IngressTls {
  hosts?: string[] | null;
  secretName?: string | null;
}

interface IngressRule {
  host?: string | null;
  http?: { paths?: IngressPath[] | null } | null;
}

export type PathType = 'Exact' | 'Prefix' | 'ImplementationSpecific';

export interface IngressPath {
  path?: string | null;
  pathType?: PathType | null;
  backend?: IngressBackend | null;
}

export interface IngressBackend {
  service?: { name: string; port?: { number?: number; name?: string } | null } | null;
  resource?: TypedLocalReference | null;
}

interface TypedLocalReference {
  apiGroup?: string | null;
  kind: string;
  name: string;
}

export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
}

export interface IngressClass extends KubeObject {
  spec?: {
    controller?: string;
    parameters?: {
      apiGroup?: string;
      kind?: string;
      name?: string;
      namespace?: string;
      scope?: string;
    } | null;
  };
}

/** `configuration.konghq.com/v1alpha1`: what a class changes for all its Ingresses. */
export interface IngressClassParameters extends KubeObject {
  spec?: { serviceUpstream?: boolean; enableLegacyRegexDetection?: boolean };
}
