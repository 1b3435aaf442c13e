import { createHash } from 'node:crypto';
import { isStateObject, type StateObject } from '../rewrite/state-document.ts';
import {
  classAnnotation,
  fieldAnnotations,
  type KicTarget,
  type Manifest,
  manifest,
  textField,
} from './manifest.ts';

/** The lists of credentials in the order of decK, with their types and the fields of a Secret. */
const credentials: readonly (readonly [list: string, type: string, fields: readonly string[]])[] = [
  ['keyauth_credentials', 'key-auth', ['key']],
  ['hmacauth_credentials', 'hmac-auth', ['username', 'secret']],
  ['jwt_secrets', 'jwt', ['key', 'algorithm', 'rsa_public_key', 'secret']],
  ['basicauth_credentials', 'basic-auth', ['username', 'password']],
  [
    'oauth2_credentials',
    'oauth2',
    ['name', 'client_id', 'client_secret', 'client_type', 'hash_secret'],
  ],
  ['acls', 'acl', ['group']],
  ['mtls_auth_credentials', 'mtls-auth', ['subject_name', 'id', 'ca_certificate']],
];

/** A Secret for each credential of a consumer. */
export function credentialSecrets(target: KicTarget, consumer: StateObject): Manifest[] {
  return credentials.flatMap(([list, type, fields]) => {
    const items = consumer[list];
    if (!Array.isArray(items)) return [];
    return items.filter(isStateObject).map((credential, index) => {
      const name = `${type}-${String(consumer.username)}`;
      const data = Object.fromEntries(
        fields.flatMap((field) => {
          const value = credential[field];
          const text = isStateObject(value) ? value.cert : value;
          return text === undefined || text === null ? [] : [[field, String(text)]];
        }),
      );
      return manifest('v1', 'Secret', index === 0 ? name : `${name}-${index + 1}`, {
        annotations: classAnnotation(target),
        ...(target.version === 3 ? { labels: { 'konghq.com/credential': type } } : {}),
        body: {
          type: 'Opaque',
          stringData: target.version === 3 ? data : { kongCredType: type, ...data },
        },
      });
    });
  });
}

/** The Secret of a certificate or, without a key, of a CA. */
export function certificateSecret(
  target: KicTarget,
  kind: 'certificate' | 'ca',
  certificate: StateObject,
): Manifest | undefined {
  const cert = textField(certificate, 'cert');
  const key = textField(certificate, 'key');
  if (cert === undefined || (kind === 'certificate' && key === undefined)) return undefined;
  const digest = createHash('sha256').update(cert).digest('hex');
  const given = textField(certificate, 'cert_digest');
  const annotations = { ...fieldAnnotations(certificate, ['tags']), ...classAnnotation(target) };
  return kind === 'certificate'
    ? manifest('v1', 'Secret', `cert-${digest}`, {
        annotations,
        body: {
          type: 'kubernetes.io/tls',
          stringData: { 'tls.crt': cert, 'tls.key': key as string },
        },
      })
    : manifest('v1', 'Secret', `ca-cert-${digest}`, {
        annotations,
        body: {
          type: 'Opaque',
          stringData: { 'ca.crt': cert, ...(given === undefined ? {} : { 'ca.digest': given }) },
        },
      });
}
