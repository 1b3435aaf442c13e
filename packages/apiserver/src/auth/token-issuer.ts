import type { UserInfo } from '../access/user.ts';
import type { Core } from '../core/core.ts';
import { type TokenKeySource, TokenKeys } from './token-keys.ts';

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Who signs the tokens of service accounts, in whose name, and for whom. */
export interface TokenIssuerOptions extends TokenKeySource {
  /** The first signs; tokens in the name of the others are good, too. */
  readonly issuers?: readonly string[];
  /** Whom tokens are for when nobody says; the issuers unless told otherwise. */
  readonly audiences?: readonly string[];
}

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

/** Signs and checks the tokens of service accounts. */
export class TokenIssuer {
  readonly #core: Core;
  readonly #keys: TokenKeys;
  readonly #issuers: readonly string[];
  /** Whom tokens are for when nobody says. */
  readonly audiences: readonly string[];

  constructor(core: Core, options: TokenIssuerOptions) {
    this.#core = core;
    this.#keys = new TokenKeys(options);
    const { issuers = [], audiences = [] } = options;
    this.#issuers = issuers.length === 0 ? [defaultIssuer] : issuers;
    this.audiences = audiences.length === 0 ? this.#issuers : audiences;
  }

  /** In whose name tokens are signed. */
  get issuer(): string {
    return this.#issuers[0] as string;
  }

  sign(claims: Omit<TokenClaims, 'iss'>): string {
    return this.#keys.sign({ ...claims, iss: this.issuer });
  }

  /** Whether a token was made for this server. */
  isForUs(claims: TokenClaims): boolean {
    return claims.aud.some((audience) => this.audiences.includes(audience));
  }

  /** A token is good while it is signed by us, in time, and its account and what it is bound to are there. */
  check(token: string): TokenCheck {
    const [header = '', payload = '', signature = ''] = token.split('.');
    if (signature === '' || token.length > 64 * 1024) return { kind: 'invalid' };
    const bytes = Buffer.from(signature, 'base64url');
    if (!this.#keys.isSignedByUs(`${header}.${payload}`, bytes)) return { kind: 'invalid' };
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenClaims;
    if (!this.#issuers.includes(claims.iss)) return { kind: 'invalid' };
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

  /** The ways in which tokens may be signed. */
  methods(): string[] {
    return this.#keys.methods();
  }

  /** The key set that others check tokens with. */
  keySet(): unknown {
    return this.#keys.keySet();
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
