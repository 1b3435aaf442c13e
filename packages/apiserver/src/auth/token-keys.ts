import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWholeFile } from '@waygate/text';

/** Where the keys of service account tokens come from. */
export interface TokenKeySource {
  /** PEM; without it, a key is made when it is first needed. */
  readonly signingKey?: string;
  /** PEMs of further keys or certificates whose tokens are good. */
  readonly checkingKeys?: readonly string[];
  /** Where a key that was made is kept, so that what it signs is good after a restart. */
  readonly file?: string;
}

interface SigningMethod {
  readonly name: string;
  readonly digest: string;
}

const curveMethods: Readonly<Record<string, SigningMethod>> = {
  prime256v1: { name: 'ES256', digest: 'sha256' },
  secp384r1: { name: 'ES384', digest: 'sha384' },
  secp521r1: { name: 'ES512', digest: 'sha512' },
};
const rsaMethod: SigningMethod = { name: 'RS256', digest: 'sha256' };

function methodOf(key: KeyObject): SigningMethod {
  return curveMethods[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? rsaMethod;
}

/** The keys that sign tokens and those that check them. */
export class TokenKeys {
  readonly #source: TokenKeySource;
  #signing: KeyObject | undefined;
  #checking: readonly KeyObject[] | undefined;

  constructor(source: TokenKeySource) {
    this.#source = source;
  }

  /** Header, claims and signature, in the compact form. */
  sign(claims: unknown): string {
    const key = this.#signingKey();
    const { name, digest } = methodOf(key);
    const body = `${base64({ alg: name, kid: keyId(createPublicKey(key)) })}.${base64(claims)}`;
    const signature = sign(digest, Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' });
    return `${body}.${signature.toString('base64url')}`;
  }

  /** Whether one of the keys signed it. */
  isSignedByUs(body: string, signature: Buffer): boolean {
    return this.#checkingKeys().some((key) =>
      verify(
        methodOf(key).digest,
        Buffer.from(body),
        { key, dsaEncoding: 'ieee-p1363' },
        signature,
      ),
    );
  }

  /** The ways in which tokens may be signed. */
  methods(): string[] {
    return [...new Set(this.#checkingKeys().map((key) => methodOf(key).name))].sort();
  }

  /** The key set that others check tokens with. */
  keySet(): { readonly keys: readonly JsonWebKey[] } {
    const keys = this.#checkingKeys().map((key) => {
      const { kty, n, e, crv, x, y } = key.export({ format: 'jwk' });
      const body = kty === 'EC' ? { crv, x, y } : { n, e };
      return { use: 'sig', kty, kid: keyId(key), alg: methodOf(key).name, ...body };
    });
    return { keys: keys as JsonWebKey[] };
  }

  #checkingKeys(): readonly KeyObject[] {
    if (this.#checking !== undefined) return this.#checking;
    const own = createPublicKey(this.#signingKey());
    const further = (this.#source.checkingKeys ?? []).map((pem) => createPublicKey(pem));
    this.#checking = [own, ...further.filter((key) => !key.equals(own))];
    return this.#checking;
  }

  #signingKey(): KeyObject {
    this.#signing ??= this.#readOrMake();
    return this.#signing;
  }

  #readOrMake(): KeyObject {
    const { signingKey, file } = this.#source;
    if (signingKey !== undefined) return createPrivateKey(signingKey);
    if (file !== undefined && existsSync(file)) return createPrivateKey(readFileSync(file));
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    if (file !== undefined) {
      // What it signs must be good after a restart: without the file there is no key.
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeWholeFile(file, String(key.export({ type: 'pkcs8', format: 'pem' })));
    }
    return key;
  }
}

function keyId(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64url');
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
