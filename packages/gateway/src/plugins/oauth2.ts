import { QueryArguments } from '../http/query-arguments.ts';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { authorize } from './oauth2/authorize-endpoint.ts';
import { readParameters } from './oauth2/oauth2-client.ts';
import { askStore, type Oauth2Config } from './oauth2/oauth2-config.ts';
import { type IssuedToken, Oauth2Store, type StoreRequest } from './oauth2/oauth2-store.ts';
import { giveToken } from './oauth2/token-endpoint.ts';

const invalidToken = {
  error: 'invalid_token',
  error_description: 'The access token is invalid or has expired',
};

/** OAuth 2.0: gives out tokens, by all of Kong's grants, and lets in who has one. */
export function oauth2(): AnyPlugin {
  const store = new Oauth2Store();
  return definePlugin<Oauth2Config>({
    name: 'oauth2',
    priority: 1_400,
    async access(context, config) {
      if (isAuthenticated(context, config.anonymous)) return;
      const path = context.target.split('?')[0] ?? '';
      if (context.method === 'POST' && path.includes('/oauth2/token')) {
        await giveToken(context, config);
      } else if (context.method === 'POST' && path.includes('/oauth2/authorize')) {
        await authorize(context, config);
      } else {
        await checkToken(context, config);
      }
    },
    serve: (request) => store.handle(request as StoreRequest),
    open: (storage, now) => store.open(storage, now),
    forget(collection, id) {
      if (collection === 'oauth2_credentials' || collection === 'services') {
        void store.handle({ action: 'forgetOwner', owner: id });
      }
    },
  });
}

async function checkToken(context: RequestContext, config: Oauth2Config): Promise<void> {
  const realm = config.realm === null ? '' : ` realm="${config.realm}"`;
  const accessToken = await findToken(context, config);
  if (accessToken === undefined) {
    if (!authenticateAnonymous(context, config.anonymous)) {
      const missing = {
        error: 'invalid_request',
        error_description: 'The access token is missing',
      };
      context.exit(401, missing, { 'WWW-Authenticate': `Bearer${realm}` });
    }
    return;
  }
  const now = context.runtime.now();
  const issued = (await askStore(context, { action: 'find', accessToken, now })) as
    | IssuedToken
    | undefined;
  const refusal = issued === undefined ? invalidToken : refusalOf(issued, context, config, now);
  const { consumers } = context.snapshot;
  const stored =
    issued === undefined || refusal !== undefined
      ? undefined
      : consumers.credential('oauth2_credentials', 'id', issued.credentialId);
  if (issued === undefined || stored === undefined) {
    if (!authenticateAnonymous(context, config.anonymous)) {
      const { error, error_description: description } = refusal ?? invalidToken;
      const detail = ` error="${error}" error_description="${description}"`;
      context.exit(401, refusal ?? invalidToken, {
        'WWW-Authenticate': `Bearer${realm}${detail}`,
      });
    }
    return;
  }
  const owner = consumers.consumer((stored.consumer as { id?: string } | null)?.id);
  authenticate(context, owner, { id: stored.id, identifier: String(stored.client_id) });
  tellUpstream(context, 'X-Authenticated-Scope', issued.scope);
  tellUpstream(context, 'X-Authenticated-Userid', issued.userId);
}

function refusalOf(
  token: IssuedToken,
  context: RequestContext,
  config: Oauth2Config,
  now: number,
): typeof invalidToken | undefined {
  if (!config.global_credentials && token.serviceId === undefined) {
    return {
      error: 'invalid_token',
      error_description:
        "The access token is global, but the current plugin is configured without 'global_credentials'",
    };
  }
  const isForOther = token.serviceId !== undefined && token.serviceId !== context.service?.id;
  const isExpired = (token.expiresAt ?? Number.POSITIVE_INFINITY) <= now;
  return isForOther || isExpired ? invalidToken : undefined;
}

/** Only the gateway may say these: what a client sends under their names is lost. */
function tellUpstream(context: RequestContext, name: string, value: string | undefined): void {
  const headers = context.upstream?.headers;
  if (value === undefined) {
    headers?.remove(name);
  } else {
    headers?.set(name, value);
  }
}

async function findToken(
  context: RequestContext,
  config: Oauth2Config,
): Promise<string | undefined> {
  const header = context.headers.get(config.auth_header_name);
  if (header !== undefined) {
    const [kind = '', token, ...more] = header.trim().split(/\s+/);
    const isBearer = /^(?:bearer|token)$/i.test(kind) && token !== undefined && more.length === 0;
    if (isBearer && config.hide_credentials) {
      context.upstream?.headers.remove(config.auth_header_name);
    }
    return isBearer ? token : header;
  }
  const inQuery = context.arguments.get('access_token');
  if (inQuery !== undefined && inQuery !== '') {
    if (config.hide_credentials) hideInQuery(context);
    return inQuery;
  }
  const type = context.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded') || !context.hasBody) return undefined;
  const inBody = (await readParameters(context)).access_token;
  if (inBody !== undefined && config.hide_credentials) hideInBody(context);
  return inBody === '' ? undefined : inBody;
}

function hideInQuery(context: RequestContext): void {
  if (context.upstream !== undefined) {
    const rest = new QueryArguments(context.upstream.query ?? '');
    rest.remove('access_token');
    const text = rest.toString();
    context.upstream.query = text === '' ? undefined : text;
  }
}

function hideInBody(context: RequestContext): void {
  const { upstream } = context;
  if (upstream?.body !== undefined) {
    const rest = new URLSearchParams(upstream.body.toString('utf8'));
    rest.delete('access_token');
    upstream.body = Buffer.from(rest.toString());
  }
}
