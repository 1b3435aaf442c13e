import { type Secret, secretText } from '../objects/secret.ts';
import { credentialLabel } from '../translate/credentials.ts';

/** What an admission review answers: yes, or no with a reason that helps. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly message: string;
  /** Shown to the user also when the answer is yes. */
  readonly warnings?: readonly string[];
}

export const allowed: Verdict = { isAllowed: true, message: '' };

export function denied(message: string): Verdict {
  return { isAllowed: false, message };
}

/** The fields that each type of credential must have, in the order in which they are reported. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  'key-auth': ['key'],
  'basic-auth': ['username', 'password'],
  'hmac-auth': ['username', 'secret'],
  jwt: ['algorithm', 'rsa_public_key', 'key', 'secret'],
  oauth2: ['name', 'client_id', 'client_secret', 'redirect_uris'],
  acl: ['group'],
  'mtls-auth': ['subject_name'],
};

/** Names of the underlying entities, which the 0.8 webhook took for types too. */
const legacyAliases: Readonly<Record<string, string>> = {
  keyauth_credential: 'key-auth',
  basicauth_credential: 'basic-auth',
  hmacauth_credential: 'hmac-auth',
  jwt_secret: 'jwt',
};

/** A Secret that is labelled as a credential has a known type and all its fields, none empty. */
export function validateCredentialSecret(secret: Secret): Verdict {
  const type = secret.metadata.labels?.[credentialLabel];
  if (type === undefined) return allowed;
  const fail = (text: string) => denied(`consumer credential failed validation: ${text}`);
  if (!Object.hasOwn(requiredFields, type)) return fail(`invalid credential type ${type}`);
  const needless = type === 'jwt' ? needlessKey(secretText(secret, 'algorithm') ?? '') : '';
  const fields = requiredFields[type]!.filter((field) => field !== needless);
  const missing = fields.filter((field) => secretText(secret, field) === undefined);
  if (missing.length > 0) return fail(`missing required field(s): ${missing.join(', ')}`);
  const empty = fields.filter((field) => secretText(secret, field) === '');
  if (empty.length > 0)
    return fail(`some fields were invalid due to missing data: ${empty.join(', ')}`);
  return allowed;
}

/** An algorithm works with a shared secret or with a public key, and needs no other. */
function needlessKey(algorithm: string): string {
  if (/^HS(?:256|384|512)$/u.test(algorithm)) return 'rsa_public_key';
  return /^(?:RS|ES|PS)(?:256|384|512)$|^EdDSA$/u.test(algorithm) ? 'secret' : '';
}

/** The rules of 0.8: the type is a value of the Secret, and a field only has to be there. */
export function validateLegacyCredentialSecret(secret: Secret): Verdict {
  const named = secretText(secret, 'kongCredType');
  if (named === undefined) return allowed;
  const type = Object.hasOwn(legacyAliases, named) ? legacyAliases[named]! : named;
  if (!Object.hasOwn(requiredFields, type) || type === 'mtls-auth')
    return denied(`invalid credential type: ${named}`);
  const missing = requiredFields[type]!.filter((field) => secretText(secret, field) === undefined);
  if (missing.length === 0) return allowed;
  return denied(`missing required field(s): ${missing.join(', ')}`);
}
