import { type Secret, secretKeys, secretText } from '../objects/secret.ts';
import { parseBoolean, parseInteger } from './annotations.ts';
import type { ConsumerEntity, CredentialEntity } from './kong-state.ts';
import { tagsOf } from './tags.ts';

type CredentialType =
  | 'acl'
  | 'basic-auth'
  | 'hmac-auth'
  | 'jwt'
  | 'key-auth'
  | 'mtls-auth'
  | 'oauth2';

type CredentialField = Exclude<
  keyof ConsumerEntity,
  'id' | 'username' | 'custom_id' | 'tags' | 'groups'
>;

interface CredentialKind {
  /** Where a consumer holds them. */
  readonly collection: CredentialField;
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** How problems name the type; the original's spelling. */
  readonly label: string;
  /** The field whose value may appear once in a gateway, or with a consumer, and the rule's name. */
  readonly unique: {
    readonly field: string;
    readonly index: string;
    readonly isPerConsumer?: true;
  };
}

export const credentialKinds: Readonly<Record<CredentialType, CredentialKind>> = {
  'key-auth': {
    collection: 'keyauth_credentials',
    fields: ['key', 'ttl'],
    required: ['key'],
    label: 'key-auth',
    unique: { field: 'key', index: "key-auth on 'key'" },
  },
  'basic-auth': {
    collection: 'basicauth_credentials',
    fields: ['username', 'password'],
    required: ['username'],
    label: 'basic-auth',
    unique: { field: 'username', index: "basic-auth on 'username'" },
  },
  'hmac-auth': {
    collection: 'hmacauth_credentials',
    fields: ['username', 'secret'],
    required: ['username'],
    label: 'hmac-auth',
    unique: { field: 'username', index: "hmac-auth on 'username'" },
  },
  jwt: {
    collection: 'jwt_secrets',
    fields: ['algorithm', 'key', 'rsa_public_key', 'secret'],
    required: ['key'],
    label: 'jwt-auth for',
    unique: { field: 'key', index: "jwt-auth on 'key'" },
  },
  oauth2: {
    collection: 'oauth2_credentials',
    fields: ['name', 'client_id', 'client_secret', 'redirect_uris', 'hash_secret', 'client_type'],
    required: ['client_id', 'name'],
    label: 'oauth2',
    unique: { field: 'client_id', index: "oauth2-credentials on 'client_id'" },
  },
  acl: {
    collection: 'acls',
    fields: ['group'],
    required: ['group'],
    label: 'acl',
    unique: { field: 'group', index: "acl on 'group'", isPerConsumer: true },
  },
  'mtls-auth': {
    collection: 'mtls_auth_credentials',
    fields: ['subject_name'],
    required: ['subject_name'],
    label: 'mtls-auth',
    unique: { field: 'subject_name', index: "mtls-auth on 'subject_name'" },
  },
};

export function isCredentialType(text: string): text is CredentialType {
  return Object.hasOwn(credentialKinds, text);
}

export const credentialLabel = 'konghq.com/credential';

/** A credential made from a Secret, or why there is none; notes are mistakes that leave a field out. */
export function credentialFromSecret(
  type: CredentialType,
  secret: Secret,
):
  | { readonly entity: CredentialEntity; readonly notes: readonly string[] }
  | { readonly error: string; readonly notes: readonly string[] } {
  const kind = credentialKinds[type];
  const notes: string[] = [];
  const entity: CredentialEntity = {};
  for (const key of secretKeys(secret)) {
    if (!kind.fields.includes(key)) continue;
    const text = secretText(secret, key) ?? '';
    if (key === 'redirect_uris') {
      entity[key] = text.split(',');
    } else if (key === 'hash_secret') {
      const value = parseBoolean(text);
      if (value === undefined)
        notes.push(
          `Failed to parse hash_secret to bool: strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax. defaulting to false`,
        );
      entity[key] = value ?? false;
    } else if (key === 'ttl') {
      const value = parseInteger(text);
      if (value === undefined)
        notes.push(
          `Failed to parse ttl to int: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax, skipfilling the field`,
        );
      else entity[key] = value;
    } else {
      entity[key] = text;
    }
  }
  const missing = kind.required.find((field) => entity[field] === undefined);
  if (missing !== undefined) return { error: `${kind.label} is invalid: no ${missing}`, notes };
  if (type === 'jwt' && !entity.algorithm) entity.algorithm = 'HS256';
  entity.tags = tagsOf(secret);
  return { entity, notes };
}
