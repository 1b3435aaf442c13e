import { isObject } from '@waygate/text';
import type { CredentialSource, Credentials } from '../config/credentials.ts';
import { KubeError } from '../error.ts';
import { callJson } from '../transport/json-call.ts';
import { Transport } from '../transport/transport.ts';

/** The `oidc` auth provider of a kubeconfig. */
interface OidcSettings {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly idToken?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Tokens that an issuer gave. */
export interface OidcTokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
}

interface OidcCredentialsOptions {
  /** Called with new tokens, to be written where the old ones came from. */
  readonly onTokens?: ((tokens: OidcTokens) => void | Promise<void>) | undefined;
  readonly now?: (() => number) | undefined;
}

/** A token is taken for expired this much before it is: the API's clock is another one. */
const expiryMarginMs = 10_000;

/** The `oidc` auth provider of kubeconfig: an ID token, renewed with a refresh token. */
export class OidcCredentials implements CredentialSource {
  readonly #settings: OidcSettings;
  readonly #options: OidcCredentialsOptions;
  readonly #now: () => number;
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  #renewing: Promise<string> | undefined;

  constructor(settings: OidcSettings, options: OidcCredentialsOptions = {}) {
    this.#settings = settings;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#idToken = settings.idToken;
    this.#refreshToken = settings.refreshToken;
  }

  async get(): Promise<Credentials> {
    if (this.#idToken !== undefined && !this.#isExpired(this.#idToken)) {
      return { token: this.#idToken };
    }
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return { token: await this.#renewing };
  }

  async refresh(refused: Credentials): Promise<boolean> {
    if (this.#refreshToken === undefined) return false;
    if (this.#idToken === refused.token) this.#idToken = undefined;
    return (await this.get()).token !== refused.token;
  }

  #isExpired(token: string): boolean {
    try {
      const claims: unknown = JSON.parse(
        Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
      );
      if (!isObject(claims) || typeof claims.exp !== 'number') return true;
      return claims.exp * 1000 - expiryMarginMs <= this.#now();
    } catch {
      return true;
    }
  }

  async #renew(): Promise<string> {
    const { issuerUrl, clientId, clientSecret } = this.#settings;
    if (this.#refreshToken === undefined) {
      throw wrong(issuerUrl, 'the ID token has expired and there is no refresh token');
    }
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: this.#refreshToken,
      client_id: clientId,
    });
    if (clientSecret !== undefined) form.set('client_secret', clientSecret);
    const endpoint = await this.#tokenEndpoint();
    const answer = await this.#call(endpoint, 'POST', form.toString());
    const { id_token: idToken, refresh_token: refreshToken } = answer;
    if (typeof idToken !== 'string') throw wrong(issuerUrl, 'gave no new ID token');
    this.#idToken = idToken;
    if (typeof refreshToken === 'string') this.#refreshToken = refreshToken;
    await this.#options.onTokens?.({ idToken, refreshToken: this.#refreshToken });
    return idToken;
  }

  async #tokenEndpoint(): Promise<string> {
    const { issuerUrl } = this.#settings;
    const url = `${issuerUrl.replace(/\/+$/, '')}/.well-known/openid-configuration`;
    const { token_endpoint: endpoint } = await this.#call(url, 'GET');
    if (typeof endpoint !== 'string') throw wrong(issuerUrl, 'names no token endpoint');
    return endpoint;
  }

  async #call(
    address: string,
    method: 'GET' | 'POST',
    body?: string,
  ): Promise<Record<string, unknown>> {
    const url = new URL(address);
    const { caData, caFile, issuerUrl } = this.#settings;
    const tls = { caData, caFile };
    const transport = new Transport({ server: url.origin, namespace: '', tls });
    try {
      const answer = await callJson<unknown>(
        transport,
        {
          method,
          path: `${url.pathname}${url.search}`,
          contentType: 'application/x-www-form-urlencoded',
          ...(body === undefined ? {} : { body }),
        },
        { timeoutMs: 30_000 },
      );
      return isObject(answer) ? answer : {};
    } catch (error) {
      const said = error instanceof KubeError ? (error.statusCode ?? error.code) : 'an error';
      throw wrong(issuerUrl, `the tokens could not be renewed (${said})`, error);
    } finally {
      await transport.close();
    }
  }
}

function wrong(issuer: string, problem: string, cause?: unknown): KubeError {
  return new KubeError('WG_KUBE_CONFIG', `OIDC provider ${issuer}: ${problem}`, { cause });
}
