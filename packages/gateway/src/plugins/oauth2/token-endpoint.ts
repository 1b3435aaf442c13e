import type { StoredCredential } from '../../configuration/consumer-index.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import {
  answer,
  clientClaim,
  findClient,
  isSecretRight,
  isSecure,
  readParameters,
  redirectUris,
  withState,
} from './oauth2-client.ts';
import {
  type Answer,
  askStore,
  give,
  grantedScope,
  insecure,
  invalidClient,
  invalidCode,
  invalidProvisionKey,
  invalidRedirect,
  invalidRefreshToken,
  noUserId,
  type Oauth2Config,
  type Oauth2Request,
  problem,
  serviceOf,
} from './oauth2-config.ts';
import type { AuthorizationCode, IssuedToken, StoreRequest } from './oauth2-store.ts';
import { checkProof } from './proof-key.ts';

/** `/oauth2/token`: changes what a client has for a token. */
export async function giveToken(context: RequestContext, config: Oauth2Config): Promise<void> {
  const request: Oauth2Request = { context, config, parameters: await readParameters(context) };
  const claim = clientClaim(context, config, request.parameters);
  const given = await decide(request, claim);
  const isStranger = given === invalidClient && claim.isFromHeader;
  const status = isStranger ? 401 : 'error' in given ? 400 : 200;
  answer(
    request,
    status,
    withState(request, given),
    isStranger ? { 'www-authenticate': 'Basic realm="OAuth2.0"' } : {},
  );
}

async function decide(
  request: Oauth2Request,
  claim: ReturnType<typeof clientClaim>,
): Promise<Answer> {
  const { context, config, parameters } = request;
  if (!isSecure(context, config)) return insecure;
  const grant = parameters.grant_type ?? '';
  const isKnown =
    grant === 'authorization_code' ||
    grant === 'refresh_token' ||
    (grant === 'client_credentials' && config.enable_client_credentials) ||
    (grant === 'password' && config.enable_password_grant);
  if (!isKnown) return problem('unsupported_grant_type', 'Invalid grant_type');
  const client = findClient(context, claim.id);
  if (client === undefined) return invalidClient;
  const allowed = redirectUris(client);
  const redirect = parameters.redirect_uri;
  if (redirect !== undefined && !allowed.includes(redirect)) return invalidRedirect;
  if (client.client_type === 'public') {
    if (claim.secret !== undefined && claim.secret !== '') {
      return problem('invalid_request', 'client_secret is disallowed for Public Clients');
    }
  } else if (!isSecretRight(client, claim.secret)) {
    return invalidClient;
  }
  switch (grant) {
    case 'authorization_code':
      return forCode(request, client);
    case 'refresh_token':
      return forRefreshToken(request, client);
    case 'client_credentials':
      return forClient(request, client);
    default:
      return forPassword(request, client);
  }
}

/** What the store knows that was given out for this service, or for all. */
async function findHere<Found extends AuthorizationCode | IssuedToken>(
  { context, config }: Oauth2Request,
  request: StoreRequest,
): Promise<Found | undefined> {
  const found = (await askStore(context, request)) as Found | undefined;
  const service = serviceOf(context, config);
  return service === undefined || found?.serviceId === service ? found : undefined;
}

async function forCode(request: Oauth2Request, client: StoredCredential): Promise<Answer> {
  const { context, config, parameters } = request;
  const code = parameters.code ?? '';
  const now = context.runtime.now();
  const found = await findHere<AuthorizationCode>(request, { action: 'findCode', code, now });
  if (found === undefined || found.credentialId !== client.id) return invalidCode;
  const wrong = checkProof(config, client, found.challenge, parameters.code_verifier);
  if (wrong !== undefined) return wrong;
  // Of several that come with the same code at once, one gets the token.
  if ((await askStore(context, { action: 'useCode', code })) !== true) return invalidCode;
  const { userId, scope } = found;
  return give(request, { credentialId: client.id, userId, scope, isRefreshable: true });
}

async function forRefreshToken(request: Oauth2Request, client: StoredCredential): Promise<Answer> {
  const refreshToken = request.parameters.refresh_token ?? '';
  const now = request.context.runtime.now();
  const asked = { action: 'findRefresh', refreshToken, now } as const;
  const found = await findHere<IssuedToken>(request, asked);
  if (found === undefined) return invalidRefreshToken;
  if (found.credentialId !== client.id) return invalidClient;
  const { userId, scope, credentialId } = found;
  const grant = { credentialId, userId, scope, isRefreshable: true, replaces: refreshToken };
  return give(request, grant);
}

async function forClient(request: Oauth2Request, client: StoredCredential): Promise<Answer> {
  const { config, parameters } = request;
  const userId = parameters.authenticated_userid;
  const isTrusted = parameters.provision_key === config.provision_key;
  if (userId !== undefined && !isTrusted) return invalidProvisionKey;
  return giveScoped(request, client, false);
}

async function forPassword(request: Oauth2Request, client: StoredCredential): Promise<Answer> {
  const { config, parameters } = request;
  if (parameters.provision_key !== config.provision_key) return invalidProvisionKey;
  if ((parameters.authenticated_userid ?? '').trim() === '') return noUserId;
  return giveScoped(request, client, true);
}

/** A token for the scopes that are asked for. */
async function giveScoped(
  request: Oauth2Request,
  client: StoredCredential,
  isRefreshable: boolean,
): Promise<Answer> {
  const { config, parameters } = request;
  const scope = grantedScope(parameters, config);
  if ('error' in scope) return scope;
  const userId = parameters.authenticated_userid;
  return give(request, { credentialId: client.id, userId, scope: scope.scope, isRefreshable });
}
