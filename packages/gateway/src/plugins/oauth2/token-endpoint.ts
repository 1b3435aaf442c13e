import type { StoredCredential } from '../../configuration/consumer-index.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import {
  clientClaim,
  findClient,
  isSecretRight,
  isSecure,
  readParameters,
  redirectUris,
} from './oauth2-client.ts';
import {
  askStore,
  type Grant,
  grantedScope,
  invalidClient,
  invalidCode,
  invalidProvisionKey,
  invalidRedirect,
  issueToken,
  noUserId,
  type Oauth2Config,
  type Oauth2Problem,
  type Parameters,
  problem,
  serviceOf,
  tokenBody,
} from './oauth2-config.ts';
import type { AuthorizationCode, IssuedToken } from './oauth2-store.ts';
import { checkProof } from './proof-key.ts';

type Answer = Readonly<Record<string, string | number>> | Oauth2Problem;

const invalidRefreshToken = problem('invalid_request', 'Invalid refresh_token');

/** `/oauth2/token`: changes what a client has for a token. */
export async function giveToken(context: RequestContext, config: Oauth2Config): Promise<void> {
  const parameters = await readParameters(context);
  const claim = clientClaim(context, config, parameters);
  const answer = await decide(context, config, parameters, claim);
  const { state } = parameters;
  const isRefused = 'error' in answer;
  const isStranger = isRefused && answer === invalidClient && claim.isFromHeader;
  context.exit(
    isRefused ? (isStranger ? 401 : 400) : 200,
    { ...answer, ...(state === undefined ? {} : { state }) },
    {
      'cache-control': 'no-store',
      pragma: 'no-cache',
      ...(isStranger ? { 'www-authenticate': 'Basic realm="OAuth2.0"' } : {}),
    },
  );
}

async function decide(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  claim: ReturnType<typeof clientClaim>,
): Promise<Answer> {
  if (!isSecure(context, config)) {
    return problem('access_denied', 'You must use HTTPS');
  }
  const grant = parameters.grant_type ?? '';
  const isKnown =
    grant === 'authorization_code' ||
    grant === 'refresh_token' ||
    (grant === 'client_credentials' && config.enable_client_credentials) ||
    (grant === 'password' && config.enable_password_grant);
  if (!isKnown) {
    return problem('unsupported_grant_type', 'Invalid grant_type');
  }
  const client = findClient(context, claim.id);
  if (client === undefined) {
    return invalidClient;
  }
  const allowed = redirectUris(client);
  const redirect = parameters.redirect_uri;
  if (redirect !== undefined && !allowed.includes(redirect)) {
    return invalidRedirect;
  }
  if (client.client_type === 'public') {
    if (claim.secret !== undefined && claim.secret !== '') {
      return problem('invalid_request', 'client_secret is disallowed for Public Clients');
    }
  } else if (!isSecretRight(client, claim.secret)) {
    return invalidClient;
  }
  switch (grant) {
    case 'authorization_code':
      return forCode(context, config, parameters, client);
    case 'refresh_token':
      return forRefreshToken(context, config, parameters, client);
    case 'client_credentials':
      return forClient(context, config, parameters, client);
    default:
      return forPassword(context, config, parameters, client);
  }
}

async function forCode(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
): Promise<Answer> {
  const code = parameters.code ?? '';
  const now = context.runtime.now();
  const found = (await askStore(context, { action: 'findCode', code, now })) as
    | AuthorizationCode
    | undefined;
  const service = serviceOf(context, config);
  if (
    found === undefined ||
    found.credentialId !== client.id ||
    (service !== undefined && found.serviceId !== service)
  ) {
    return invalidCode;
  }
  const wrong = checkProof(config, client, found.challenge, parameters.code_verifier);
  if (wrong !== undefined) {
    return wrong;
  }
  // Of several that come with the same code at once, one gets the token.
  if ((await askStore(context, { action: 'useCode', code })) !== true) {
    return invalidCode;
  }
  const { userId, scope } = found;
  return give(context, config, { credentialId: client.id, userId, scope, isRefreshable: true });
}

async function forRefreshToken(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
): Promise<Answer> {
  const refreshToken = parameters.refresh_token ?? '';
  const now = context.runtime.now();
  const found = (await askStore(context, { action: 'findRefresh', refreshToken, now })) as
    | IssuedToken
    | undefined;
  const service = serviceOf(context, config);
  if (found === undefined || (service !== undefined && found.serviceId !== service)) {
    return invalidRefreshToken;
  }
  if (found.credentialId !== client.id) {
    return invalidClient;
  }
  const { userId, scope, credentialId } = found;
  const grant = { credentialId, userId, scope, isRefreshable: true, replaces: refreshToken };
  return give(context, config, grant);
}

async function forClient(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
): Promise<Answer> {
  const userId = parameters.authenticated_userid;
  if (userId !== undefined && parameters.provision_key !== config.provision_key) {
    return invalidProvisionKey;
  }
  const scope = grantedScope(parameters, config);
  return 'error' in scope
    ? scope
    : give(context, config, {
        credentialId: client.id,
        userId,
        scope: scope.scope,
        isRefreshable: false,
      });
}

async function forPassword(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
): Promise<Answer> {
  if (parameters.provision_key !== config.provision_key) {
    return invalidProvisionKey;
  }
  const userId = parameters.authenticated_userid;
  if ((userId ?? '').trim() === '') {
    return noUserId;
  }
  const scope = grantedScope(parameters, config);
  return 'error' in scope
    ? scope
    : give(context, config, {
        credentialId: client.id,
        userId,
        scope: scope.scope,
        isRefreshable: true,
      });
}

async function give(context: RequestContext, config: Oauth2Config, grant: Grant): Promise<Answer> {
  const token = await issueToken(context, config, grant);
  return token === undefined ? invalidRefreshToken : tokenBody(token, config);
}
