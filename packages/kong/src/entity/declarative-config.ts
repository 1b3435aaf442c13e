import type {
  KongAcl,
  KongBasicAuthCredential,
  KongHmacAuthCredential,
  KongJwtCredential,
  KongKeyAuthCredential,
  KongMtlsAuthCredential,
  KongOauth2Credential,
} from './credentials.ts';
import type {
  JsonObject,
  KongCaCertificate,
  KongCertificate,
  KongConsumer,
  KongConsumerGroup,
  KongKey,
  KongKeySet,
  KongPlugin,
  KongReference,
  KongRoute,
  KongService,
  KongSni,
  KongTarget,
  KongUpstream,
  KongVault,
} from './entities.ts';

/** In a declarative file a foreign key may be written as a name or id, or as an object. */
export type DeclarativeReference = string | KongReference | null;

type WithReferences<Entity, Field extends string> = Omit<Entity, Field> & {
  readonly [field in Field]?: DeclarativeReference;
};

export interface DeclarativePlugin
  extends WithReferences<KongPlugin, 'service' | 'route' | 'consumer' | 'consumer_group'> {
  /** The name of an entry of `_plugin_configs` that the configuration starts from. */
  readonly _config?: string;
}

export interface DeclarativeRoute extends WithReferences<KongRoute, 'service'> {
  readonly plugins?: readonly DeclarativePlugin[];
}

export interface DeclarativeService extends WithReferences<KongService, 'client_certificate'> {
  readonly routes?: readonly DeclarativeRoute[];
  readonly plugins?: readonly DeclarativePlugin[];
}

export interface DeclarativeUpstream extends WithReferences<KongUpstream, 'client_certificate'> {
  readonly targets?: readonly WithReferences<KongTarget, 'upstream'>[];
}

export interface DeclarativeCertificate extends Omit<KongCertificate, 'snis'> {
  readonly snis?: readonly WithReferences<KongSni, 'certificate'>[];
}

/** Credentials by the names that Kong's tables have, for nesting in a consumer. */
export interface DeclarativeCredentials {
  readonly keyauth_credentials?: readonly WithReferences<KongKeyAuthCredential, 'consumer'>[];
  readonly basicauth_credentials?: readonly WithReferences<KongBasicAuthCredential, 'consumer'>[];
  readonly hmacauth_credentials?: readonly WithReferences<KongHmacAuthCredential, 'consumer'>[];
  readonly jwt_secrets?: readonly WithReferences<KongJwtCredential, 'consumer'>[];
  readonly oauth2_credentials?: readonly WithReferences<KongOauth2Credential, 'consumer'>[];
  readonly acls?: readonly WithReferences<KongAcl, 'consumer'>[];
  readonly mtls_auth_credentials?: readonly WithReferences<KongMtlsAuthCredential, 'consumer'>[];
}

export interface DeclarativeConsumer extends KongConsumer, DeclarativeCredentials {
  readonly plugins?: readonly DeclarativePlugin[];
  readonly groups?: readonly { readonly name?: string; readonly id?: string }[];
}

export interface DeclarativeConsumerGroup extends KongConsumerGroup {
  readonly plugins?: readonly DeclarativePlugin[];
  readonly consumers?: readonly KongConsumer[];
}

export interface DeclarativeKeySet extends KongKeySet {
  readonly keys?: readonly WithReferences<KongKey, 'set'>[];
}

/** What a file says on itself. */
export interface DeclarativeInfo {
  readonly select_tags?: readonly string[];
  /** Values for fields that an entity of the file leaves open; they win over Kong's own defaults. */
  readonly defaults?: {
    readonly service?: KongService;
    readonly route?: KongRoute;
    readonly upstream?: KongUpstream;
    readonly target?: KongTarget;
    readonly [kind: string]:
      | JsonObject
      | KongService
      | KongRoute
      | KongUpstream
      | KongTarget
      | undefined;
  };
  /** Tags of entities of other owners that may be referred to, but are not managed. */
  readonly default_lookup_tags?: Readonly<Record<string, readonly string[]>>;
}

/**
 * A declarative configuration, as `POST /config` takes it and decK's files hold it: entities flat by
 * collection with foreign keys, or nested under their parents, or both.
 *
 * @example
 * const configuration: DeclarativeConfig = {
 *   _format_version: '3.0',
 *   services: [{ name: 'shop', host: 'shop.internal', routes: [{ name: 'shop', paths: ['/shop'] }] }],
 * };
 */
export interface DeclarativeConfig extends DeclarativeCredentials {
  readonly _format_version?: '1.1' | '2.1' | '3.0';
  readonly _transform?: boolean;
  readonly _comment?: string;
  readonly _ignore?: readonly unknown[];
  readonly _info?: DeclarativeInfo;
  readonly _workspace?: string;
  readonly _plugin_configs?: Readonly<Record<string, JsonObject>>;
  readonly services?: readonly DeclarativeService[];
  readonly routes?: readonly DeclarativeRoute[];
  readonly upstreams?: readonly DeclarativeUpstream[];
  readonly targets?: readonly WithReferences<KongTarget, 'upstream'>[];
  readonly consumers?: readonly DeclarativeConsumer[];
  readonly consumer_groups?: readonly DeclarativeConsumerGroup[];
  readonly plugins?: readonly DeclarativePlugin[];
  readonly certificates?: readonly DeclarativeCertificate[];
  readonly snis?: readonly WithReferences<KongSni, 'certificate'>[];
  readonly ca_certificates?: readonly KongCaCertificate[];
  readonly vaults?: readonly KongVault[];
  readonly keys?: readonly WithReferences<KongKey, 'set'>[];
  readonly key_sets?: readonly DeclarativeKeySet[];
}
