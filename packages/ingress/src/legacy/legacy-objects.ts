import type { KubeObject } from '@waygate/schema';
import type { IngressTls } from '../objects/ingress.ts';

/** An Ingress of `extensions/v1beta1` or `networking.k8s.io/v1beta1`. */
export interface LegacyIngress extends KubeObject {
  spec?: {
    backend?: LegacyBackend | null;
    rules?:
      | {
          host?: string | null;
          http?: { paths?: { path?: string | null; backend: LegacyBackend }[] | null } | null;
        }[]
      | null;
    tls?: IngressTls[] | null;
  };
}

export interface LegacyBackend {
  serviceName?: string;
  servicePort?: number | string;
}

/** Knative's Ingress, `networking.internal.knative.dev/v1alpha1`. */
export interface KnativeIngress extends KubeObject {
  spec?: {
    rules?:
      | {
          hosts?: string[] | null;
          http?: { paths?: KnativePath[] | null } | null;
        }[]
      | null;
  };
}

export interface KnativePath {
  path?: string;
  appendHeaders?: Record<string, string> | null;
  splits?:
    | {
        serviceNamespace?: string;
        serviceName?: string;
        servicePort?: number | string;
        percent?: number;
        appendHeaders?: Record<string, string> | null;
      }[]
    | null;
}
