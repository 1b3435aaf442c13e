/**
 * The shape of declarative files, as a table: which fields each kind of object has, of which type.
 * Format 1.1 is exactly what decK 1.4 takes; 2.1 and 3.0 take what Kong has learned since.
 */

export type ValueType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'strings'
  | 'headers'
  | 'objects'
  | 'integers'
  | 'reference'
  | 'any';

/** A type, one kind of object, or a list of them. */
export type FieldType = ValueType | { readonly object: string } | { readonly list: string };

export interface ObjectFormat {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly required?: readonly string[];
  /** At least one of these must be there. */
  readonly anyOf?: readonly string[];
}

export type FileFormat = Readonly<Record<string, ObjectFormat>>;

const dated: Readonly<Record<string, FieldType>> = {
  id: 'string',
  created_at: 'integer',
  tags: 'strings',
};
const updated: Readonly<Record<string, FieldType>> = { ...dated, updated_at: 'integer' };
const credential: Readonly<Record<string, FieldType>> = {
  ...dated,
  consumer: { object: 'consumerReference' },
};

const service: Readonly<Record<string, FieldType>> = {
  ...updated,
  ca_certificates: 'strings',
  client_certificate: 'string',
  connect_timeout: 'integer',
  host: 'string',
  name: 'string',
  path: 'string',
  plugins: { list: 'plugin' },
  port: 'integer',
  protocol: 'string',
  read_timeout: 'integer',
  retries: 'integer',
  routes: { list: 'route' },
  tls_verify: 'boolean',
  tls_verify_depth: 'integer',
  url: 'string',
  write_timeout: 'integer',
};

const route: Readonly<Record<string, FieldType>> = {
  ...updated,
  destinations: { list: 'cidrPort' },
  headers: 'headers',
  hosts: 'strings',
  https_redirect_status_code: 'integer',
  methods: 'strings',
  name: 'string',
  path_handling: 'string',
  paths: 'strings',
  plugins: { list: 'plugin' },
  preserve_host: 'boolean',
  protocols: 'strings',
  regex_priority: 'integer',
  request_buffering: 'boolean',
  response_buffering: 'boolean',
  service: { object: 'serviceReference' },
  snis: 'strings',
  sources: { list: 'cidrPort' },
  strip_path: 'boolean',
};

const upstream: Readonly<Record<string, FieldType>> = {
  ...dated,
  algorithm: 'string',
  client_certificate: { object: 'certificateReference' },
  hash_fallback: 'string',
  hash_fallback_header: 'string',
  hash_on: 'string',
  hash_on_cookie: 'string',
  hash_on_cookie_path: 'string',
  hash_on_header: 'string',
  healthchecks: { object: 'healthchecks' },
  host_header: 'string',
  name: 'string',
  slots: 'integer',
  targets: { list: 'target' },
};

const plugin: Readonly<Record<string, FieldType>> = {
  ...dated,
  _config: 'string',
  config: 'object',
  consumer: 'string',
  enabled: 'boolean',
  name: 'string',
  protocols: 'strings',
  route: 'string',
  run_on: 'string',
  service: 'string',
};

const credentialLists: Readonly<Record<string, FieldType>> = {
  acls: { list: 'acl' },
  basicauth_credentials: { list: 'basicAuth' },
  hmacauth_credentials: { list: 'hmacAuth' },
  jwt_secrets: { list: 'jwt' },
  keyauth_credentials: { list: 'keyAuth' },
  mtls_auth_credentials: { list: 'mtlsAuth' },
  oauth2_credentials: { list: 'oauth2' },
};

const consumer: Readonly<Record<string, FieldType>> = {
  ...dated,
  ...credentialLists,
  custom_id: 'string',
  plugins: { list: 'plugin' },
  username: 'string',
};

