import type { FormatName } from './field-format.ts';

/**
 * Which text fields have a rule beyond their schema. Paths are dotted; `*` stands for the elements of
 * a list or the values of a map, `@` for the keys of a map.
 */
type FormatPaths = Readonly<Record<string, FormatName>>;

const redis: FormatPaths = {
  'config.redis.host': 'host',
  'config.redis.server_name': 'sni',
  'config.redis_host': 'host',
  'config.redis_server_name': 'sni',
};

const routes: FormatPaths = {
  name: 'utf8Name',
  'hosts.*': 'routeHost',
  'paths.*': 'routerPath',
  'snis.*': 'wildcardHost',
  'headers.@': 'headerName',
  'sources.*.ip': 'ipOrCidr',
  'destinations.*.ip': 'ipOrCidr',
};

const headerLists = ['replace', 'add', 'append'].map(
  (operation) => [`config.${operation}.headers.*`, 'headerPair'] as const,
);

const formatTable: Readonly<Record<string, FormatPaths>> = {
  services: { name: 'utf8Name', host: 'host', path: 'path' },
  routes,
  'routes-flavor-traditional': routes,
  'routes-flavor-expressions': routes,
  upstreams: {
    name: 'upstreamName',
    hash_on_header: 'headerName',
    hash_fallback_header: 'headerName',
    hash_on_cookie: 'cookieName',
    hash_on_cookie_path: 'path',
    host_header: 'hostWithOptionalPort',
    'healthchecks.active.http_path': 'path',
    'healthchecks.active.https_sni': 'sni',
    'healthchecks.active.headers.@': 'headerName',
  },
  targets: { target: 'target' },
  snis: { name: 'wildcardHost' },
  certificates: {
    cert: 'certificate',
    key: 'privateKey',
    cert_alt: 'certificate',
    key_alt: 'privateKey',
    'snis.*': 'wildcardHost',
  },
  ca_certificates: { cert: 'certificate' },
  consumer_groups: { name: 'utf8Name' },
  plugins: { instance_name: 'utf8Name' },
  filter_chains: { name: 'utf8Name' },
  oauth2_credentials: { 'redirect_uris.*': 'redirectUri' },
  // Only where a condition asks for the field: any text will do beside HS256.
  jwt_secrets: { 'then.rsa_public_key': 'publicKey' },
  'plugin-acme': {
    'config.domains.*': 'routeHost',
    'config.api_uri': 'url',
    'config.storage_config.redis.host': 'host',
    'config.storage_config.redis.server_name': 'sni',
    'config.storage_config.consul.host': 'host',
    'config.storage_config.vault.host': 'host',
  },
  'plugin-ai-proxy': { 'config.model.options.upstream_url': 'url' },
  'plugin-ai-request-transformer': {
    'config.http_proxy_host': 'host',
    'config.https_proxy_host': 'host',
    'config.llm.model.options.upstream_url': 'url',
  },
  'plugin-ai-response-transformer': {
    'config.http_proxy_host': 'host',
    'config.https_proxy_host': 'host',
    'config.llm.model.options.upstream_url': 'url',
  },
  'plugin-aws-lambda': {
    'config.host': 'host',
    'config.proxy_url': 'url',
    'config.aws_sts_endpoint_url': 'url',
  },
  'plugin-cors': { 'config.origins.*': 'corsOrigin' },
  'plugin-datadog': { 'config.host': 'host' },
  'plugin-http-log': { 'config.http_endpoint': 'url', 'config.headers.@': 'headerName' },
  'plugin-ip-restriction': { 'config.allow.*': 'ipOrCidr', 'config.deny.*': 'ipOrCidr' },
  'plugin-key-auth': { 'config.key_names.*': 'headerName' },
  'plugin-ldap-auth': { 'config.ldap_host': 'host' },
  'plugin-loggly': { 'config.host': 'host' },
  'plugin-opentelemetry': {
    'config.traces_endpoint': 'url',
    'config.logs_endpoint': 'url',
    'config.endpoint': 'url',
    'config.headers.@': 'headerName',
  },
  'plugin-rate-limiting': { ...redis, 'config.path': 'path' },
  'plugin-redirect': { 'config.location': 'url' },
  'plugin-request-transformer': {
    ...Object.fromEntries(headerLists),
    'config.rename.headers.*': 'headerRename',
  },
  'plugin-response-ratelimiting': redis,
  'plugin-statsd': { 'config.host': 'host' },
  'plugin-tcp-log': { 'config.host': 'host' },
  'plugin-udp-log': { 'config.host': 'host' },
  'plugin-zipkin': { 'config.http_endpoint': 'url' },
};

/** The rule for the text at a path of a schema. Tags have theirs in every entity. */
export function formatNameOf(schema: string, path: string): FormatName | undefined {
  if (path === 'tags.*') return 'tag';
  return formatTable[schema]?.[path];
}
