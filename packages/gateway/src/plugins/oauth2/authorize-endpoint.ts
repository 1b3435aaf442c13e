import type { StoredCredential } from '../../configuration/consumer-index.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { findClient, isSecure, readParameters, redirectUris } from './oauth2-client.ts';
import {
  askStore,
  grantedScope,
  invalidClient,
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
import type { AuthorizationCode } from './oauth2-store.ts';
import { readChallenge } from './proof-key.ts';

/** Five minutes. */
const codeLifetimeMs = 300_000;

/** What goes back to the client, and where in its redirection. */
interface Outcome {
  readonly parameters: Readonly<Record<string, string | number>> | Oauth2Problem;
  /** Undefined while it is not known whose redirection to trust. */
  readonly redirect: string | undefined;
  readonly isFragment: boolean;
}

/**
 * `/oauth2/authorize`: the page on which a person agreed, which knows the provision key, asks here where
 * to send that person. The answer holds a code, or for the implicit grant a token.
 */
export async function authorize(context: RequestContext, config: Oauth2Config): Promise<void> {
  const parameters = await readParameters(context);
  const outcome = await decide(context, config, parameters);
  const isRefused = 'error' in outcome.parameters;
  const { state } = parameters;
  const told = { ...outcome.parameters, ...(state === undefined ? {} : { state }) };
  const body =
    outcome.redirect === undefined
      ? told
      : { redirect_uri: withParameters(outcome.redirect, told, outcome.isFragment) };
  const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
  context.exit(isRefused ? 400 : 200, body, headers);
}

async function decide(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
): Promise<Outcome> {
  const refuse = (why: Oauth2Problem, redirect?: string): Outcome => ({
    parameters: why,
    redirect,
    isFragment: false,
  });
  if (!isSecure(context, config)) {
    return refuse(problem('access_denied', 'You must use HTTPS'));
  }
  if (parameters.provision_key !== config.provision_key) {
    return refuse(invalidProvisionKey);
  }
  if ((parameters.authenticated_userid ?? '').trim() === '') {
    return refuse(noUserId);
  }
  const client = findClient(context, parameters.client_id);
  if (client === undefined) {
    return refuse(invalidClient);
  }
  const allowed = redirectUris(client);
  const redirect = parameters.redirect_uri ?? allowed[0];
  if (redirect === undefined || !allowed.includes(redirect)) {
    // Never to where the request says: only to what was registered.
    return refuse(invalidRedirect, allowed[0]);
  }
  const kind = parameters.response_type;
  const isCode = kind === 'code' && config.enable_authorization_code;
  if (!isCode && !(kind === 'token' && config.enable_implicit_grant)) {
    return refuse(problem('unsupported_response_type', 'Invalid response_type'), redirect);
  }
  const scope = grantedScope(parameters, config);
  if ('error' in scope) {
    return refuse(scope, redirect);
  }
  return isCode
    ? grantCode(context, config, parameters, client, scope.scope, redirect)
    : grantImplicitly(context, config, parameters, client, scope.scope, redirect);
}

async function grantCode(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
  scope: string | undefined,
  redirect: string,
): Promise<Outcome> {
  const proof = readChallenge(config, client, parameters);
  if ('error' in proof) {
    return { parameters: proof, redirect, isFragment: false };
  }
  const now = context.runtime.now();
  const { code } = (await askStore(context, {
    action: 'addCode',
    code: {
      credentialId: client.id,
      serviceId: serviceOf(context, config),
      userId: parameters.authenticated_userid ?? '',
      scope,
      challenge: proof.challenge,
      expiresAt: now + codeLifetimeMs,
    },
    now,
  })) as AuthorizationCode;
  return { parameters: { code }, redirect, isFragment: false };
}

async function grantImplicitly(
  context: RequestContext,
  config: Oauth2Config,
  parameters: Parameters,
  client: StoredCredential,
  scope: string | undefined,
  redirect: string,
): Promise<Outcome> {
  const token = await issueToken(context, config, {
    credentialId: client.id,
    userId: parameters.authenticated_userid,
    scope,
    isRefreshable: false,
  });
  return {
    parameters: token === undefined ? invalidClient : tokenBody(token, config),
    redirect,
    isFragment: true,
  };
}

function withParameters(
  redirect: string,
  parameters: Readonly<Record<string, string | number>> | Oauth2Problem,
  isFragment: boolean,
): string {
  const url = new URL(redirect);
  const target = isFragment ? new URLSearchParams(url.hash.slice(1)) : url.searchParams;
  for (const [name, value] of Object.entries(parameters)) {
    target.set(name, String(value));
  }
  if (isFragment) {
    url.hash = target.toString();
  }
  return url.toString();
}
