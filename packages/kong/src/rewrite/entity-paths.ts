/** Where entities of each kind stand in a declarative file: at its top, or in what owns them. */
const owners: Readonly<Record<string, readonly string[]>> = {
  acls: ['consumers'],
  basicauth_credentials: ['consumers'],
  ca_certificates: [],
  certificates: [],
  consumer_group_consumers: [],
  consumer_group_plugins: ['consumer_groups'],
  consumer_groups: [],
  consumers: [],
  document_objects: ['services'],
  hmacauth_credentials: ['consumers'],
  jwt_secrets: ['consumers'],
  key_sets: [],
  keyauth_credentials: ['consumers'],
  keys: ['key_sets'],
  mtls_auth_credentials: ['consumers', 'ca_certificates'],
  oauth2_credentials: ['consumers'],
  plugins: ['routes', 'services', 'services[*].routes', 'consumers', 'consumer_groups'],
  routes: ['services'],
  services: [],
  snis: ['certificates'],
  targets: ['upstreams', 'certificates[*].upstreams'],
  upstreams: ['certificates'],
  vaults: [],
};

function pathsOf(kind: string): string[] {
  return [`$.${kind}[*]`, ...(owners[kind] ?? []).map((owner) => `$.${owner}[*].${kind}[*]`)];
}

/** JSONPath of all routes of a file. */
export const routePaths: readonly string[] = pathsOf('routes');

/** JSONPath of everything that can have tags. */
export const taggedPaths: readonly string[] = Object.keys(owners).flatMap(pathsOf);
