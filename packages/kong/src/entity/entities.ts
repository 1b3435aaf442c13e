/**
 * Kong's entities as plain data, in the shape that the Admin API and declarative files use
 * (snake_case names, foreign keys as objects). Every field is optional except what a reader of any
 * Kong may rely on: what is required, and what its default is, is said by the schema, not the type.
 */

/** A value as JSON carries it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object, the common shape of all entities when the kind is only known at run time. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/**
 * A foreign key. Kong stores and answers ids; names are accepted in requests and declarative files.
 * `null` clears the reference.
 */
export interface KongReference {
  readonly id?: string;
  readonly name?: string;
}

/** What all entities carry. Timestamps are seconds since the epoch (targets: with fractions). */
export interface KongEntityBase {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly tags?: readonly string[] | null;
}

export type KongProtocol =
  | 'grpc'
  | 'grpcs'
  | 'http'
  | 'https'
  | 'tcp'
  | 'tls'
  | 'tls_passthrough'
  | 'udp'
  | 'ws'
  | 'wss';

export interface KongService extends KongEntityBase {
  readonly name?: string | null;
  readonly retries?: number | null;
  readonly protocol?: KongProtocol;
  readonly host?: string;
  readonly port?: number;
  readonly path?: string | null;
  readonly connect_timeout?: number;
  readonly write_timeout?: number;
  readonly read_timeout?: number;
  readonly client_certificate?: KongReference | null;
  readonly tls_verify?: boolean | null;
  readonly tls_verify_depth?: number | null;
  readonly ca_certificates?: readonly string[] | null;
  readonly enabled?: boolean;
  /** Shorthand for protocol, host, port and path; never stored. */
  readonly url?: string;
}

/** An address that a stream route matches on: at least one of the two is set. */
export interface KongCidrPort {
  readonly ip?: string | null;
  readonly port?: number | null;
}

export interface KongRoute extends KongEntityBase {
  readonly name?: string | null;
  readonly protocols?: readonly KongProtocol[];
  readonly methods?: readonly string[] | null;
  readonly hosts?: readonly string[] | null;
  readonly paths?: readonly string[] | null;
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  readonly https_redirect_status_code?: number;
  readonly regex_priority?: number | null;
  readonly strip_path?: boolean;
  readonly path_handling?: 'v0' | 'v1' | null;
  readonly preserve_host?: boolean;
  readonly request_buffering?: boolean;
  readonly response_buffering?: boolean;
  readonly snis?: readonly string[] | null;
  readonly sources?: readonly KongCidrPort[] | null;
  readonly destinations?: readonly KongCidrPort[] | null;
  readonly service?: KongReference | null;
  /** Only with the router flavor `expressions`. */
  readonly expression?: string | null;
  /** Only with the router flavor `expressions`. */
  readonly priority?: number;
}

export type KongHashInput =
  | 'none'
  | 'consumer'
  | 'ip'
  | 'header'
  | 'cookie'
  | 'path'
  | 'query_arg'
  | 'uri_capture';

export interface KongActiveHealthcheck {
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  readonly timeout?: number;
  readonly concurrency?: number;
  readonly http_path?: string;
  readonly https_sni?: string | null;
  readonly https_verify_certificate?: boolean;
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  readonly healthy?: {
    readonly interval?: number;
    readonly http_statuses?: readonly number[];
    readonly successes?: number;
  };
  readonly unhealthy?: {
    readonly interval?: number;
    readonly http_statuses?: readonly number[];
    readonly http_failures?: number;
    readonly tcp_failures?: number;
    readonly timeouts?: number;
  };
}

export interface KongPassiveHealthcheck {
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  readonly healthy?: {
    readonly http_statuses?: readonly number[];
    readonly successes?: number;
  };
  readonly unhealthy?: {
    readonly http_statuses?: readonly number[];
    readonly http_failures?: number;
    readonly tcp_failures?: number;
    readonly timeouts?: number;
  };
}

export interface KongHealthchecks {
  readonly active?: KongActiveHealthcheck;
  readonly passive?: KongPassiveHealthcheck;
  readonly threshold?: number;
}

export interface KongUpstream extends KongEntityBase {
  readonly name?: string;
  readonly algorithm?: 'consistent-hashing' | 'least-connections' | 'round-robin' | 'latency';
  readonly hash_on?: KongHashInput;
  readonly hash_fallback?: KongHashInput;
  readonly hash_on_header?: string | null;
  readonly hash_fallback_header?: string | null;
  readonly hash_on_cookie?: string | null;
  readonly hash_on_cookie_path?: string | null;
  readonly hash_on_query_arg?: string | null;
  readonly hash_fallback_query_arg?: string | null;
  readonly hash_on_uri_capture?: string | null;
  readonly hash_fallback_uri_capture?: string | null;
  readonly slots?: number;
  readonly healthchecks?: KongHealthchecks;
  readonly host_header?: string | null;
  readonly client_certificate?: KongReference | null;
  readonly use_srv_name?: boolean | null;
}

export interface KongTarget extends KongEntityBase {
  readonly target?: string;
  readonly weight?: number;
  readonly upstream?: KongReference;
}

export interface KongConsumer extends KongEntityBase {
  readonly username?: string | null;
  readonly custom_id?: string | null;
}

/** Kong Enterprise only; the open-source edition answers 404. */
export interface KongConsumerGroup extends KongEntityBase {
  readonly name?: string;
}

export interface KongPlugin extends KongEntityBase {
  readonly name?: string;
  readonly instance_name?: string | null;
  readonly enabled?: boolean;
  readonly protocols?: readonly KongProtocol[];
  readonly config?: JsonObject;
  readonly service?: KongReference | null;
  readonly route?: KongReference | null;
  readonly consumer?: KongReference | null;
  readonly consumer_group?: KongReference | null;
  readonly ordering?: JsonObject | null;
}

export interface KongCertificate extends KongEntityBase {
  readonly cert?: string;
  readonly key?: string;
  readonly cert_alt?: string | null;
  readonly key_alt?: string | null;
  /** Names that the Admin API keeps in `snis` entities of their own. */
  readonly snis?: readonly string[];
}

export interface KongSni extends KongEntityBase {
  readonly name?: string;
  readonly certificate?: KongReference;
}

export interface KongCaCertificate extends KongEntityBase {
  readonly cert?: string;
  /** SHA-256 of the certificate's DER form, hexadecimal; filled by Kong. */
  readonly cert_digest?: string;
}

export interface KongVault extends KongEntityBase {
  readonly prefix?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly config?: JsonObject;
}

export interface KongKeySet extends KongEntityBase {
  readonly name?: string | null;
}

export interface KongKey extends KongEntityBase {
  readonly name?: string | null;
  readonly kid?: string;
  readonly set?: KongReference | null;
  readonly jwk?: string | null;
  readonly pem?: {
    readonly private_key?: string | null;
    readonly public_key?: string | null;
  } | null;
}
