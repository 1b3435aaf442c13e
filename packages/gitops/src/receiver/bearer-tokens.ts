import type { Clock } from '@waygate/runtime';
import { SignedToken, TextError, type TokenClaims } from '@waygate/text';
import type { ReceiverSpec } from '../api/notification-objects.ts';
import type { SecretData } from '../api/secret-data.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { claimsRefusal } from './oidc-claims.ts';

interface BearerTokensOptions {
  readonly clock: Clock;
  /** Who signs what Google's Pub/Sub pushes. Google. */
  readonly googleIssuer?: string | undefined;
  /** How long an issuer has to answer. 10 s. */
  readonly issuerTimeoutMs?: number | undefined;
}

/** What came of a request's bearer token. */
type Authenticated =
  | { readonly refusal: string; readonly claims?: undefined }
  | { readonly refusal?: undefined; readonly claims: TokenClaims };

/** What a token must say, besides what its issuer's configuration asks for. */
interface Expected {
  /** Where the issuer's keys are found. */
  readonly issuerUrl: string;
  readonly audience: string;
}

const defaultAudience = 'notification-controller';
/** How far the clock of an issuer may be ahead. */
const leewaySeconds = 300;

/** Checks the tokens by which others prove who posts, for the types of receivers that ask for one. */
export class BearerTokens {
  readonly #clock: Clock;
  readonly #googleIssuer: string;
  readonly #keys: IssuerKeys;

  constructor({
    clock,
    googleIssuer = 'https://accounts.google.com',
    issuerTimeoutMs,
  }: BearerTokensOptions) {
    this.#clock = clock;
    this.#googleIssuer = googleIssuer;
    this.#keys = new IssuerKeys({ clock, timeoutMs: issuerTimeoutMs });
  }

  /**
   * Whether who posts may; undefined for types of receivers that take no such tokens.
   *
   * @throws IssuerUnavailable when that cannot be found out now
   */
  async authenticate(
    spec: ReceiverSpec,
    authorization: string | undefined,
    secret: SecretData | undefined,
  ): Promise<Authenticated | undefined> {
    if (spec.type !== 'generic-oidc' && spec.type !== 'gcr') return undefined;
    const text = /^Bearer (.*)$/.exec(authorization ?? '')?.[1]?.trim() ?? '';
    if (text === '') return { refusal: 'the header Authorization has no bearer token' };
    let token: SignedToken;
    try {
      token = SignedToken.parse(text);
    } catch (error) {
      if (error instanceof TextError) return { refusal: error.message };
      throw error;
    }
    const refusal =
      spec.type === 'gcr'
        ? await this.#googleRefusal(token, secret)
        : await this.#oidcRefusal(token, spec);
    return refusal === undefined ? { claims: token.claims } : { refusal };
  }

  close(): void {
    this.#keys.close();
  }

  async #oidcRefusal(token: SignedToken, spec: ReceiverSpec): Promise<string | undefined> {
    const provider = spec.oidcProviders?.find(({ issuerURL }) => issuerURL === token.claims.iss);
    if (provider === undefined) return 'the token is of none of the issuers of this receiver';
    const expected = {
      issuerUrl: provider.issuerURL,
      audience: provider.audience || defaultAudience,
    };
    return (await this.#refusal(token, expected)) ?? claimsRefusal(provider, token.claims);
  }

  /** A token that Google made for the account of a push subscription. */
  async #googleRefusal(token: SignedToken, secret: SecretData = {}): Promise<string | undefined> {
    const { email = '', audience = '' } = secret;
    if (email === '') return "the Secret of the receiver has no 'email'";
    if (audience === '') return "the Secret of the receiver has no 'audience'";
    const { claims } = token;
    const issuerUrl = this.#googleIssuer;
    // Google's older tokens have the name without the scheme.
    if (claims.iss !== issuerUrl && claims.iss !== issuerUrl.replace(/^https?:\/\//, ''))
      return 'the token is not of Google';
    const refusal = await this.#refusal(token, { issuerUrl, audience });
    if (refusal !== undefined) return refusal;
    if (claims.email !== email) return 'the token is of another account';
    return claims.email_verified === true
      ? undefined
      : 'the address of the account is not verified';
  }

  /** What needs no key comes first: no issuer is asked about a token that is refused anyway. */
  async #refusal(
    token: SignedToken,
    { issuerUrl, audience }: Expected,
  ): Promise<string | undefined> {
    const { aud, exp, nbf } = token.claims;
    if (!(Array.isArray(aud) ? aud : [aud]).includes(audience))
      return `the token is not for ${audience}`;
    const now = this.#clock.now() / 1_000;
    if (typeof exp !== 'number' || exp <= now) return 'the token has ended';
    if (nbf !== undefined && (typeof nbf !== 'number' || nbf - leewaySeconds > now))
      return 'the token is of the future';
    return (await this.#keys.hasSigned(issuerUrl, token))
      ? undefined
      : 'the token is not signed by its issuer';
  }
}
