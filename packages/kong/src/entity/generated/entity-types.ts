// Made by `npm run docs` from Kong's schemas and the table of entity kinds. Do not edit.
import type { DeclarativeReference } from '../declarative-config.ts';
import type { JsonObject, KongReference } from '../entities.ts';

/** An entity in which foreign keys are written as declarative files may write them. */
type WithReferences<Entity, Field extends string> = Omit<Entity, Field> & {
  readonly [field in Field]?: DeclarativeReference;
};

export type KongProtocol = 'grpc' | 'grpcs' | 'http' | 'https' | 'tcp' | 'tls' | 'tls_passthrough' | 'udp';

export type KongHashInput = 'none' | 'consumer' | 'ip' | 'header' | 'cookie' | 'path' | 'query_arg' | 'uri_capture';

export interface KongPassiveHealthcheck {
  readonly healthy?: {
    readonly successes?: number;
    readonly http_statuses?: readonly number[];
  };
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  readonly unhealthy?: {
    readonly tcp_failures?: number;
    readonly timeouts?: number;
    readonly http_failures?: number;
    readonly http_statuses?: readonly number[];
  };
}

export interface KongActiveHealthcheck {
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  readonly http_path?: string;
  readonly https_sni?: string | null;
  readonly healthy?: {
    readonly interval?: number;
    readonly successes?: number;
    readonly http_statuses?: readonly number[];
  };
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly unhealthy?: {
    readonly tcp_failures?: number;
    readonly timeouts?: number;
    readonly http_failures?: number;
    readonly http_statuses?: readonly number[];
    readonly interval?: number;
  };
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  readonly https_verify_certificate?: boolean;
}

export interface KongHealthchecks {
  readonly passive?: KongPassiveHealthcheck;
  readonly active?: KongActiveHealthcheck;
  readonly threshold?: number;
}

export interface KongCidrPort {
  readonly ip?: string | null;
  readonly port?: number | null;
}

export interface KongAcl {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly group?: string;
  readonly tags?: readonly string[] | null;
}

export interface KongBasicAuthCredential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly username?: string;
  /** Clear text when written; Kong answers the salted hash. */
  readonly password?: string;
  readonly tags?: readonly string[] | null;
}

export interface KongCaCertificate {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly cert?: string;
  /** SHA-256 of the certificate's DER form; filled by Kong. */
  readonly cert_digest?: string | null;
  readonly tags?: readonly string[] | null;
}

export interface KongCertificate {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly cert?: string;
  readonly key?: string;
  readonly cert_alt?: string | null;
  readonly key_alt?: string | null;
  readonly tags?: readonly string[] | null;
  /** Names that the Admin API keeps in `snis` entities of their own. */
  readonly snis?: readonly string[];
}

export interface KongConsumer {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly username?: string | null;
  readonly custom_id?: string | null;
  readonly tags?: readonly string[] | null;
}

/** Kong Enterprise only. */
export interface KongConsumerGroup {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly name?: string;
  readonly tags?: readonly string[] | null;
}

/** Kong Enterprise only. */
export interface KongConsumerGroupMember {
  readonly consumer_group?: KongReference;
  readonly consumer?: KongReference;
}

export interface KongHmacAuthCredential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly username?: string;
  readonly secret?: string;
  readonly tags?: readonly string[] | null;
}

export interface KongJwtCredential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly key?: string;
  readonly secret?: string;
  readonly rsa_public_key?: string | null;
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'PS256' | 'PS384' | 'PS512' | 'EdDSA';
  readonly tags?: readonly string[] | null;
}

export interface KongKey {
  readonly id?: string;
  readonly set?: KongReference | null;
  readonly name?: string | null;
  readonly kid?: string;
  readonly jwk?: string | null;
  readonly pem?: {
    readonly private_key?: string | null;
    readonly public_key?: string | null;
  } | null;
  readonly tags?: readonly string[] | null;
  readonly created_at?: number;
  readonly updated_at?: number;
}

export interface KongKeyAuthCredential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly key?: string;
  readonly tags?: readonly string[] | null;
  readonly ttl?: number;
}

export interface KongKeySet {
  readonly id?: string;
  readonly name?: string | null;
  readonly tags?: readonly string[] | null;
  readonly created_at?: number;
  readonly updated_at?: number;
}

/** Kong Enterprise only. */
export interface KongMtlsAuthCredential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly subject_name?: string;
  readonly ca_certificate?: KongReference | null;
  readonly tags?: readonly string[] | null;
}

export interface KongOauth2Credential {
  readonly id?: string;
  readonly created_at?: number;
  readonly consumer?: KongReference;
  readonly name?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly hash_secret?: boolean;
  readonly redirect_uris?: readonly string[] | null;
  readonly tags?: readonly string[] | null;
  readonly client_type?: 'confidential' | 'public';
}