const healthcheckParts: FileFormat = {
  healthchecks: {
    fields: {
      active: { object: 'activeHealthcheck' },
      passive: { object: 'passiveHealthcheck' },
      threshold: 'number',
    },
  },
  activeHealthcheck: {
    fields: {
      concurrency: 'integer',
      healthy: { object: 'healthy' },
      http_path: 'string',
      https_sni: 'string',
      https_verify_certificate: 'boolean',
      timeout: 'integer',
      type: 'string',
      unhealthy: { object: 'unhealthy' },
    },
  },
  passiveHealthcheck: {
    fields: { healthy: { object: 'healthy' }, type: 'string', unhealthy: { object: 'unhealthy' } },
  },
  healthy: { fields: { http_statuses: 'integers', interval: 'integer', successes: 'integer' } },
  unhealthy: {
    fields: {
      http_failures: 'integer',
      http_statuses: 'integers',
      interval: 'integer',
      tcp_failures: 'integer',
      timeouts: 'integer',
    },
  },
};

/** Fields without some: an object that is referred to has no nested lists. */
function without(
  fields: Readonly<Record<string, FieldType>>,
  ...names: readonly string[]
): Readonly<Record<string, FieldType>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Format 1.1 writes a reference as an object of the whole shape of what it refers to. */
const references: FileFormat = {
  serviceReference: {
    fields: {
      ...without(service, 'plugins', 'routes', 'url'),
      client_certificate: { object: 'certificateReference' },
    },
    anyOf: ['name', 'id'],
  },
  consumerReference: {
    fields: { ...dated, custom_id: 'string', username: 'string' },
    anyOf: ['username', 'id'],
  },
  upstreamReference: { fields: without(upstream, 'targets'), required: ['name'] },
  certificateReference: {
    fields: { ...dated, cert: 'string', key: 'string', snis: 'strings' },
  },
  caCertificateReference: { fields: { ...dated, cert: 'string' } },
};

const legacy: FileFormat = {
  ...healthcheckParts,
  ...references,
  file: {
    fields: {
      _format_version: 'string',
      _info: { object: 'info' },
      _plugin_configs: 'objects',
      _workspace: 'string',
      ca_certificates: { list: 'caCertificate' },
      certificates: { list: 'certificate' },
      consumers: { list: 'consumer' },
      plugins: { list: 'plugin' },
      routes: { list: 'route' },
      services: { list: 'service' },
      upstreams: { list: 'upstream' },
    },
  },
  info: { fields: { select_tags: 'strings' } },
  service: { fields: service, anyOf: ['name', 'id'] },
  route: { fields: route, anyOf: ['name', 'id'] },
  cidrPort: { fields: { ip: 'string', port: 'integer' } },
  upstream: { fields: upstream, required: ['name'] },
  target: {
    fields: {
      ...dated,
      created_at: 'number',
      target: 'string',
      upstream: { object: 'upstreamReference' },
      weight: 'integer',
    },
    required: ['target'],
  },
  consumer: { fields: consumer, anyOf: ['username', 'id'] },
  plugin: { fields: plugin, required: ['name'] },
  certificate: {
    fields: { ...dated, cert: 'string', key: 'string', snis: { list: 'sni' } },
    required: ['id', 'cert', 'key'],
  },
  sni: { fields: { ...dated, certificate: 'object', name: 'string' }, required: ['name'] },
  caCertificate: { fields: { ...dated, cert: 'string' }, required: ['cert'] },
  keyAuth: { fields: { ...credential, key: 'string', ttl: 'integer' }, required: ['key'] },
  basicAuth: {
    fields: { ...credential, password: 'string', username: 'string' },
    required: ['username', 'password'],
  },
  hmacAuth: {
    fields: { ...credential, secret: 'string', username: 'string' },
    required: ['username', 'secret'],
  },
  jwt: {
    fields: {
      ...credential,
      algorithm: 'string',
      key: 'string',
      rsa_public_key: 'string',
      secret: 'string',
    },
    required: ['algorithm', 'key', 'secret'],
  },
  oauth2: {
    fields: {
      ...credential,
      client_id: 'string',
      client_secret: 'string',
      name: 'string',
      redirect_uris: 'strings',
    },
    required: ['name', 'client_id', 'redirect_uris', 'client_secret'],
  },
  acl: { fields: { ...credential, group: 'string' }, required: ['group'] },
  mtlsAuth: {
    fields: {
      ...credential,
      ca_certificate: { object: 'caCertificateReference' },
      subject_name: 'string',
    },
    required: ['id', 'subject_name'],
  },
};

