import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';

/** A signed request, as RFC 7515 writes it in JSON. */
interface SignedRequest {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

const encode = (value: string | Buffer): string => Buffer.from(value).toString('base64url');

/** The key that an account with an authority is known by. */
export class AccountKey {
  readonly #key: KeyObject;
  /** The public half; its members are in the order that the thumbprint is made of. */
  readonly publicKey: { readonly crv: string; readonly kty: string; x: string; y: string };

  private constructor(key: KeyObject) {
    this.#key = key;
    const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
    this.publicKey = { crv: 'P-256', kty: 'EC', x, y };
  }

  static generate(): AccountKey {
    return new AccountKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  }

  static parse(pem: string): AccountKey {
    return new AccountKey(createPrivateKey(pem));
  }

  get pem(): string {
    return String(this.#key.export({ format: 'pem', type: 'pkcs8' }));
  }

  /** What proves that who answers a challenge is who asked for it. */
  authorizationOf(token: string): string {
    const digest = createHash('sha256').update(JSON.stringify(this.publicKey)).digest('base64url');
    return `${token}.${digest}`;
  }

  /** Signs a request to a URL; the first of an account carries the key, all others name the account. */
  sign(url: string, nonce: string, payload: object | '', account?: string): SignedRequest {
    const who = account === undefined ? { jwk: this.publicKey } : { kid: account };
    const head = encode(JSON.stringify({ alg: 'ES256', ...who, nonce, url }));
    const body = payload === '' ? '' : encode(JSON.stringify(payload));
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), {
      key: this.#key,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url');
    return { protected: head, payload: body, signature };
  }

  /** Shows that an account of the authority's own customers stands behind this key. */
  bindTo(url: string, keyId: string, secret: string): SignedRequest {
    const head = encode(JSON.stringify({ alg: 'HS256', kid: keyId, url }));
    const body = encode(JSON.stringify(this.publicKey));
    const signature = createHmac('sha256', Buffer.from(secret, 'base64url'))
      .update(`${head}.${body}`)
      .digest('base64url');
    return { protected: head, payload: body, signature };
  }
}
