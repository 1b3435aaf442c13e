/** How Ingresses of ingress-nginx' class are served: its flags, by our names. */
export interface NginxOptions {
  /** `spec.controller` of the IngressClasses that are ours. */
  readonly controllerClass?: string;
  /** The value of the annotation `kubernetes.io/ingress.class`. */
  readonly ingressClass?: string;
  /** An IngressClass also counts by its name. */
  readonly isClassByName?: boolean;
  /** Ingresses without any class are ours too. */
  readonly watchesWithoutClass?: boolean;
  readonly annotationsPrefix?: string;
  /** `namespace/name` of the ConfigMap with the settings. */
  readonly configMap?: string;
  /** `namespace/name` of the Service for what nobody asks for. */
  readonly defaultBackendService?: string;
  /** `namespace/name` of the Secret whose certificate is shown for names without one. */
  readonly defaultCertificate?: string;
  /** Shown where there is none of these either. */
  readonly fallbackCertificate?: { readonly cert: string; readonly key: string };
  /** Ingresses with a default backend are left out. */
  readonly isCatchAllDisabled?: boolean;
  /** `namespace/name` of the ConfigMaps with services for streams, by port. */
  readonly tcpServices?: string;
  readonly udpServices?: string;
  /** Looks for paths and names that would read files of a controller. */
  readonly isDeepInspecting?: boolean;
  /** What becomes of an Ingress with a snippet that is not understood whole. */
  readonly unknownSnippets?: 'refuse' | 'ignore';
  /** Requests are counted under ingress-nginx' names; undefined: they are not. */
  readonly metrics?: NginxMetricOptions;
  /** Those of {@link nginxPlugins} that the gateway has; undefined: all. */
  readonly availablePlugins?: ReadonlySet<string>;
}

/** How requests are counted: the flags of ingress-nginx on its metrics. */
export interface NginxMetricOptions {
  /** Where the controller runs, for the labels of that name. */
  readonly namespace: string;
  readonly pod: string;
  /** With the host as a label. */
  readonly isPerHost?: boolean;
  /** Also those for hosts that no Ingress names. */
  readonly countsUndefinedHosts?: boolean;
  /** By `2xx` and so on, not by each status. */
  readonly hasStatusClasses?: boolean;
}

export type ResolvedNginxOptions = Required<
  Omit<
    NginxOptions,
    | 'configMap'
    | 'defaultBackendService'
    | 'defaultCertificate'
    | 'fallbackCertificate'
    | 'tcpServices'
    | 'udpServices'
    | 'metrics'
    | 'availablePlugins'
  >
> &
  NginxOptions;

/** The defaults are those of ingress-nginx. */
export function resolveNginxOptions(options: NginxOptions): ResolvedNginxOptions {
  return {
    ...options,
    controllerClass: options.controllerClass ?? 'k8s.io/ingress-nginx',
    ingressClass: options.ingressClass ?? 'nginx',
    isClassByName: options.isClassByName ?? false,
    watchesWithoutClass: options.watchesWithoutClass ?? false,
    annotationsPrefix: options.annotationsPrefix ?? 'nginx.ingress.kubernetes.io',
    isCatchAllDisabled: options.isCatchAllDisabled ?? false,
    isDeepInspecting: options.isDeepInspecting ?? true,
    unknownSnippets: options.unknownSnippets ?? 'refuse',
  };
}

/** The plugins of the embedded gateway that do what Kong's cannot: whether a gateway has them is asked. */
export const nginxPlugins: readonly string[] = [
  'nginx-proxy',
  'nginx-return',
  'nginx-server',
  'nginx-snippet',
  'nginx-gzip',
  'nginx-metrics',
  'cors-nginx',
  'connection-limit',
  'request-rate',
  'response-rate',
  'fastcgi',
  'address-filter',
  'htpasswd-auth',
  'external-auth',
  'client-certificate',
  'canary',
  'cookie-affinity',
  'upstream-hash',
  'traffic-mirror',
  'error-pages',
  'proxy-ssl',
  'proxy-protocol',
  'nginx-status',
];
