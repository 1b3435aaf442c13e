import { randomBytes } from 'node:crypto';
import type { KongPlugin } from '@waygate/kong';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import { readBody } from '../proxy/request-body.ts';
import type { RequestContext } from '../proxy/request-context.ts';

interface Config {
  readonly scopes: readonly string[] | null;
  readonly mandatory_scope: boolean;
  readonly token_expiration: number;
  readonly enable_client_credentials: boolean;
  readonly hide_credentials: boolean;
  readonly accept_http_if_already_terminated: boolean;
  readonly anonymous: string | null;
  readonly global_credentials: boolean;
  readonly auth_header_name: string;
  readonly realm: string | null;
}

interface IssuedToken {
  readonly credentialId: string;
  readonly scope: string | undefined;
  /** The plugin that issued it, unless credentials are global. */
  readonly issuer: string;
  /** Milliseconds since the epoch; undefined if it never runs out. */
  readonly expiresAt: number | undefined;
}

const maximumBodyBytes = 64 * 1_024;
const maximumTokens = 100_000;

/**
 * OAuth 2.0: gives out tokens for client credentials, and lets in who has one. Tokens are kept in this
 * process. The grants that need a person's consent are refused.
 */
export function oauth2(): AnyPlugin {
  const tokens = new Map<string, IssuedToken>();
  return definePlugin<Config>({
    name: 'oauth2',
    priority: 1_400,
    access(context, config, entity) {
      if (isAuthenticated(context, config.anonymous)) {
        return undefined;
      }
      const path = context.target.split('?')[0] ?? '';
      if (context.method === 'POST' && path.endsWith('/oauth2/token')) {
        return issueToken(context, config, entity, tokens);
      }
      if (path.endsWith('/oauth2/authorize')) {
        refuse(context, 400, 'unsupported_response_type', 'Invalid response_type');
        return undefined;
      }
      checkToken(context, config, entity, tokens);
      return undefined;
    },
  });
}

async function issueToken(
  context: RequestContext,
  config: Config,
  entity: KongPlugin,
  tokens: Map<string, IssuedToken>,
): Promise<void> {
  if (!isSecure(context, config)) {
    refuse(context, 400, 'access_denied', 'You must use HTTPS');
    return;
  }
  const parameters = await readParameters(context);
  const grant = parameters.grant_type;
  if (grant !== 'client_credentials' || !config.enable_client_credentials) {
    refuse(context, 400, 'unsupported_grant_type', 'Invalid grant_type');
    return;
  }
  const scope = checkScope(parameters.scope, config);
  if (scope.problem !== undefined) {
    refuse(context, 400, 'invalid_scope', scope.problem);
    return;
  }
  const { id, secret } = clientOf(context, parameters);
  const stored = context.snapshot.consumers.credential('oauth2_credentials', 'client_id', id);
  if (stored === undefined) {
    refuse(context, 400, 'invalid_client', 'Invalid client authentication');
    return;
  }
  if (String(stored.client_secret ?? '') !== secret || secret === '') {
    refuse(context, 400, 'invalid_client', 'Invalid client authentication');
    return;
  }
  const now = context.runtime.now();
  const lifetime = config.token_expiration;
  const token = randomBytes(24).toString('base64url');
  forgetOld(tokens, now);
  tokens.set(token, {
    credentialId: stored.id,
    scope: scope.granted,
    issuer: config.global_credentials ? '' : (entity.id ?? ''),
    expiresAt: lifetime > 0 ? now + lifetime * 1_000 : undefined,
  });
  context.exit(
    200,
    {
      access_token: token,
      token_type: 'bearer',
      ...(lifetime > 0 ? { expires_in: lifetime } : {}),
    },
    { 'cache-control': 'no-store', pragma: 'no-cache' },
  );
}