export interface KongPlugin {
  readonly id?: string;
  readonly name?: string;
  readonly instance_name?: string | null;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly route?: KongReference | null;
  readonly service?: KongReference | null;
  readonly consumer?: KongReference | null;
  readonly config?: JsonObject;
  readonly protocols?: readonly KongProtocol[];
  readonly enabled?: boolean;
  readonly tags?: readonly string[] | null;
  readonly consumer_group?: KongReference | null;
  readonly ordering?: JsonObject | null;
}

export interface KongRoute {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly name?: string | null;
  readonly protocols?: readonly KongProtocol[];
  readonly https_redirect_status_code?: number;
  readonly strip_path?: boolean;
  readonly preserve_host?: boolean;
  readonly request_buffering?: boolean;
  readonly response_buffering?: boolean;
  readonly tags?: readonly string[] | null;
  readonly service?: KongReference | null;
  readonly snis?: readonly string[] | null;
  readonly sources?: readonly KongCidrPort[] | null;
  readonly destinations?: readonly KongCidrPort[] | null;
  readonly methods?: readonly string[] | null;
  readonly hosts?: readonly string[] | null;
  readonly paths?: readonly string[] | null;
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  readonly regex_priority?: number;
  readonly path_handling?: 'v0' | 'v1';
  /** Only with the router flavor `expressions`. */
  readonly expression?: string | null;
  /** Only with the router flavor `expressions`. */
  readonly priority?: number;
}

export interface KongService {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly name?: string | null;
  readonly retries?: number;
  readonly protocol?: KongProtocol;
  readonly host?: string;
  readonly port?: number;
  readonly path?: string | null;
  readonly connect_timeout?: number;
  readonly write_timeout?: number;
  readonly read_timeout?: number;
  readonly tags?: readonly string[] | null;
  readonly client_certificate?: KongReference | null;
  readonly tls_verify?: boolean | null;
  readonly tls_verify_depth?: number | null;
  readonly ca_certificates?: readonly string[] | null;
  readonly enabled?: boolean;
  /** Shorthand for protocol, host, port and path; never stored. */
  readonly url?: string;
}

export interface KongSni {
  readonly id?: string;
  readonly name?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly tags?: readonly string[] | null;
  readonly certificate?: KongReference;
}

export interface KongTarget {
  readonly id?: string;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly upstream?: KongReference;
  readonly target?: string;
  readonly weight?: number;
  readonly tags?: readonly string[] | null;
}

export interface KongUpstream {
  readonly id?: string;
  readonly created_at?: number;
  readonly name?: string;
  readonly updated_at?: number;
  readonly algorithm?: 'consistent-hashing' | 'least-connections' | 'round-robin' | 'latency';
  readonly hash_on?: KongHashInput;
  readonly hash_fallback?: KongHashInput;
  readonly hash_on_header?: string | null;
  readonly hash_fallback_header?: string | null;
  readonly hash_on_cookie?: string | null;
  readonly hash_on_cookie_path?: string;
  readonly hash_on_query_arg?: string | null;
  readonly hash_fallback_query_arg?: string | null;
  readonly hash_on_uri_capture?: string | null;
  readonly hash_fallback_uri_capture?: string | null;
  readonly slots?: number;
  readonly healthchecks?: KongHealthchecks;
  readonly tags?: readonly string[] | null;
  readonly host_header?: string | null;
  readonly client_certificate?: KongReference | null;
  readonly use_srv_name?: boolean;
}

export interface KongVault {
  readonly id?: string;
  readonly prefix?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly config?: JsonObject;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly tags?: readonly string[] | null;
}

/** What the entities of each collection are. */
export interface KongEntityTypes {
  readonly acls: KongAcl;
  readonly basicauth_credentials: KongBasicAuthCredential;
  readonly ca_certificates: KongCaCertificate;
  readonly certificates: KongCertificate;
  readonly consumers: KongConsumer;
  readonly consumer_groups: KongConsumerGroup;
  readonly consumer_group_consumers: KongConsumerGroupMember;
  readonly hmacauth_credentials: KongHmacAuthCredential;
  readonly jwt_secrets: KongJwtCredential;
  readonly keys: KongKey;
  readonly keyauth_credentials: KongKeyAuthCredential;
  readonly key_sets: KongKeySet;
  readonly mtls_auth_credentials: KongMtlsAuthCredential;
  readonly oauth2_credentials: KongOauth2Credential;
  readonly plugins: KongPlugin;
  readonly routes: KongRoute;
  readonly services: KongService;
  readonly snis: KongSni;
  readonly targets: KongTarget;
  readonly upstreams: KongUpstream;
  readonly vaults: KongVault;
}

