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
  /** What makes a target count as well. */
  readonly healthy?: {
    /** How many good answers make a target well. 0 for none ever. */
    readonly successes?: number;
    /** The statuses of good answers. */
    readonly http_statuses?: readonly number[];
  };
  /** What is watched: answers of HTTP, or connections alone. */
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  /** What makes a target count as ill. */
  readonly unhealthy?: {
    /** How many failed connections make a target ill. 0 for none ever. */
    readonly tcp_failures?: number;
    /** How many answers that did not come in time make a target ill. 0 for none ever. */
    readonly timeouts?: number;
    /** How many bad answers make a target ill. 0 for none ever. */
    readonly http_failures?: number;
    /** The statuses of bad answers. */
    readonly http_statuses?: readonly number[];
  };
}

export interface KongActiveHealthcheck {
  /** Headers of the requests, each with its values. */
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  /** The path that targets are asked for. */
  readonly http_path?: string;
  /** The name to shake hands with. */
  readonly https_sni?: string | null;
  /** What makes a target count as well. */
  readonly healthy?: {
    /** How many seconds pass between two questions to a target that is well. 0 for no questions. */
    readonly interval?: number;
    /** How many good answers make a target well. 0 for none ever. */
    readonly successes?: number;
    /** The statuses of good answers. */
    readonly http_statuses?: readonly number[];
  };
  /** How many targets are asked at the same time. */
  readonly concurrency?: number;
  /** How many seconds a target has to answer. */
  readonly timeout?: number;
  /** What makes a target count as ill. */
  readonly unhealthy?: {
    /** How many failed connections make a target ill. 0 for none ever. */
    readonly tcp_failures?: number;
    /** How many answers that did not come in time make a target ill. 0 for none ever. */
    readonly timeouts?: number;
    /** How many bad answers make a target ill. 0 for none ever. */
    readonly http_failures?: number;
    /** The statuses of bad answers. */
    readonly http_statuses?: readonly number[];
    /** How many seconds pass between two questions to a target that is ill. 0 for no questions. */
    readonly interval?: number;
  };
  /** The protocol in which targets are asked. */
  readonly type?: 'tcp' | 'http' | 'https' | 'grpc' | 'grpcs';
  /** Whether the certificates of targets are verified. */
  readonly https_verify_certificate?: boolean;
}

export interface KongHealthchecks {
  /** Watching how targets answer the requests that they get anyway. */
  readonly passive?: KongPassiveHealthcheck;
  /** Asking targets now and then. */
  readonly active?: KongActiveHealthcheck;
  /** The share of weight, in percent, that must be well for the upstream to take requests at all. */
  readonly threshold?: number;
}

export interface KongCidrPort {
  /** An address, or a range of them in CIDR notation. */
  readonly ip?: string | null;
  /** A port from 0 to 65535. */
  readonly port?: number | null;
}

