import type { KubeObject } from '@waygate/schema';

export type PluginConfig = Record<string, unknown>;

interface SecretKeyReference {
  name: string;
  key: string;
  namespace?: string;
}

/** KongPlugin and KongClusterPlugin: the same fields at the top level of the object. */
export interface KongPluginResource extends KubeObject {
  plugin?: string;
  config?: PluginConfig | null;
  configFrom?: { secretKeyRef?: SecretKeyReference } | null;
  configPatches?: { path: string; valueFrom: { secretKeyRef: SecretKeyReference } }[] | null;
  disabled?: boolean;
  protocols?: string[] | null;
  ordering?: unknown;
  run_on?: string;
  instance_name?: string;
}

export interface KongConsumerResource extends KubeObject {
  username?: string;
  custom_id?: string;
  credentials?: string[] | null;
  consumerGroups?: string[] | null;
}

/** The credential resource of old releases: its own kind, bound to a consumer by name. */
export interface KongCredentialResource extends KubeObject {
  type?: string;
  consumerRef?: string;
  config?: Record<string, unknown> | null;
}

export interface KongIngressResource extends KubeObject {
  upstream?: Record<string, unknown> | null;
  proxy?: Record<string, unknown> | null;
  route?: Record<string, unknown> | null;
}

export interface KongUpstreamPolicyResource extends KubeObject {
  spec?: {
    algorithm?: string;
    slots?: number;
    hashOn?: UpstreamHash | null;
    hashOnFallback?: UpstreamHash | null;
    healthchecks?: Record<string, unknown> | null;
    stickySessions?: { cookie?: string; cookiePath?: string } | null;
  };
}

export interface UpstreamHash {
  input?: string;
  header?: string;
  cookie?: string;
  cookiePath?: string;
  queryArg?: string;
  uriCapture?: string;
}

export interface KongVaultResource extends KubeObject {
  spec?: {
    backend?: string;
    prefix?: string;
    description?: string;
    config?: Record<string, unknown> | null;
    tags?: string[] | null;
  };
}

export interface KongLicenseResource extends KubeObject {
  rawLicenseString?: string;
  enabled?: boolean;
}

export interface KongCustomEntityResource extends KubeObject {
  spec?: {
    type?: string;
    controllerName?: string;
    fields?: Record<string, unknown> | null;
    parentRef?: {
      group?: string | null;
      kind?: string | null;
      namespace?: string | null;
      name: string;
    } | null;
  };
}

export interface KongServiceFacadeResource extends KubeObject {
  spec?: { backendRef?: { name: string; port: number } };
}

/** TCPIngress and UDPIngress; only the former has `host` and `tls`. */
export interface StreamIngress extends KubeObject {
  spec?: {
    rules?: StreamIngressRule[] | null;
    tls?: { hosts?: string[] | null; secretName?: string | null }[] | null;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

export interface StreamIngressRule {
  host?: string | null;
  port?: number;
  backend?: { serviceName?: string; servicePort?: number } | null;
}
