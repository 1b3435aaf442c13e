import type { KubeObject } from '@waygate/schema';
import type { Condition } from './gateway-api.ts';

/** Knative's Ingress, `networking.internal.knative.dev/v1alpha1`: the fields that a translation reads. */
export interface KnativeIngress extends KubeObject {
  spec?: {
    rules?: KnativeRule[] | null;
    tls?:
      | { hosts?: string[] | null; secretName?: string | null; secretNamespace?: string | null }[]
      | null;
  };
  status?: {
    observedGeneration?: number;
    conditions?: Condition[];
    publicLoadBalancer?: KnativeLoadBalancer;
    privateLoadBalancer?: KnativeLoadBalancer;
  };
}

export interface KnativeLoadBalancer {
  ingress?: { ip?: string; domain?: string; domainInternal?: string }[];
}

interface KnativeRule {
  hosts?: string[] | null;
  http?: { paths?: KnativePath[] | null } | null;
}

export interface KnativePath {
  path?: string;
  /** Only requests with these headers, exactly. */
  headers?: Record<string, { exact?: string }> | null;
  rewriteHost?: string;
  appendHeaders?: Record<string, string> | null;
  splits?: KnativeSplit[] | null;
}

export interface KnativeSplit {
  serviceNamespace?: string;
  serviceName?: string;
  servicePort?: number | string;
  percent?: number;
  appendHeaders?: Record<string, string> | null;
}

export const knativeClassAnnotation = 'networking.knative.dev/ingress.class';