export interface KongAcl {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that is in the group. */
  readonly consumer?: KongReference;
  /** The group that the consumer is in, as the acl plugin names it. */
  readonly group?: string;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongBasicAuthCredential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that logs in with these. */
  readonly consumer?: KongReference;
  /** The name to log in with. */
  readonly username?: string;
  /** Clear text when written; Kong answers the salted hash. */
  readonly password?: string;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongCaCertificate {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The certificate of an authority, in PEM. Exactly one. */
  readonly cert?: string;
  /** SHA-256 of the certificate's DER form; filled by Kong. */
  readonly cert_digest?: string | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongCertificate {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The certificate in PEM, with those that lead to its authority after it. */
  readonly cert?: string;
  /** The private key of the certificate, in PEM and not encrypted. */
  readonly key?: string;
  /** A second certificate with a key of another kind, RSA or ECDSA, for clients that prefer it. */
  readonly cert_alt?: string | null;
  /** The private key of the second certificate, in PEM and not encrypted. */
  readonly key_alt?: string | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** Names that the Admin API keeps in `snis` entities of their own. */
  readonly snis?: readonly string[];
}

export interface KongConsumer {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The name of the consumer here. A consumer has this or a `custom_id`, or both. */
  readonly username?: string | null;
  /** What the consumer is called elsewhere, as in your own database. */
  readonly custom_id?: string | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

/** Kong Enterprise only. */
export interface KongConsumerGroup {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The name of the group. */
  readonly name?: string;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

/** Kong Enterprise only. */
export interface KongConsumerGroupMember {
  /** The group. */
  readonly consumer_group?: KongReference;
  /** The consumer that is in the group. */
  readonly consumer?: KongReference;
}

export interface KongHmacAuthCredential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that signs with these. */
  readonly consumer?: KongReference;
  /** The name that stands in the signature. */
  readonly username?: string;
  /** The secret to sign with. One is made up when none is given. */
  readonly secret?: string;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongJwtCredential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that the tokens are for. */
  readonly consumer?: KongReference;
  /** What tokens have in the claim that the plugin looks at. One is made up when none is given. */
  readonly key?: string;
  /** The secret that signs tokens of the HS algorithms. One is made up when none is given. */
  readonly secret?: string;
  /** The public key, in PEM, that tokens of the other algorithms are verified with. */
  readonly rsa_public_key?: string | null;
  /** The algorithm that tokens are signed with. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'PS256' | 'PS384' | 'PS512' | 'EdDSA';
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongKey {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** The set that the key is in. */
  readonly set?: KongReference | null;
  /** The name of the key. */
  readonly name?: string | null;
  /** The ID of the key, which is unique in its set. */
  readonly kid?: string;
  /** The key as a JSON Web Key. A key is written so or in `pem`. */
  readonly jwk?: string | null;
  /** The key as a pair in PEM. */
  readonly pem?: {
    /** The private half, in PEM. */
    readonly private_key?: string | null;
    /** The public half, in PEM. */
    readonly public_key?: string | null;
  } | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
}

export interface KongKeyAuthCredential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that this key stands for. */
  readonly consumer?: KongReference;
  /** The key that clients send. One is made up when none is given. */
  readonly key?: string;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  readonly ttl?: number;
}

export interface KongKeySet {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** The name of the set. */
  readonly name?: string | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
}

/** Kong Enterprise only. */
export interface KongMtlsAuthCredential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that this certificate stands for. */
  readonly consumer?: KongReference;
  /** The name that the client's certificate must be for. */
  readonly subject_name?: string;
  /** The authority that must have signed it. Without one, any that the plugin trusts. */
  readonly ca_certificate?: KongReference | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongOauth2Credential {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The consumer that the application belongs to. */
  readonly consumer?: KongReference;
  /** What the application is called. */
  readonly name?: string;
  /** The ID of the application. One is made up when none is given. */
  readonly client_id?: string;
  /** The secret of the application. One is made up when none is given. */
  readonly client_secret?: string;
  /** Whether the secret is stored hashed. */
  readonly hash_secret?: boolean;
  /** Where users may be sent back to. */
  readonly redirect_uris?: readonly string[] | null;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** Whether the application can keep a secret. */
  readonly client_type?: 'confidential' | 'public';
}

export interface KongPlugin {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** The plugin that runs. */
  readonly name?: string;
  /** A name for this one of several configurations of a plugin. */
  readonly instance_name?: string | null;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The route that this belongs to, or applies to alone. Without one it applies to all. */
  readonly route?: KongReference | null;
  /** The service that this belongs to, or applies to alone. Without one it applies to all. */
  readonly service?: KongReference | null;
  /** The consumer that this belongs to, or applies to alone. Without one it applies to all. */
  readonly consumer?: KongReference | null;
  /** What the plugin is told. `/schemas/plugins/NAME` has its fields. */
  readonly config?: JsonObject;
  /** The protocols of requests that this applies to. */
  readonly protocols?: readonly KongProtocol[];
  /** Whether the plugin runs. */
  readonly enabled?: boolean;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  readonly consumer_group?: KongReference | null;
  readonly ordering?: JsonObject | null;
}

export interface KongRoute {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The name of the route. */
  readonly name?: string | null;
  /** The protocols that the route takes requests in. */
  readonly protocols?: readonly KongProtocol[];
  /** The status for requests in plain HTTP when the route takes HTTPS alone. */
  readonly https_redirect_status_code?: number;
  /** Whether the part of the path that matched is taken away before the request goes on. */
  readonly strip_path?: boolean;
  /** Whether the upstream gets the client's `Host`, in place of the service's. */
  readonly preserve_host?: boolean;
  /** Whether a request's body is read before it goes on. */
  readonly request_buffering?: boolean;
  /** Whether an answer's body may be held back while the client is slow. */
  readonly response_buffering?: boolean;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** The service that requests go to. Without one, a plugin has to answer. */
  readonly service?: KongReference | null;
  /** Names of the TLS handshake, one of which must be the client's. */
  readonly snis?: readonly string[] | null;
  /** Where connections may come from, for streams. */
  readonly sources?: readonly KongCidrPort[] | null;
  /** The listeners that connections may have come to, for streams. */
  readonly destinations?: readonly KongCidrPort[] | null;
  /** The methods of HTTP that match. */
  readonly methods?: readonly string[] | null;
  /** The hosts that match. */
  readonly hosts?: readonly string[] | null;
  /** The beginnings of paths that match; after `~`, regular expressions. */
  readonly paths?: readonly string[] | null;
  /** Headers that a request must have, each with one of its values. */
  readonly headers?: Readonly<Record<string, readonly string[]>> | null;
  /** Which of several regular expressions wins: the highest. */
  readonly regex_priority?: number;
  /** How the paths of service and request are joined: `v0` with a slash between them, `v1` as they are. */
  readonly path_handling?: 'v0' | 'v1';
  /** Only with the router flavor `expressions`. */
  readonly expression?: string | null;
  /** Only with the router flavor `expressions`. */
  readonly priority?: number;
}

export interface KongService {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** The name of the service. */
  readonly name?: string | null;
  /** How many more tries there are after a failed one. */
  readonly retries?: number;
  /** The protocol in which the upstream is spoken to. */
  readonly protocol?: KongProtocol;
  /** The upstream: the name of an upstream entity, a host name or an address. */
  readonly host?: string;
  /** The port of the upstream. */
  readonly port?: number;
  /** What is put before the path of each request. */
  readonly path?: string | null;
  /** How long a connection may take to open, in milliseconds. */
  readonly connect_timeout?: number;
  /** How long may pass between two writes of a request, in milliseconds. */
  readonly write_timeout?: number;
  /** How long may pass between two reads of an answer, in milliseconds. */
  readonly read_timeout?: number;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** The certificate that is shown to upstreams that ask for one. */
  readonly client_certificate?: KongReference | null;
  /** Whether the upstream's certificate is verified. */
  readonly tls_verify?: boolean | null;
  /** How many certificates may stand between the upstream's and its authority. */
  readonly tls_verify_depth?: number | null;
  /** The authorities that the upstream's certificate is verified by. */
  readonly ca_certificates?: readonly string[] | null;
  /** Whether requests reach the service. Routes of one that is off match nothing. */
  readonly enabled?: boolean;
  /** Shorthand for protocol, host, port and path; never stored. */
  readonly url?: string;
}

export interface KongSni {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** The host name that the certificate is served for. Its first or last label may be `*`. */
  readonly name?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** The certificate that is served. */
  readonly certificate?: KongReference;
}

export interface KongTarget {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970, to the millisecond. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970, to the millisecond. Set by the gateway. */
  readonly updated_at?: number;
  /** The upstream that this is a target of. */
  readonly upstream?: KongReference;
  /** A host name or an address, with a port. Without one it is 8000. */
  readonly target?: string;
  /** The share of requests, beside the other targets' weights. 0 for none. */
  readonly weight?: number;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
}

export interface KongUpstream {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** The name that services have as their `host`. */
  readonly name?: string;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** How targets are chosen. */
  readonly algorithm?: 'consistent-hashing' | 'least-connections' | 'round-robin' | 'latency';
  /** What sends a request to the same target again, for consistent hashing. */
  readonly hash_on?: KongHashInput;
  /** The same, for requests that have nothing of what `hash_on` asks for. */
  readonly hash_fallback?: KongHashInput;
  /** The header that is hashed, where `hash_on` is `header`. */
  readonly hash_on_header?: string | null;
  /** The header that is hashed, where `hash_fallback` is `header`. */
  readonly hash_fallback_header?: string | null;
  /** The cookie that is hashed; the gateway sets one for clients that have none. */
  readonly hash_on_cookie?: string | null;
  /** The path of the cookie that the gateway sets. */
  readonly hash_on_cookie_path?: string;
  /** The argument of the query that is hashed, where `hash_on` is `query_arg`. */
  readonly hash_on_query_arg?: string | null;
  /** The argument of the query that is hashed, where `hash_fallback` is `query_arg`. */
  readonly hash_fallback_query_arg?: string | null;
  /** The group of the route's regular expression that is hashed, where `hash_on` is `uri_capture`. */
  readonly hash_on_uri_capture?: string | null;
  /** The group of the route's regular expression that is hashed, where `hash_fallback` is `uri_capture`. */
  readonly hash_fallback_uri_capture?: string | null;
  /** How fine the ring of consistent hashing is. */
  readonly slots?: number;
  /** How targets are found to be well or ill. */
  readonly healthchecks?: KongHealthchecks;
  /** Labels to group and filter entities by. */
  readonly tags?: readonly string[] | null;
  /** The `Host` that targets get, unless the route keeps the client's. */
  readonly host_header?: string | null;
  /** The certificate that is shown to upstreams that ask for one. */
  readonly client_certificate?: KongReference | null;
  /** Whether the name in an SRV record becomes the `Host`. */
  readonly use_srv_name?: boolean;
}

export interface KongVault {
  /** The UUID of this entity. One is made up when none is given. */
  readonly id?: string;
  /** The name of this vault in references: `{vault://PREFIX/…}`. */
  readonly prefix?: string;
  /** The kind of vault, such as `env`. */
  readonly name?: string;
  /** What this vault is for, in your own words. */
  readonly description?: string | null;
  /** What the vault is told. `/schemas/vaults/NAME` has its fields. */
  readonly config?: JsonObject;
  /** When this was created, in seconds since 1970. Set by the gateway. */
  readonly created_at?: number;
  /** When this was last changed, in seconds since 1970. Set by the gateway. */
  readonly updated_at?: number;
  /** Labels to group and filter entities by. */
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
