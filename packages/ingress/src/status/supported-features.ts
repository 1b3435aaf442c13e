/** What a gateway can do decides what of the Gateway API it can be asked for. */
export interface FeatureFacts {
  readonly isExpressions: boolean;
  /** Whether it has our own plugins for filters that Kong cannot express. */
  readonly hasOwnPlugins: boolean;
  /** Whether each Gateway has an address to itself. */
  readonly hasPlaces: boolean;
}

const always = [
  'GRPCRoute',
  'GRPCRouteNamedRouteRule',
  'GRPCRouteRequestHeaderModifier',
  'Gateway',
  'GatewayBackendClientCertificate',
  'HTTPRoute',
  'HTTPRouteBackendProtocolWebSocket',
  'HTTPRouteHostRewrite',
  'HTTPRouteMethodMatching',
  'HTTPRouteNamedRouteRule',
  'HTTPRoutePathRewrite',
  'HTTPRouteResponseHeaderModification',
  'ListenerSet',
  'ReferenceGrant',
];

const withOwnPlugins = [
  'BackendTLSPolicy',
  'BackendTLSPolicySANValidation',
  'HTTPRoute303RedirectStatusCode',
  'HTTPRoute307RedirectStatusCode',
  'HTTPRoute308RedirectStatusCode',
  'HTTPRouteBackendProtocolH2C',
  'HTTPRouteBackendRequestHeaderModification',
  'HTTPRouteBackendTimeout',
  'HTTPRouteBackendURLRewrite',
  'HTTPRouteCORS',
  'HTTPRoutePathRedirect',
  'HTTPRoutePortRedirect',
  'HTTPRouteRequestMirror',
  'HTTPRouteRequestMultipleMirrors',
  'HTTPRouteRequestPercentageMirror',
  'HTTPRouteRequestTimeout',
  // Releases before 1.7 know this name, later ones the next.
  'HTTPRouteRetry',
  'HTTPRouteRetryCodes',
  'HTTPRouteRetryConnectionError',
  'HTTPRouteSchemeRedirect',
];

const withPlaces = [
  'GatewayAddressEmpty',
  'GatewayFrontendClientCertificateValidation',
  'GatewayFrontendClientCertificateValidationInsecureFallback',
  'GatewayHTTPListenerIsolation',
  'GatewayHTTPSListenerDetectMisdirectedRequests',
  'GatewayPort8080',
  'GatewayRouteHostnameIntersectionPrecedence',
  'GatewayStaticAddresses',
  'HTTPRouteDestinationPortMatching',
  'HTTPRouteParentRefPort',
  'TCPRoute',
  'TLSRoute',
  'TLSRouteModeMixed',
  'TLSRouteModeTerminate',
  'UDPRoute',
];

/** The names of the features that a GatewayClass declares, sorted as the Gateway API asks for it. */
export function supportedFeatures({
  isExpressions,
  hasOwnPlugins,
  hasPlaces,
}: FeatureFacts): { name: string }[] {
  const names = [
    ...always,
    ...(isExpressions ? ['HTTPRouteQueryParamMatching'] : []),
    ...(hasOwnPlugins ? withOwnPlugins : []),
    ...(hasPlaces ? withPlaces : []),
  ];
  return names.sort().map((name) => ({ name }));
}
