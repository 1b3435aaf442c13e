// The page on the Gateway API: made from what its suite said last (`docs/compatibility/gateway-api.json`, which
// `WAYGATE_GO_INSTALL=1 npm run e2e -- gateway-api` writes) and from what a GatewayClass declares.

/** The features of the releases that are looked at, but for those of meshes. */
const known = `
BackendTLSPolicy BackendTLSPolicySANValidation ClusterTrustBundle GRPCRoute GRPCRouteNamedRouteRule
GRPCRouteRequestHeaderModifier Gateway GatewayAddressEmpty GatewayAddressRoutability
GatewayAddressRoutabilityCluster GatewayBackendClientCertificate GatewayFrontendClientCertificateValidation
GatewayFrontendClientCertificateValidationInsecureFallback GatewayHTTPListenerIsolation
GatewayHTTPSListenerDetectMisdirectedRequests GatewayInfrastructure GatewayListenerFilters GatewayPort8080
GatewayRouteHostnameIntersectionPrecedence GatewayStaticAddresses HTTPRoute HTTPRoute303RedirectStatusCode
HTTPRoute307RedirectStatusCode HTTPRoute308RedirectStatusCode HTTPRouteBackendProtocolH2C
HTTPRouteBackendProtocolWebSocket HTTPRouteBackendRequestHeaderModification HTTPRouteBackendTimeout
HTTPRouteBackendURLRewrite HTTPRouteCORS HTTPRouteDestinationPortMatching HTTPRouteHostRewrite
HTTPRouteMethodMatching HTTPRouteNamedRouteRule HTTPRouteParentRefPort HTTPRoutePathRedirect HTTPRoutePathRewrite
HTTPRoutePortRedirect HTTPRouteQueryParamMatching HTTPRouteRequestMirror HTTPRouteRequestMultipleMirrors
HTTPRouteRequestPercentageMirror HTTPRouteRequestTimeout HTTPRouteResponseHeaderModification HTTPRouteRetry
HTTPRouteRetryBackendTimeout HTTPRouteRetryCodes HTTPRouteRetryConnectionError HTTPRouteSchemeRedirect ListenerSet
ReferenceGrant TCPRoute TLSRoute TLSRouteModeMixed TLSRouteModeTerminate UDPRoute
`
  .trim()
  .split(/\s+/);

/** Why a feature is not declared. */
const reasons = {
  ClusterTrustBundle: 'a reference to one is refused on the listener or the policy that has it',
  GatewayAddressRoutability: 'an address of a Gateway is reached from where the gateway is',
  GatewayAddressRoutabilityCluster: 'an address of a Gateway is reached from where the gateway is',
  GatewayInfrastructure: 'there is nothing in the cluster that belongs to a Gateway',
  GatewayListenerFilters: 'a listener with filters is refused, and not served without them',
  HTTPRouteRetryBackendTimeout: 'done; the releases that know this name have no test of it',
};

/** Why a test fails, by its name: a failure that nobody can explain is not written down, but mended. */
const causes = {};

/** The profiles, by how the names of their tests start; what is left belongs to all of them. */
const groups = [
  ['HTTPRoute', /^HTTPRoute/],
  ['GRPCRoute', /^GRPC/],
  ['TLSRoute', /^TLSRoute/],
  ['TCPRoute', /^TCPRoute/],
  ['UDPRoute', /^UDPRoute/],
  ['BackendTLSPolicy', /^BackendTLSPolicy/],
  ['ListenerSet', /^ListenerSet/],
  ['Gateway and GatewayClass', /^Gateway/],
];

/**
 * @param results - what became of the tests: `{ version, passed, failed }` for each release
 * @param supportedFeatures - the room's own answer to what it can be asked for
 */
