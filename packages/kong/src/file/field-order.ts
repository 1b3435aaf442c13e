/** The order of fields that people know from decK's files; what is not listed follows, sorted. */
const orders: Readonly<Record<string, string>> = {
  services:
    'client_certificate connect_timeout host id name path port protocol read_timeout retries write_timeout tags tls_verify tls_verify_depth ca_certificates enabled',
  routes:
    'hosts headers id name methods paths path_handling preserve_host protocols regex_priority service strip_path snis sources destinations tags https_redirect_status_code request_buffering response_buffering expression priority',
  consumers: 'id custom_id username tags',
  consumer_groups: 'id name tags',
  plugins:
    'id name instance_name config service consumer route consumer_group enabled run_on protocols tags ordering',
  upstreams:
    'id name host_header client_certificate algorithm slots healthchecks hash_on hash_fallback hash_on_header hash_fallback_header hash_on_cookie hash_on_cookie_path hash_on_query_arg hash_fallback_query_arg hash_on_uri_capture hash_fallback_uri_capture use_srv_name tags',
  'upstreams.healthchecks': 'active passive threshold',
  'upstreams.healthchecks.active':
    'concurrency healthy http_path https_sni https_verify_certificate headers type timeout unhealthy',
  'upstreams.healthchecks.active.healthy': 'http_statuses interval successes',
  'upstreams.healthchecks.active.unhealthy':
    'http_failures http_statuses tcp_failures timeouts interval',
  'upstreams.healthchecks.passive': 'healthy type unhealthy',
  'upstreams.healthchecks.passive.healthy': 'http_statuses interval successes',
  'upstreams.healthchecks.passive.unhealthy':
    'http_failures http_statuses tcp_failures timeouts interval',
  targets: 'id target weight tags',
  certificates: 'id cert key cert_alt key_alt tags',
  snis: 'id name tags',
  ca_certificates: 'id cert tags',
  keyauth_credentials: 'id key ttl tags',
  basicauth_credentials: 'id username password tags',
  hmacauth_credentials: 'id username secret tags',
  jwt_secrets: 'id algorithm key rsa_public_key secret tags',
  oauth2_credentials: 'id name client_id client_secret redirect_uris hash_secret client_type tags',
  acls: 'id group tags',
  mtls_auth_credentials: 'id subject_name ca_certificate tags',
  vaults: 'id prefix name description config tags',
  key_sets: 'id name tags',
  keys: 'id name kid set jwk pem tags',
};

const ranks: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  Object.entries(orders).map(([path, names]) => [
    path,
    new Map(names.split(' ').map((name, index) => [name, index])),
  ]),
);

interface Ordering {
  readonly names: readonly string[];
  readonly ordered: readonly string[];
}

/** The last answer for each path: a server gives all entities of a kind the same fields. */
const latest = new Map<string, Ordering>();

/** The names of fields in the order in which a file has them. */
export function fieldOrder(path: string, names: readonly string[]): readonly string[] {
  const last = latest.get(path);
  const isSame = last?.names.length === names.length;
  if (isSame && last.names.every((name, index) => name === names[index])) return last.ordered;
  const known = ranks.get(path);
  const rank = (name: string) => known?.get(name) ?? Number.MAX_SAFE_INTEGER;
  const ordered = [...names].sort((one, two) => rank(one) - rank(two) || (one < two ? -1 : 1));
  // Only paths that are listed: those of outside records have no end.
  if (known !== undefined) latest.set(path, { names, ordered });
  return ordered;
}