export type DeclarativeAcl = WithReferences<KongAcl, 'consumer'>;

export type DeclarativeBasicAuthCredential = WithReferences<KongBasicAuthCredential, 'consumer'>;

export type DeclarativeCaCertificate = KongCaCertificate;

export interface DeclarativeCertificate extends Omit<KongCertificate, 'snis'> {
  readonly snis?: readonly DeclarativeSni[];
}

export interface DeclarativeConsumer extends KongConsumer {
  readonly groups?: readonly KongConsumerGroup[];
  readonly keyauth_credentials?: readonly DeclarativeKeyAuthCredential[];
  readonly basicauth_credentials?: readonly DeclarativeBasicAuthCredential[];
  readonly hmacauth_credentials?: readonly DeclarativeHmacAuthCredential[];
  readonly jwt_secrets?: readonly DeclarativeJwtCredential[];
  readonly oauth2_credentials?: readonly DeclarativeOauth2Credential[];
  readonly acls?: readonly DeclarativeAcl[];
  readonly mtls_auth_credentials?: readonly DeclarativeMtlsAuthCredential[];
  readonly plugins?: readonly DeclarativePlugin[];
}

export interface DeclarativeConsumerGroup extends KongConsumerGroup {
  readonly consumers?: readonly KongConsumer[];
  readonly plugins?: readonly DeclarativePlugin[];
}

export type DeclarativeHmacAuthCredential = WithReferences<KongHmacAuthCredential, 'consumer'>;

export type DeclarativeJwtCredential = WithReferences<KongJwtCredential, 'consumer'>;

export type DeclarativeKey = WithReferences<KongKey, 'set'>;

export type DeclarativeKeyAuthCredential = WithReferences<KongKeyAuthCredential, 'consumer'>;

export interface DeclarativeKeySet extends KongKeySet {
  readonly keys?: readonly DeclarativeKey[];
}

export type DeclarativeMtlsAuthCredential = WithReferences<KongMtlsAuthCredential, 'consumer' | 'ca_certificate'>;

export type DeclarativeOauth2Credential = WithReferences<KongOauth2Credential, 'consumer'>;

export interface DeclarativePlugin extends WithReferences<KongPlugin, 'service' | 'route' | 'consumer' | 'consumer_group'> {
  /** An entry of `_plugin_configs` to start from. */
  readonly _config?: string;
}

export interface DeclarativeRoute extends WithReferences<KongRoute, 'service'> {
  readonly plugins?: readonly DeclarativePlugin[];
}

export interface DeclarativeService extends WithReferences<KongService, 'client_certificate'> {
  readonly routes?: readonly DeclarativeRoute[];
  readonly plugins?: readonly DeclarativePlugin[];
}

export type DeclarativeSni = WithReferences<KongSni, 'certificate'>;

export type DeclarativeTarget = WithReferences<KongTarget, 'upstream'>;

export interface DeclarativeUpstream extends WithReferences<KongUpstream, 'client_certificate'> {
  readonly targets?: readonly DeclarativeTarget[];
}

export type DeclarativeVault = KongVault;

/** The lists at the top of a declarative file. */
export interface DeclarativeLists {
  readonly acls?: readonly DeclarativeAcl[];
  readonly basicauth_credentials?: readonly DeclarativeBasicAuthCredential[];
  readonly ca_certificates?: readonly DeclarativeCaCertificate[];
  readonly certificates?: readonly DeclarativeCertificate[];
  readonly consumers?: readonly DeclarativeConsumer[];
  readonly consumer_groups?: readonly DeclarativeConsumerGroup[];
  readonly hmacauth_credentials?: readonly DeclarativeHmacAuthCredential[];
  readonly jwt_secrets?: readonly DeclarativeJwtCredential[];
  readonly keys?: readonly DeclarativeKey[];
  readonly keyauth_credentials?: readonly DeclarativeKeyAuthCredential[];
  readonly key_sets?: readonly DeclarativeKeySet[];
  readonly mtls_auth_credentials?: readonly DeclarativeMtlsAuthCredential[];
  readonly oauth2_credentials?: readonly DeclarativeOauth2Credential[];
  readonly plugins?: readonly DeclarativePlugin[];
  readonly routes?: readonly DeclarativeRoute[];
  readonly services?: readonly DeclarativeService[];
  readonly snis?: readonly DeclarativeSni[];
  readonly targets?: readonly DeclarativeTarget[];
  readonly upstreams?: readonly DeclarativeUpstream[];
  readonly vaults?: readonly DeclarativeVault[];
}
