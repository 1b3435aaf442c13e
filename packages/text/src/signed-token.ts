import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { TextError } from './error.ts';
import { isObject } from './json.ts';

/** A public key that signs tokens, as a JWKS document has it. */
export interface TokenKey {
  readonly id: string | undefined;
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/** What a token says. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** How a signature is checked; `hash` is null where the algorithm brings its own. */
interface SignatureCheck {
  readonly hash: string | null;
  readonly type: string;
  readonly pss?: true;
  readonly curve?: string;
}

/** Only signatures that need the issuer's private key: none with a shared secret, and never `none`. */
const algorithms: ReadonlyMap<unknown, SignatureCheck> = new Map<unknown, SignatureCheck>([
  ['RS256', { hash: 'sha256', type: 'rsa' }],
  ['RS384', { hash: 'sha384', type: 'rsa' }],
  ['RS512', { hash: 'sha512', type: 'rsa' }],
  ['PS256', { hash: 'sha256', type: 'rsa', pss: true }],
  ['PS384', { hash: 'sha384', type: 'rsa', pss: true }],
  ['PS512', { hash: 'sha512', type: 'rsa', pss: true }],
  ['ES256', { hash: 'sha256', type: 'ec', curve: 'prime256v1' }],
  ['ES384', { hash: 'sha384', type: 'ec', curve: 'secp384r1' }],
  ['ES512', { hash: 'sha512', type: 'ec', curve: 'secp521r1' }],
  ['EdDSA', { hash: null, type: 'ed25519' }],
]);

const longestToken = 64 * 1024;
/** More than any issuer has at a time. */
const mostKeys = 100;
/** Longer ones take longer to check than a stranger's word is worth. */
const longestModulus = 8_192;
const largestExponent = 2n ** 33n;

/**
 * The keys of a JWKS document that can sign; those that cannot be read are left out.
 *
 * ```ts
 * tokenKeysOf({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }).length; // 0
 * ```
 */
export function tokenKeysOf(document: unknown): readonly TokenKey[] {
  const keys = isObject(document) && Array.isArray(document.keys) ? document.keys : [];
  return keys.slice(0, mostKeys).flatMap((jwk: unknown): TokenKey[] => {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) return [];
    try {
      const key = createPublicKey({ key: jwk as never, format: 'jwk' });
      if (!isCheap(key)) return [];
      return [{ id: textOf(jwk.kid), algorithm: textOf(jwk.alg), key }];
    } catch {
      return [];
    }
  });
}

/**
 * A JSON Web Token in its compact form, as an OpenID Connect provider signs one.
 *
 * ```ts
 * const isOurs = (text: string, keys: readonly TokenKey[]) => {
 *   const token = SignedToken.parse(text);
 *   return token.isSignedBy(keys) && token.claims.iss === 'https://login.test';
 * };
 * ```
 */
export class SignedToken {
  /** One of those that need a private key. */
  readonly algorithm: string;
  /** Which of the issuer's keys signed it, if it says so. */
  readonly keyId: string | undefined;
  /** Anybody's word, until it is sure who signed it. */
  readonly claims: TokenClaims;
  readonly #check: SignatureCheck;
  readonly #data: Buffer;
  readonly #signature: Buffer;

  /** @throws TextError `WG_TEXT_TOKEN` */
  static parse(text: string): SignedToken {
    const parts = text.length > longestToken ? [] : text.split('.');
    const [head = '', body = '', signature = ''] = parts;
    if (parts.length !== 3) throw refused('it is no JWT');
    const { alg, kid, crit } = decoded(head);
    const check = algorithms.get(alg);
    if (check === undefined) throw refused(`it is signed by ${JSON.stringify(alg)?.slice(0, 50)}`);
    // Who names something critical means it to be refused by those who do not know it.
    if (crit !== undefined) throw refused('it has critical headers');
    return new SignedToken(check, {
      algorithm: String(alg),
      keyId: textOf(kid),
      claims: decoded(body),
      data: Buffer.from(`${head}.${body}`),
      signature: Buffer.from(signature, 'base64url'),
    });
  }

  private constructor(
    check: SignatureCheck,
    parts: {
      readonly algorithm: string;
      readonly keyId: string | undefined;
      readonly claims: TokenClaims;
      readonly data: Buffer;
      readonly signature: Buffer;
    },
  ) {
    this.algorithm = parts.algorithm;
    this.keyId = parts.keyId;
    this.claims = parts.claims;
    this.#check = check;
    this.#data = parts.data;
    this.#signature = parts.signature;
  }

  /** Whether a key may be the one that signed it, by what both say of themselves. */
  isOfKey({ id, algorithm, key }: TokenKey): boolean {
    const { type, curve } = this.#check;
    return (
      (this.keyId === undefined || id === this.keyId) &&
      (algorithm === undefined || algorithm === this.algorithm) &&
      key.asymmetricKeyType === type &&
      (curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve)
    );
  }

  isSignedBy(keys: readonly TokenKey[]): boolean {
    return keys.some((one) => this.isOfKey(one) && this.#isSignedBy(one.key));
  }

  #isSignedBy(key: KeyObject): boolean {
    const { hash, type, pss } = this.#check;
    if (type === 'ec')
      return verify(hash, this.#data, { key, dsaEncoding: 'ieee-p1363' }, this.#signature);
    if (!pss) return verify(hash, this.#data, key, this.#signature);
    // The salt is as long as the hash.
    return verify(hash, this.#data, { key, padding: 6, saltLength: -1 }, this.#signature);
  }
}

function isCheap({ asymmetricKeyDetails: details = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = details;
  return modulusLength <= longestModulus && publicExponent < largestExponent;
}

function decoded(part: string): TokenClaims {
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

function refused(why: string): TextError {
  return new TextError('WG_TEXT_TOKEN', `the token is refused: ${why}`);
}
