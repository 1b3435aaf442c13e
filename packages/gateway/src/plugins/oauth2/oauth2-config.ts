import type { RequestContext } from '../../plugin/request-context.ts';
import type { IssuedToken, StoreRequest } from './oauth2-store.ts';

/** The plugin's configuration, in the names of Kong's schema. */
export interface Oauth2Config {
  readonly scopes: readonly string[] | null;
  readonly mandatory_scope: boolean;
  readonly provision_key: string;
  /** Seconds; 0 for tokens that never run out. */
  readonly token_expiration: number;
  readonly refresh_token_ttl: number;
  readonly reuse_refresh_token: boolean;
  readonly enable_authorization_code: boolean;
  readonly enable_implicit_grant: boolean;
  readonly enable_client_credentials: boolean;
  readonly enable_password_grant: boolean;
  readonly pkce: 'none' | 'lax' | 'strict' | null;
  readonly hide_credentials: boolean;
  readonly accept_http_if_already_terminated: boolean;
  readonly anonymous: string | null;
  readonly global_credentials: boolean;
  readonly auth_header_name: string;
  readonly realm: string | null;
}

/** What is wrong with a request, in the words of RFC 6749. */
export interface Oauth2Problem {
  readonly error: string;
  readonly error_description: string;
}

/** What a client sent: in its query, its body or both. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/** A request to one of the two endpoints. */
export interface Oauth2Request {
  readonly context: RequestContext;
  readonly config: Oauth2Config;
  readonly parameters: Parameters;
}

/** What an endpoint decided. */
export type Answer = Readonly<Record<string, string | number>> | Oauth2Problem;

export function problem(error: string, description: string): Oauth2Problem {
  return { error, error_description: description };
}

export const insecure = problem('access_denied', 'You must use HTTPS');
export const invalidClient = problem('invalid_client', 'Invalid client authentication');
export const invalidCode = problem('invalid_request', 'Invalid code');
export const invalidRefreshToken = problem('invalid_request', 'Invalid refresh_token');
export const invalidProvisionKey = problem('invalid_provision_key', 'Invalid provision_key');
export const noUserId = problem(
  'invalid_authenticated_userid',
  'Missing authenticated_userid parameter',
);
export const invalidRedirect = problem(
  'invalid_request',
  'Invalid redirect_uri that does not match with any redirect_uri created with the application',
);

/** Asks the one store that all workers share. */
export function askStore(context: RequestContext, request: StoreRequest): Promise<unknown> {
  return Promise.resolve(context.runtime.ask('oauth2', request));
}

/** The service that tokens are for, unless they are good for all. */
export function serviceOf(context: RequestContext, config: Oauth2Config): string | undefined {
  return config.global_credentials ? undefined : (context.service?.id ?? '');
}

/** The scopes that a client gets, or why it gets none. */
export function grantedScope(
  parameters: Parameters,
  config: Oauth2Config,
): { readonly scope: string | undefined } | Oauth2Problem {
  const asked = (parameters.scope ?? '').split(/\s+/).filter((scope) => scope !== '');
  if (asked.length === 0) {
    return config.mandatory_scope
      ? problem('invalid_scope', 'You must specify a scope')
      : { scope: undefined };
  }
  if (config.scopes === null) return { scope: undefined };
  const unknown = asked.find((scope) => config.scopes?.includes(scope) !== true);
  return unknown === undefined
    ? { scope: asked.join(' ') }
    : problem('invalid_scope', `"${unknown}" is an invalid scope`);
}

/** Who gets a token, and what for. */
export interface Grant {
  readonly credentialId: string;
  readonly userId: string | undefined;
  readonly scope: string | undefined;
  readonly isRefreshable: boolean;
  /** The refresh token that was shown for it. */
  readonly replaces?: string;
}

/** Gives out a token, unless the refresh token that it is for was just used. */
export async function give({ context, config }: Oauth2Request, grant: Grant): Promise<Answer> {
  const now = context.runtime.now();
  const { token_expiration: lifetime, refresh_token_ttl: refreshLifetime } = config;
  const { isRefreshable, replaces, ...fields } = grant;
  const token = (await askStore(context, {
    action: 'issue',
    token: {
      ...fields,
      serviceId: serviceOf(context, config),
      expiresAt: lifetime > 0 ? now + lifetime * 1_000 : undefined,
      forgottenAt: lifetime > 0 && refreshLifetime > 0 ? now + refreshLifetime * 1_000 : undefined,
    },
    isRefreshable: isRefreshable && lifetime > 0,
    isRefreshTokenKept: config.reuse_refresh_token,
    ...(replaces === undefined ? {} : { replaces }),
    now,
  })) as IssuedToken | undefined;
  return token === undefined ? invalidRefreshToken : tokenBody(token, config);
}

/** A token as it is told to the client. */
function tokenBody(token: IssuedToken, config: Oauth2Config): Record<string, string | number> {
  return {
    access_token: token.accessToken,
    token_type: 'bearer',
    ...(config.token_expiration > 0 ? { expires_in: config.token_expiration } : {}),
    ...(token.refreshToken === undefined ? {} : { refresh_token: token.refreshToken }),
  };
}
