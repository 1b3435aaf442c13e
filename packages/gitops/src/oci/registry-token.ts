import { isObject, targetOf } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import { type OutgoingClient, readBody } from '../http/outgoing-client.ts';
import type { RegistryCredentials } from './docker-config.ts';
import { registryError } from './registry-error.ts';

/** How a registry wants to be asked. */
export type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: string; readonly service: string };

/** Reads `WWW-Authenticate`; undefined for what is not known. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const found = /^\s*(basic|bearer)\b(.{0,4096})$/is.exec(header ?? '');
  if (found === null) return undefined;
  const [, scheme = '', rest = ''] = found;
  if (scheme.toLowerCase() === 'basic') return { kind: 'basic' };
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, plain] of rest.matchAll(/([a-z]+)=(?:"([^"]*)"|([^\s,"]*))/gi)) {
    parameters.set(key.toLowerCase(), quoted ?? plain ?? '');
  }
  const realm = parameters.get('realm');
  if (realm === undefined) return undefined;
  return { kind: 'bearer', realm, service: parameters.get('service') ?? '' };
}

export interface Token {
  readonly authorization: string;
  readonly expiresMs: number;
}

interface TokenRequest {
  readonly client: OutgoingClient;
  readonly challenge: Challenge & { kind: 'bearer' };
  readonly repository: string;
  readonly credentials: RegistryCredentials | undefined;
  /** Whether credentials may go over a connection that others can read. */
  readonly allowsPlain: boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Gets a token that may pull from one repository. */
export async function fetchToken(request: TokenRequest): Promise<Token> {
  const { client, challenge, repository, credentials, signal, now } = request;
  const url = realmOf(request);
  const scope = `repository:${repository}:pull`;
  const isExchange = credentials?.kind === 'identityToken';
  const headers: Record<string, string> = {};
  let body: string | undefined;
  if (isExchange) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: credentials.token,
      service: challenge.service,
      scope,
      client_id: 'waygate',
    }).toString();
  } else {
    if (challenge.service !== '') url.searchParams.set('service', challenge.service);
    url.searchParams.append('scope', scope);
    if (credentials?.kind === 'password') headers.authorization = basic(credentials);
  }
  const method = isExchange ? 'POST' : 'GET';
  const response = await client.send({ method, ...targetOf(url), headers, body, signal });
  if (response.statusCode !== 200) throw await registryError(method, url, response);
  const answer = (await readBody(response, 262_144, 'the token')).toString();
  return tokenIn(answer, now());
}

export function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function realmOf({ challenge, credentials, allowsPlain }: TokenRequest): URL {
  const refuse = (why: string) => new GitOpsError('WG_GITOPS_AUTH', why);
  let url: URL;
  try {
    url = new URL(challenge.realm);
  } catch {
    throw refuse('the registry sends for a token to what is no URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`the registry sends for a token to '${url.protocol}'`);
  }
  if (url.protocol === 'http:' && credentials !== undefined && !allowsPlain) {
    throw refuse(
      'the registry sends for a token to a server without TLS, which gets no credentials unless spec.insecure is true',
    );
  }
  return url;
}

function tokenIn(text: string, nowMs: number): Token {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What it is shows below.
  }
  if (isObject(value)) {
    const token = [value.token, value.access_token].find((one) => typeof one === 'string');
    if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
      const seconds = typeof value.expires_in === 'number' ? value.expires_in : 60;
      // A little early, so that none runs out on its way.
      const lifeMs = Math.max(0, Math.min(seconds, 3600) - 10) * 1000;
      return { authorization: `Bearer ${token}`, expiresMs: nowMs + lifeMs };
    }
  }
  throw new GitOpsError('WG_GITOPS_AUTH', 'the registry gave no token');
}