function extended(kind: string, fields: Readonly<Record<string, FieldType>>): ObjectFormat {
  const base = legacy[kind] as ObjectFormat;
  return { ...base, fields: { ...base.fields, ...fields } };
}

const reference = { consumer: 'reference' } as const;

const modern: FileFormat = {
  ...legacy,
  file: extended('file', {
    ...credentialLists,
    _comment: 'string',
    _ignore: 'array',
    _transform: 'boolean',
    consumer_groups: { list: 'consumerGroup' },
    key_sets: { list: 'keySet' },
    keys: { list: 'key' },
    snis: { list: 'sni' },
    targets: { list: 'target' },
    vaults: { list: 'vault' },
  }),
  info: extended('info', { default_lookup_tags: 'object', defaults: 'object' }),
  service: extended('service', { client_certificate: 'reference', enabled: 'boolean' }),
  route: extended('route', { expression: 'string', priority: 'integer', service: 'reference' }),
  upstream: extended('upstream', {
    client_certificate: 'reference',
    hash_fallback_query_arg: 'string',
    hash_fallback_uri_capture: 'string',
    hash_on_query_arg: 'string',
    hash_on_uri_capture: 'string',
    updated_at: 'integer',
    use_srv_name: 'boolean',
  }),
  activeHealthcheck: extended('activeHealthcheck', { headers: 'headers', timeout: 'number' }),
  healthy: extended('healthy', { interval: 'number' }),
  unhealthy: extended('unhealthy', { interval: 'number' }),
  target: extended('target', { updated_at: 'number', upstream: 'reference' }),
  consumer: {
    ...extended('consumer', { groups: { list: 'groupName' }, updated_at: 'integer' }),
    anyOf: ['username', 'id', 'custom_id'],
  },
  consumerReference: {
    fields: { ...updated, custom_id: 'string', username: 'string' },
    anyOf: ['username', 'id', 'custom_id'],
  },
  groupName: { fields: { ...updated, name: 'string' }, anyOf: ['name', 'id'] },
  consumerGroup: {
    fields: {
      ...updated,
      consumers: { list: 'consumerReference' },
      name: 'string',
      plugins: { list: 'plugin' },
    },
    required: ['name'],
  },
  plugin: extended('plugin', {
    consumer: 'reference',
    consumer_group: 'reference',
    instance_name: 'string',
    ordering: 'object',
    route: 'reference',
    service: 'reference',
    updated_at: 'integer',
  }),
  certificate: {
    ...extended('certificate', { cert_alt: 'string', key_alt: 'string', updated_at: 'integer' }),
    required: ['cert', 'key'],
  },
  sni: extended('sni', { certificate: 'reference', updated_at: 'integer' }),
  caCertificate: extended('caCertificate', { cert_digest: 'string', updated_at: 'integer' }),
  keyAuth: extended('keyAuth', reference),
  basicAuth: extended('basicAuth', reference),
  hmacAuth: extended('hmacAuth', reference),
  jwt: { ...extended('jwt', reference), required: ['key'] },
  oauth2: {
    ...extended('oauth2', { ...reference, client_type: 'string', hash_secret: 'boolean' }),
    required: ['name'],
  },
  acl: extended('acl', reference),
  mtlsAuth: extended('mtlsAuth', { ...reference, ca_certificate: 'reference' }),
  vault: {
    fields: {
      ...updated,
      config: 'object',
      description: 'string',
      name: 'string',
      prefix: 'string',
    },
    required: ['name', 'prefix'],
  },
  keySet: { fields: { ...updated, keys: { list: 'key' }, name: 'string' }, anyOf: ['name', 'id'] },
  key: {
    fields: {
      ...updated,
      jwk: 'string',
      kid: 'string',
      name: 'string',
      pem: 'object',
      set: 'reference',
    },
    required: ['kid'],
  },
};

/** The shape of files of a version; a file that does not say is taken for a recent one. */
export function fileFormat(version: unknown): FileFormat {
  return version === '1.1' ? legacy : modern;
}
