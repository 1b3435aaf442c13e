import type { StoredCredential } from '../../configuration/consumer-index.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import {
  answer,
  findClient,
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
  invalidProvisionKey,
  invalidRedirect,
  noUserId,
  type Oauth2Config,
  type Oauth2Problem,
  type Oauth2Request,
  problem,
  serviceOf,
} from './oauth2-config.ts';
import type { AuthorizationCode } from './oauth2-store.ts';
import { readChallenge } from './proof-key.ts';

/** Five minutes. */
const codeLifetimeMs = 300_000;

/** What goes back to the client, and where in its redirection. */
interface Outcome {
  readonly parameters: Answer;
  /** Undefined while it is not known whose redirection to trust. */
  readonly redirect: string | undefined;
  readonly isFragment: boolean;
}

/**
 * `/oauth2/authorize`: the page on which a person agreed, which knows the provision key, asks here where
 * to send that person. The answer holds a code, or for the implicit grant a token.
 */
export async function authorize(context: RequestContext, config: Oauth2Config): Promise<void> {
  const request: Oauth2Request = { context, config, parameters: await readParameters(context) };
  const outcome = await decide(request);
  const told = withState(request, outcome.parameters);
  answer(
    request,
    'error' in outcome.parameters ? 400 : 200,
    outcome.redirect === undefined
      ? told
      : { redirect_uri: withParameters(outcome.redirect, told, outcome.isFragment) },
  );
}

async function decide(request: Oauth2Request): Promise<Outcome> {
  const { context, config, parameters } = request;
  const refuse = (why: Oauth2Problem, redirect?: string): Outcome => ({
    parameters: why,
    redirect,
    isFragment: false,
  });
  if (!isSecure(context, config)) return refuse(insecure);
  if (parameters.provision_key !== config.provision_key) return refuse(invalidProvisionKey);
  if ((parameters.authenticated_userid ?? '').trim() === '') return refuse(noUserId);
  const client = findClient(context, parameters.client_id);
  if (client === undefined) return refuse(invalidClient);
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
  if ('error' in scope) return refuse(scope, redirect);
  const given = isCode
    ? await grantCode(request, client, scope.scope)
    : await give(request, {
        credentialId: client.id,
        userId: parameters.authenticated_userid,
        scope: scope.scope,
        isRefreshable: false,
      });
  return { parameters: given, redirect, isFragment: !isCode };
}

async function grantCode(
  request: Oauth2Request,
  client: StoredCredential,
  scope: string | undefined,
): Promise<Answer> {
  const { context, config, parameters } = request;
  const proof = readChallenge(config, client, parameters);
  if ('error' in proof) return proof;
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
  return { code };
}

function withParameters(redirect: string, parameters: Answer, isFragment: boolean): string {
  const url = new URL(redirect);
  // A redirection that is registered has no fragment of its own.
  const target = isFragment ? new URLSearchParams() : url.searchParams;
  for (const [name, value] of Object.entries(parameters)) target.set(name, String(value));
  if (isFragment) url.hash = target.toString();
  return url.toString();
}
