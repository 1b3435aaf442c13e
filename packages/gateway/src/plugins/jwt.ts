import { parseCookies } from '../http/cookies.ts';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { decodeToken, isSignedWith, type JsonWebToken } from './json-web-token.ts';

interface Config {
  readonly uri_param_names: readonly string[];
  readonly cookie_names: readonly string[];
  readonly header_names: readonly string[];
  readonly key_claim_name: string;
  readonly secret_is_base64: boolean;
  readonly claims_to_verify: readonly ('exp' | 'nbf')[] | null;
  readonly anonymous: string | null;
  readonly run_on_preflight: boolean;
  readonly maximum_expiration: number;
  readonly realm: string | null;
}

/** Why a token is refused: the body of the answer, and what is said in `WWW-Authenticate`. */
interface Refusal {
  readonly body: object;
  readonly isInvalidToken: boolean;
}

/** Lets in who has a signed token. */
export const jwt = definePlugin<Config>({
  name: 'jwt',
  priority: 1_450,
  access(context, config) {
    const isPreflight = context.method === 'OPTIONS' && !config.run_on_preflight;
    if (isPreflight || isAuthenticated(context, config.anonymous)) return;
    const refusal = check(context, config);
    if (refusal === undefined || authenticateAnonymous(context, config.anonymous)) return;
    const realm = config.realm === null ? '' : ` realm="${config.realm}"`;
    const detail = refusal.isInvalidToken ? `${realm === '' ? '' : ','} error="invalid_token"` : '';
    context.exit(401, refusal.body, { 'WWW-Authenticate': `Bearer${realm}${detail}` });
  },
});

function check(context: RequestContext, config: Config): Refusal | undefined {
  const tokens = findTokens(context, config);
  if (tokens.size === 0) return { body: { message: 'Unauthorized' }, isInvalidToken: false };
  if (tokens.size > 1) return refuse('Multiple tokens provided');
  const token = decodeToken([...tokens][0] ?? '');
  if (token === undefined) return refuse('Bad token; invalid JSON');
  const name = config.key_claim_name;
  const key = token.claims[name] ?? token.header[name];
  if (key === undefined || key === null || key === '') {
    return refuse(`No mandatory '${name}' in claims`);
  }
  return checkCredential(context, config, token, String(key));
}

function checkCredential(
  context: RequestContext,
  config: Config,
  token: JsonWebToken,
  key: string,
): Refusal | undefined {
  const { consumers } = context.snapshot;
  const stored = consumers.credential('jwt_secrets', 'key', key);
  if (stored === undefined) {
    return refuse(`No credentials found for given '${config.key_claim_name}'`);
  }
  const algorithm = String(stored.algorithm ?? 'HS256');
  if (token.header.alg !== algorithm) return refuse('Invalid algorithm');
  const isShared = algorithm.startsWith('HS');
  const secret = String((isShared ? stored.secret : stored.rsa_public_key) ?? '');
  const decoded = isShared && config.secret_is_base64 ? Buffer.from(secret, 'base64') : secret;
  if (secret === '' || !isSignedWith(token, algorithm, decoded)) return refuse('Invalid signature');
  const problems = checkClaims(token.claims, config, context.runtime.now() / 1_000);
  if (Object.keys(problems).length > 0) return { body: problems, isInvalidToken: true };
  const owner = consumers.consumer((stored.consumer as { id?: string } | null)?.id);
  authenticate(context, owner, { id: stored.id, identifier: key });
  return undefined;
}

function refuse(message: string): Refusal {
  return { body: { message }, isInvalidToken: true };
}

function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  config: Config,
  now: number,
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const name of config.claims_to_verify ?? []) {
    const value = claims[name];
    if (typeof value !== 'number') {
      problems[name] = 'must be a number';
    } else if (name === 'exp' && value <= now) {
      problems[name] = 'token expired';
    } else if (name === 'nbf' && value > now) {
      problems[name] = 'token not valid yet';
    }
  }
  if (config.maximum_expiration > 0 && Object.keys(problems).length === 0) {
    const { exp } = claims;
    if (typeof exp !== 'number' || exp - now > config.maximum_expiration) {
      problems.exp = 'exceeds maximum allowed expiration';
    }
  }
  return problems;
}

function findTokens(context: RequestContext, config: Config): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const name of config.uri_param_names) {
    for (const value of context.arguments.getAll(name)) {
      if (value !== '') tokens.add(value);
    }
  }
  const cookies = parseCookies(context.headers.get('cookie') ?? '');
  for (const name of config.cookie_names) {
    const value = cookies.get(name);
    if (value !== undefined && value !== '') tokens.add(value);
  }
  for (const name of config.header_names) {
    for (const value of context.headers.getAll(name)) {
      const token = /^\s*bearer\s+(\S.*)$/i.exec(value)?.[1]?.trimEnd();
      if (token !== undefined) tokens.add(token);
    }
  }
  return tokens;
}
