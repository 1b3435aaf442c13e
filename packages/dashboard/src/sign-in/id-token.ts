import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isObject } from '@waygate/text';
import { DashboardError } from '../dashboard-error.ts';

/** A key of the provider, as its JWKS has it. */
export interface ProviderKey {
  readonly id: string | undefined;
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

export type Claims = Readonly<Record<string, unknown>>;

/** What an ID token must say. */
export interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

/** Only signatures that need the provider's private key: none with a shared secret, and never `none`. */
const algorithms: Readonly<
  Record<
    string,
    { readonly hash: string; readonly type: string; readonly pss?: true; readonly curve?: string }
  >
> = {
  RS256: { hash: 'sha256', type: 'rsa' },
  RS384: { hash: 'sha384', type: 'rsa' },
  RS512: { hash: 'sha512', type: 'rsa' },
  PS256: { hash: 'sha256', type: 'rsa', pss: true },
  PS384: { hash: 'sha384', type: 'rsa', pss: true },
  PS512: { hash: 'sha512', type: 'rsa', pss: true },
  ES256: { hash: 'sha256', type: 'ec', curve: 'prime256v1' },
  ES384: { hash: 'sha384', type: 'ec', curve: 'secp384r1' },
};

/** How far the clocks of two machines may be apart. */
const leewaySeconds = 60;
const longestToken = 64 * 1024;

/** The keys of a JWKS document that can sign; those that cannot be read are left out. */
export function providerKeys(document: unknown): readonly ProviderKey[] {
  const keys = isObject(document) && Array.isArray(document.keys) ? document.keys : [];
  return keys.flatMap((jwk: unknown): ProviderKey[] => {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) return [];
    try {
      const key = createPublicKey({ key: jwk as never, format: 'jwk' });
      return [{ id: textOf(jwk.kid), algorithm: textOf(jwk.alg), key }];
    } catch {
      return [];
    }
  });
}

/**
 * What a token says, once it is sure who says it: the signature, the issuer, for whom it is, until when,
 * and that it answers the question that this server asked.
 *
 * @throws DashboardError `WG_DASHBOARD_UNAUTHENTICATED`
 */
export function verifiedClaims(
  token: string,
  keys: readonly ProviderKey[],
  expected: ExpectedToken,
): Claims {
  const parts = token.length > longestToken ? [] : token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3) throw refused('it is no JWT');
  const { alg, kid } = decoded(head);
  const algorithm =
    typeof alg === 'string' && Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined;
  if (algorithm === undefined) throw refused(`it is signed by ${JSON.stringify(alg)}`);
  const data = Buffer.from(`${head}.${body}`);
  const isSigned = keys
    .filter(
      ({ id, algorithm: own }) =>
        (kid === undefined || id === kid) && (own === undefined || own === alg),
    )
    .some(({ key }) => isSignedBy(key, algorithm, data, Buffer.from(signature, 'base64url')));
  if (!isSigned) throw refused('its signature is not the provider’s');
  const claims = decoded(body);
  checkClaims(claims, expected);
  return claims;
}

function isSignedBy(
  key: KeyObject,
  { hash, type, pss, curve }: (typeof algorithms)[string],
  data: Buffer,
  signature: Buffer,
): boolean {
  if (key.asymmetricKeyType !== type) return false;
  if (curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== curve) return false;
  if (type === 'ec') return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
  if (!pss) return verify(hash, data, key, signature);
  // The salt is as long as the hash.
  return verify(hash, data, { key, padding: 6, saltLength: -1 }, signature);
}

function checkClaims(claims: Claims, { issuer, clientId, nonce, nowMs }: ExpectedToken): void {
  if (claims.iss !== issuer) throw refused('it is of another issuer');
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (!audience.includes(clientId)) throw refused('it is for somebody else');
  if (audience.length > 1 && claims.azp !== clientId)
    throw refused('it was made for somebody else');
  if (claims.nonce !== nonce) throw refused('it answers another question');
  const now = nowMs / 1_000;
  if (typeof claims.exp !== 'number' || claims.exp + leewaySeconds <= now)
    throw refused('it has ended');
  if (typeof claims.iat === 'number' && claims.iat - leewaySeconds > now)
    throw refused('it is of the future');
  if (typeof claims.nbf === 'number' && claims.nbf - leewaySeconds > now)
    throw refused('it is of the future');
}

function decoded(part: string): Claims {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw refused('it cannot be read');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function refused(why: string): DashboardError {
  return new DashboardError('WG_DASHBOARD_UNAUTHENTICATED', `the ID token is refused: ${why}`);
}
