/**
 * The entities that a translation makes, in the field names of Kong's Admin API. They are built up
 * step by step, so they are mutable here; whoever gets a finished state treats it as read only.
 */

export interface PluginEntity {
  id?: string;
  name: string;
  instance_name?: string;
  config?: Record<string, unknown>;
  enabled?: boolean;
  protocols?: string[];
  ordering?: unknown;
  run_on?: string;
  tags?: string[];
  /** Foreign keys are names (of consumers: the username, or the custom id when there is none). */
  service?: string;
  route?: string;
  consumer?: string;
  consumer_group?: string;
}

export interface RouteEntity {
  id?: string;
  name: string;
  protocols?: string[];
  methods?: string[];
  hosts?: string[];
  paths?: string[];
  headers?: Record<string, string[]>;
  https_redirect_status_code?: number;
  regex_priority?: number;
  strip_path?: boolean;
  path_handling?: string;
  preserve_host?: boolean;
  request_buffering?: boolean;
  response_buffering?: boolean;
  snis?: string[];
  destinations?: { port: number }[];
  expression?: string;
  priority?: number;
  tags?: string[];
  plugins?: PluginEntity[];
}

export interface ServiceEntity {
  id?: string;
  name: string;
  host: string;
  port?: number;
  protocol: string;
  path?: string;
  retries?: number;
  connect_timeout?: number;
  read_timeout?: number;
  write_timeout?: number;
  /** The id of a certificate. */
  client_certificate?: string;
  tls_verify?: boolean;
  tls_verify_depth?: number;
  ca_certificates?: string[];
  tags?: string[];
  routes?: RouteEntity[];
  plugins?: PluginEntity[];
}

export interface TargetEntity {
  target: string;
  weight?: number;
  tags?: string[];
}

export interface UpstreamEntity {
  name: string;
  tags?: string[];
  targets?: TargetEntity[];
  algorithm?: string;
  /** Further fields come from KongIngress and KongUpstreamPolicy, one to one. */
  [field: string]: unknown;
}

export interface ConsumerEntity {
  id?: string;
  username?: string;
  custom_id?: string;
  tags?: string[];
  groups?: { name: string }[];
  keyauth_credentials?: CredentialEntity[];
  basicauth_credentials?: CredentialEntity[];
  hmacauth_credentials?: CredentialEntity[];
  jwt_secrets?: CredentialEntity[];
  oauth2_credentials?: CredentialEntity[];
  acls?: CredentialEntity[];
  mtls_auth_credentials?: CredentialEntity[];
}

export type CredentialEntity = Record<string, unknown> & { tags?: string[] };

export interface ConsumerGroupEntity {
  id?: string;
  name: string;
  tags?: string[];
}

export interface CertificateEntity {
  id: string;
  cert: string;
  key: string;
  snis?: { name: string; certificate?: { id: string } }[];
  tags?: string[];
}

export interface CaCertificateEntity {
  id: string;
  cert: string;
  tags?: string[];
}

export interface VaultEntity {
  id?: string;
  name: string;
  prefix: string;
  description?: string;
  config?: Record<string, unknown>;
  tags?: string[];
}

export interface LicenseEntity {
  id: string;
  payload: string;
}

/** Everything that one gateway is to hold, sorted, so that equal clusters give equal bytes. */
export interface KongState {
  services: ServiceEntity[];
  upstreams: UpstreamEntity[];
  consumers: ConsumerEntity[];
  consumerGroups: ConsumerGroupEntity[];
  plugins: PluginEntity[];
  certificates: CertificateEntity[];
  caCertificates: CaCertificateEntity[];
  vaults: VaultEntity[];
  licenses: LicenseEntity[];
  /** By the type of entity, which is its collection in the Admin API. */
  customEntities: Record<string, Record<string, unknown>[]>;
}

/** A gateway without anything. */
export const emptyState: Readonly<KongState> = {
  services: [],
  upstreams: [],
  consumers: [],
  consumerGroups: [],
  plugins: [],
  certificates: [],
  caCertificates: [],
  vaults: [],
  licenses: [],
  customEntities: {},
};

/** A consumer's username, or its custom id when it has none: what plugins name it by. */
export function nameOfConsumer({ username, custom_id }: ConsumerEntity): string {
  return username ?? custom_id ?? '';
}
