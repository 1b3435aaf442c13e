import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWholeFile } from '@waygate/text';
import type { UserInfo } from '../access/user.ts';
import type { Core } from '../core/core.ts';

export const issuer = 'https://kubernetes.default.svc.cluster.local';

export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly iat: number;
  readonly nbf: number;
  readonly iss: string;
  readonly jti: string;
  readonly sub: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    /** Of a token that is bound to a pod, where the pod runs; else what the token is bound to. */
    readonly node?: { readonly name: string; readonly uid?: string };
  };
}

/** How far the clocks of those who sign and those who check may differ. */
const leewaySeconds = 60;

type TokenCheck =
  | { readonly kind: 'valid'; readonly user: UserInfo; readonly claims: TokenClaims }
  | { readonly kind: 'invalid' };

/** Signs and checks the tokens of service accounts. The key is made when it is first needed. */
export class TokenIssuer {
  readonly #core: Core;
  readonly #keyFile: string | undefined;
  #key: KeyObject | undefined;

  constructor(core: Core, keyFile: string | undefined) {
    this.#core = core;
    this.#keyFile = keyFile;
  }

  sign(claims: TokenClaims): string {
    const header = base64({ alg: 'RS256', kid: this.keyId() });
    const body = `${header}.${base64(claims)}`;
    const signature = createSign('RSA-SHA256')
      .update(body)
      .sign(this.#privateKey())
      .toString('base64url');
    return `${body}.${signature}`;
  }

  /** A token is good while it is signed by us, in time, and its account and what it is bound to are there. */
  check(token: string): TokenCheck {
    const [header = '', payload = '', signature = ''] = token.split('.');
    if (signature === '' || token.length > 64 * 1024) return { kind: 'invalid' };
    const isOurs = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(createPublicKey(this.#privateKey()), Buffer.from(signature, 'base64url'));
    if (!isOurs) return { kind: 'invalid' };
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenClaims;
    const now = this.#core.now() / 1000;
    if (claims.exp !== undefined && claims.exp < now) return { kind: 'invalid' };
    if (claims.nbf > now + leewaySeconds) return { kind: 'invalid' };
    const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io'];
    const isGood =
      this.#isThere('serviceaccounts', `${namespace}/${serviceaccount.name}`, serviceaccount.uid) &&
      (secret === undefined ||
        this.#isThere('secrets', `${namespace}/${secret.name}`, secret.uid)) &&
      (pod === undefined || this.#isThere('pods', `${namespace}/${pod.name}`, pod.uid)) &&
      (pod !== undefined ||
        node === undefined ||
        this.#isThere('nodes', node.name, node.uid ?? ''));
    return isGood ? { kind: 'valid', claims, user: userOf(claims) } : { kind: 'invalid' };
  }

  /** What is on its way out counts as gone a little after it should have left. */
  #isThere(collection: string, key: string, uid: string): boolean {
    const metadata = this.#core.store.get(collection, key)?.object.metadata;
    if (metadata === undefined || metadata.uid !== uid) return false;
    if (metadata.deletionTimestamp === undefined) return true;
    const leftAt = Date.parse(metadata.deletionTimestamp);
    return leftAt >= this.#core.now() - leewaySeconds * 1000;
  }

  keyId(): string {
    const der = createPublicKey(this.#privateKey()).export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(der).digest('base64url');
  }

  /** The key set that others check tokens with. */
  keySet(): unknown {
    const { kty, n, e } = createPublicKey(this.#privateKey()).export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty, kid: this.keyId(), alg: 'RS256', n, e }] };
  }

  #privateKey(): KeyObject {
    if (this.#key !== undefined) return this.#key;
    if (this.#keyFile !== undefined && existsSync(this.#keyFile)) {
      this.#key = createPrivateKey(readFileSync(this.#keyFile));
      return this.#key;
    }
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    if (this.#keyFile !== undefined) {
      // What it signs must be good after a restart: without the file there is no key.
      mkdirSync(dirname(this.#keyFile), { recursive: true, mode: 0o700 });
      writeWholeFile(this.#keyFile, String(key.export({ type: 'pkcs8', format: 'pem' })));
    }
    this.#key = key;
    return key;
  }
}

function userOf(claims: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const prefix = 'authentication.kubernetes.io';
  return {
    username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
    extra: {
      [`${prefix}/credential-id`]: [`JTI=${claims.jti}`],
      ...(node === undefined ? {} : { [`${prefix}/node-name`]: [node.name] }),
      ...(node?.uid === undefined ? {} : { [`${prefix}/node-uid`]: [node.uid] }),
      ...(pod === undefined
        ? {}
        : { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] }),
    },
  };
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
