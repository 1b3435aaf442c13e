import type { KubeObject } from '@waygate/schema';
import type { LabelSelector } from '@waygate/text';

/** The Gateway API's kinds, as far as a translation reads them. */
export interface GatewayClass extends KubeObject {
  spec?: { controllerName?: string };
}

export interface Gateway extends KubeObject {
  spec?: {
    gatewayClassName?: string;
    listeners?: Listener[] | null;
    addresses?: { type?: string | null; value?: string | null }[] | null;
    /** Whose ListenerSets it takes. */
    allowedListeners?: {
      namespaces?: { from?: string; selector?: LabelSelector | null } | null;
    } | null;
    tls?: {
      backend?: { clientCertificateRef?: CertificateReference | null } | null;
      frontend?: {
        default?: FrontendTls | null;
        perPort?: { port: number; tls?: FrontendTls | null }[] | null;
      } | null;
    } | null;
    infrastructure?: {
      parametersRef?: { group: string; kind: string; name: string } | null;
    } | null;
  };
  status?: {
    listeners?: { name: string; conditions?: Condition[] | null }[] | null;
    conditions?: Condition[] | null;
    addresses?: { type?: string; value: string }[] | null;
    attachedListenerSets?: number | null;
  };
}

interface CertificateReference {
  group?: string | null;
  kind?: string | null;
  name: string;
  namespace?: string | null;
}

/** What clients have to show. */
interface FrontendTls {
  validation?: {
    caCertificateRefs?:
      | { group?: string; kind: string; name: string; namespace?: string | null }[]
      | null;
    mode?: string | null;
  } | null;
}

/** Listeners that somebody else than the owner of a Gateway adds to it. */
export interface ListenerSet extends KubeObject {
  spec?: {
    parentRef?: ParentReference;
    listeners?: Listener[] | null;
  };
  status?: {
    listeners?: { name: string; conditions?: Condition[] | null }[] | null;
    conditions?: Condition[] | null;
  };
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
  lastTransitionTime?: string;
}

export interface Listener {
  name: string;
  hostname?: string | null;
  port: number;
  protocol: string;
  allowedRoutes?: {
    kinds?: { group?: string | null; kind: string }[] | null;
    namespaces?: { from?: string; selector?: LabelSelector | null };
  } | null;
  tls?: {
    mode?: string | null;
    certificateRefs?: CertificateReference[] | null;
  } | null;
  /** What is to be done with requests before a route is looked for. */
  filters?: { requests?: readonly unknown[] | null } | null;
}

export interface ParentReference {
  group?: string | null;
  kind?: string | null;
  namespace?: string | null;
  name: string;
  sectionName?: string | null;
  port?: number | null;
}

export interface BackendReference {
  group?: string | null;
  kind?: string | null;
  namespace?: string | null;
  name: string;
  port?: number | null;
  weight?: number | null;
  filters?: unknown[] | null;
}

interface RouteSpec<Rule> {
  parentRefs?: ParentReference[] | null;
  hostnames?: string[] | null;
  rules?: Rule[] | null;
}

interface RouteStatus {
  parents?:
    | { parentRef: ParentReference; controllerName?: string; conditions?: Condition[] }[]
    | null;
}

export interface RouteObject<Rule> extends KubeObject {
  spec?: RouteSpec<Rule>;
  status?: RouteStatus;
}

export interface HttpRouteRule {
  name?: string | null;
  matches?: HttpRouteMatch[] | null;
  filters?: HttpRouteFilter[] | null;
  backendRefs?: BackendReference[] | null;
  timeouts?: { request?: string | null; backendRequest?: string | null } | null;
  retry?: HttpRouteRetry | null;
}

interface HttpRouteRetry {
  codes?: number[] | null;
  attempts?: number | null;
  backoff?: string | null;
}

export type HttpRoute = RouteObject<HttpRouteRule>;

export interface ValueMatch {
  type?: string | null;
  name: string;
  value: string;
}

export interface HttpRouteMatch {
  path?: { type?: string | null; value?: string | null } | null;
  headers?: ValueMatch[] | null;
  queryParams?: ValueMatch[] | null;
  method?: string | null;
}

export interface HeaderModifier {
  set?: { name: string; value: string }[] | null;
  add?: { name: string; value: string }[] | null;
  remove?: string[] | null;
}

export interface PathModifier {
  type: string;
  replaceFullPath?: string | null;
  replacePrefixMatch?: string | null;
}

export interface HttpRouteFilter {
  type: string;
  requestHeaderModifier?: HeaderModifier | null;
  responseHeaderModifier?: HeaderModifier | null;
  requestRedirect?: {
    scheme?: string | null;
    hostname?: string | null;
    path?: PathModifier | null;
    port?: number | null;
    statusCode?: number | null;
  } | null;
  urlRewrite?: { hostname?: string | null; path?: PathModifier | null } | null;
  extensionRef?: { group: string; kind: string; name: string } | null;
  requestMirror?: {
    backendRef: BackendReference;
    percent?: number | null;
    fraction?: { numerator: number; denominator?: number | null } | null;
  } | null;
  cors?: {
    allowOrigins?: string[] | null;
    allowMethods?: string[] | null;
    allowHeaders?: string[] | null;
    exposeHeaders?: string[] | null;
    allowCredentials?: boolean | null;
    maxAge?: number | null;
  } | null;
  /** Not the API's: what a rule says beside its filters, and a plugin of ours does. */
  plugin?: { name: string; config: Record<string, unknown> };
}

export interface GrpcRouteMatch {
  method?: { type?: string | null; service?: string | null; method?: string | null } | null;
  headers?: ValueMatch[] | null;
}

export interface GrpcRouteRule {
  name?: string | null;
  matches?: GrpcRouteMatch[] | null;
  filters?: HttpRouteFilter[] | null;
  backendRefs?: BackendReference[] | null;
}

export type GrpcRoute = RouteObject<GrpcRouteRule>;

interface StreamRouteRule {
  name?: string | null;
  backendRefs?: BackendReference[] | null;
}

/** TCPRoute, UDPRoute and TLSRoute. */
export type StreamRoute = RouteObject<StreamRouteRule>;

export interface ReferenceGrant extends KubeObject {
  spec?: {
    from?: { group: string; kind: string; namespace: string }[] | null;
    to?: { group: string; kind: string; name?: string | null }[] | null;
  };
}

export interface BackendTlsPolicy extends KubeObject {
  spec?: {
    targetRefs?:
      | { group?: string | null; kind?: string; name: string; sectionName?: string | null }[]
      | null;
    validation?: {
      hostname?: string;
      caCertificateRefs?: { group?: string | null; kind: string; name: string }[] | null;
      wellKnownCACertificates?: string | null;
      subjectAltNames?: { type: string; hostname?: string | null; uri?: string | null }[] | null;
    };
    options?: Record<string, string> | null;
  };
}
