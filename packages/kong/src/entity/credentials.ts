import type { KongEntityBase, KongReference } from './entities.ts';

/** What every credential has: the consumer that it belongs to. */
export interface KongCredentialBase extends KongEntityBase {
  readonly consumer?: KongReference;
}

export interface KongKeyAuthCredential extends KongCredentialBase {
  readonly key?: string;
  readonly ttl?: number;
}

export interface KongBasicAuthCredential extends KongCredentialBase {
  readonly username?: string;
  /** Clear text when written; Kong answers the salted hash. */
  readonly password?: string;
}

export interface KongHmacAuthCredential extends KongCredentialBase {
  readonly username?: string;
  readonly secret?: string;
}

export interface KongJwtCredential extends KongCredentialBase {
  readonly key?: string;
  readonly secret?: string;
  readonly algorithm?: string;
  readonly rsa_public_key?: string | null;
}

export interface KongOauth2Credential extends KongCredentialBase {
  readonly name?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_type?: 'confidential' | 'public';
  readonly hash_secret?: boolean;
  readonly redirect_uris?: readonly string[] | null;
}

export interface KongAcl extends KongCredentialBase {
  readonly group?: string;
}

/** Kong Enterprise only. */
export interface KongMtlsAuthCredential extends KongCredentialBase {
  readonly subject_name?: string;
  readonly ca_certificate?: KongReference | null;
}