function checkToken(
  context: RequestContext,
  config: Config,
  entity: KongPlugin,
  tokens: ReadonlyMap<string, IssuedToken>,
): void {
  const header = context.headers.get(config.auth_header_name);
  const bearer = /^\s*(?:bearer|token)\s+(.+?)\s*$/i.exec(header ?? '')?.[1];
  const token = bearer ?? context.arguments.get('access_token');
  const realm = config.realm === null ? '' : ` realm="${config.realm}"`;
  if (token === undefined || token === '') {
    if (!authenticateAnonymous(context, config.anonymous)) {
      const problem = {
        error: 'invalid_request',
        error_description: 'The access token is missing',
      };
      context.exit(401, problem, { 'WWW-Authenticate': `Bearer${realm}` });
    }
    return;
  }
  const issued = tokens.get(token);
  const issuer = config.global_credentials ? '' : entity.id;
  const isExpired = (issued?.expiresAt ?? Number.POSITIVE_INFINITY) <= context.runtime.now();
  const { consumers } = context.snapshot;
  const stored =
    issued === undefined || isExpired || issued.issuer !== issuer
      ? undefined
      : consumers.credential('oauth2_credentials', 'id', issued.credentialId);
  if (issued === undefined || stored === undefined) {
    if (!authenticateAnonymous(context, config.anonymous)) {
      const description = 'The access token is invalid or has expired';
      context.exit(
        401,
        { error: 'invalid_token', error_description: description },
        {
          'WWW-Authenticate': `Bearer${realm} error="invalid_token" error_description="${description}"`,
        },
      );
    }
    return;
  }
  if (config.hide_credentials) {
    context.upstream?.headers.remove(config.auth_header_name);
  }
  const owner = consumers.consumer((stored.consumer as { id?: string } | null)?.id);
  authenticate(context, owner, { id: stored.id, identifier: String(stored.client_id) });
  if (issued.scope !== undefined) {
    context.upstream?.headers.set('X-Authenticated-Scope', issued.scope);
  }
}

function refuse(context: RequestContext, status: number, error: string, description: string): void {
  context.exit(
    status,
    { error, error_description: description },
    { 'cache-control': 'no-store', pragma: 'no-cache' },
  );
}

function isSecure(context: RequestContext, config: Config): boolean {
  const isForwarded =
    config.accept_http_if_already_terminated &&
    context.headers.get('x-forwarded-proto') === 'https';
  return context.client.isTls || isForwarded || context.client.forwardedProto === 'https';
}

function checkScope(
  asked: string | undefined,
  config: Config,
): { readonly granted?: string; readonly problem?: string } {
  const wanted = (asked ?? '').split(/\s+/).filter((scope) => scope !== '');
  if (wanted.length === 0) {
    return config.mandatory_scope ? { problem: 'You must specify a scope' } : {};
  }
  const unknown = wanted.find((scope) => config.scopes?.includes(scope) !== true);
  return unknown === undefined
    ? { granted: wanted.join(' ') }
    : { problem: `"${unknown}" is an invalid scope` };
}

async function readParameters(
  context: RequestContext,
): Promise<Readonly<Record<string, string | undefined>>> {
  const body = await readBody(context, maximumBodyBytes);
  const text = body?.toString('utf8') ?? '';
  if (context.headers.get('content-type')?.startsWith('application/json')) {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, String(item)]))
        : {};
    } catch {
      return {};
    }
  }
  return Object.fromEntries(new URLSearchParams(text));
}

function clientOf(
  context: RequestContext,
  parameters: Readonly<Record<string, string | undefined>>,
): { readonly id: string; readonly secret: string } {
  const basic = /^\s*basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(
    context.headers.get('authorization') ?? '',
  );
  if (basic?.[1] !== undefined) {
    const [id = '', ...secret] = Buffer.from(basic[1], 'base64').toString('utf8').split(':');
    return { id, secret: secret.join(':') };
  }
  return { id: parameters.client_id ?? '', secret: parameters.client_secret ?? '' };
}

/** Tokens that ran out are dropped when there are many; the oldest go if that is not enough. */
function forgetOld(tokens: Map<string, IssuedToken>, now: number): void {
  if (tokens.size < maximumTokens) {
    return;
  }
  for (const [token, { expiresAt }] of tokens) {
    if ((expiresAt ?? Number.POSITIVE_INFINITY) <= now) {
      tokens.delete(token);
    }
  }
  for (const token of tokens.keys()) {
    if (tokens.size < maximumTokens) {
      break;
    }
    tokens.delete(token);
  }
}