export function gatewayApiPage(results, supportedFeatures) {
  const of = (facts) =>
    supportedFeatures({
      isExpressions: false,
      hasOwnPlugins: false,
      hasPlaces: false,
      ...facts,
    }).map(({ name }) => name);
  const always = of({});
  const beyond = (facts) => of(facts).filter((name) => !always.includes(name));
  const parts = [
    ['always', always],
    ['with the expressions router', beyond({ isExpressions: true })],
    ['where the gateway is Waygate’s own', beyond({ hasOwnPlugins: true })],
    ['where Gateways have addresses of their own', beyond({ hasPlaces: true })],
  ];
  const declared = new Set(of({ isExpressions: true, hasOwnPlugins: true, hasPlaces: true }));
  const missing = known.filter((name) => !declared.has(name));
  const strange = [...declared].filter((name) => !known.includes(name));
  const unexplained = missing.filter((name) => reasons[name] === undefined);
  if (strange.length + unexplained.length > 0)
    throw new Error(`scripts/gateway-api-page.mjs says nothing of ${[...strange, ...unexplained]}`);
  const failures = results.flatMap(({ version, failed }) =>
    failed.map((name) => `- ${version}: ${name}: ${causes[name] ?? 'not looked into yet'}`),
  );
  return `# Gateway API

The Gateway API's own conformance suite runs unmodified against \`waygate up\`:

    WAYGATE_GO_INSTALL=1 npm run e2e -- gateway-api

Go builds the suite and its echo servers as they were published. (Since 1.7 the echo servers are a module of their own;
where Go cannot fetch that, those of the last release that had them are taken.) A stand-in for the nodes of a cluster
(\`test/gateway-api/\`) makes Pods of the suite's Deployments and starts its echo servers as local
processes; everything else is \`waygate up --gateway-addresses 127.64.0.0/16\`, which gives each Gateway a
loopback address to itself and opens the ports of its listeners there (Linux; ports below 1024 need the
right to open them). The command keeps what it found in \`gateway-api.json\` beside this page and writes the
page anew; \`npm run docs\` does so when what is declared changes. \`WAYGATE_SUITE_TEST=NAME\` runs one test
(\`'ONE|OTHER'\` two) and writes its outcome beside what is known of the others,
and \`WAYGATE_SUITE_OUTPUT=DIR\` keeps what the suite and \`up\` wrote.

Counted are the tests of the profiles GATEWAY-HTTP, GATEWAY-GRPC, GATEWAY-TLS and, where a release has them,
GATEWAY-TCP and GATEWAY-UDP: their core, and all of what
\`status.supportedFeatures\` of the GatewayClass declares. Tests of what is not declared are skipped.
The suite of 1.3 does not read what is declared: its column is the core alone.

${resultTable(results)}
${failures.length === 0 ? '\nNone failed.\n' : `\nThese failed:\n\n${failures.join('\n')}\n`}
## What is declared, and when

| where | features |
|---|---|
${parts.map(([where, names]) => `| ${where} | ${names.join(', ')} |`).join('\n')}

What Kong cannot express is done by plugins of the gateway's own: \`http-route-redirect\`, \`http-route-mirror\`,
\`http-route-cors\`, \`http-route-retry\`, \`http-route-backends\`, \`http-route-listeners\` and \`proxy-ssl\`. On a real Kong it is
refused on the route, never left out in silence.

## What is not declared

| feature | why |
|---|---|
${missing.map((name) => `| ${name} | ${reasons[name]} |`).join('\n')}

Things that a reader may trip over: where an address has several ports, a request whose \`Host\` names
another port than the one that it came to is taken at its word, as Kong's router does; Ingresses are
served at the addresses of Gateways, too; a \`POST\` or \`PATCH\` that may have arrived is not tried again, whatever
\`retry\` says; and a Gateway's own certificate (\`tls.backend.clientCertificateRef\`) is shown to backends of HTTPRoutes, not to those of
GRPCRoutes, for which a service of Kong's has no field.
`;
}

/** One line for each group, one column for each release. */
function resultTable(results) {
  const count = (names, pattern) => names.filter((name) => pattern.test(name)).length;
  const cell = ({ passed, failed }, pattern) => {
    const all = count(passed, pattern) + count(failed, pattern);
    return all === 0 ? '–' : `${count(passed, pattern)} of ${all}`;
  };
  const rows = [...groups, ['all', /./]].map(
    ([title, pattern]) => `| ${title} | ${results.map((one) => cell(one, pattern)).join(' | ')} |`,
  );
  return [
    `| tests of | ${results.map(({ version }) => version).join(' | ')} |`,
    `|---|${results.map(() => '---|').join('')}`,
    ...rows.filter((row) => /\d/.test(row)),
  ].join('\n');
}
