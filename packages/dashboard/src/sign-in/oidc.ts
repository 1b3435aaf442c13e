import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@waygate/runtime';
import {
  discardBody,
  type HttpRequest,
  isObject,
  readBody,
  type Send,
  type TokenClaims,
  type TokenKey,
  tokenKeysOf,
} from '@waygate/text';
import type { Person } from '../access/person.ts';
import { DashboardError } from '../dashboard-error.ts';
import { verifiedClaims } from './id-token.ts';
import type { People } from './people.ts';
import type { KnownSession, Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

export interface OidcOptions {
  readonly people: People;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly send: Send;
  /** The provider's own name for itself; its configuration is found below it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent where the provider trusts PKCE alone. */
  readonly clientSecret?: string | undefined;
  /** Where the provider sends people back to: this server's address with `/api/sign-in/callback`. */
  readonly redirectUrl: string;
  readonly scopes?: readonly string[] | undefined;
  /**
   * Whether the API takes the ID token for a bearer token. Where it does not know the provider, the
   * dashboard asks in the name of the person instead, with these claims and this prefix.
   */
  readonly impersonation?:
    | {
        readonly userClaim: string;
        readonly groupsClaim?: string | undefined;
        readonly prefix: string;
      }
    | undefined;
}

interface Provider {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly keysUrl: string;
}

interface Pending {
  readonly verifier: string;
  readonly nonce: string;
  readonly back: string;
  readonly untilMs: number;
}

/** The same for another server, with what both have of time. */
interface SealedPending extends Omit<Pending, 'untilMs'> {
  readonly state: string;
  readonly until: number;
}

const use = 'oidc';
const pendingMs = 10 * 60_000;
const mostPending = 1_000;
const largestAnswer = 1024 * 1024;
const answerMs = 15_000;
const startPath = '/api/sign-in/oidc';
const stateCookie = 'waygate-oidc-state';

/**
 * The way in through an OpenID Connect provider: authorization code with PKCE, and a cookie at the end.
 *
 * ```ts
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: true, clock: systemClock });
 * const web = new HttpClient();
 * const signIn = new Oidc({
 *   people: new People(client.config),
 *   sessions,
 *   clock: systemClock,
 *   send: web.send,
 *   issuer: 'https://login.test',
 *   clientId: 'waygate',
 *   redirectUrl: 'https://waygate.test/api/sign-in/callback',
 * });
 * ```
 */
export class Oidc implements SignIn {
  readonly choices = { oidc: startPath };
  readonly #options: OidcOptions;
  readonly #pending = new Map<string, Pending>();
  #provider: Promise<Provider> | undefined;
  #keys: readonly TokenKey[] = [];

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  async find(request: IncomingMessage): Promise<KnownSession | undefined> {
    return this.#options.sessions.find(request);
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    if (request.method !== 'GET') return false;
    if (url.pathname === startPath) await this.#start(response, url);
    else if (url.pathname === new URL(this.#options.redirectUrl).pathname)
      await this.#finish(request, response, url);
    else return false;
    return true;
  }

  async #start(response: ServerResponse, url: URL): Promise<void> {
    const { clientId, redirectUrl, scopes = ['openid', 'profile', 'email'], clock } = this.#options;
    const { authorizationUrl } = await this.#discovered();
    const state = randomBytes(24).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const nonce = randomBytes(24).toString('base64url');
    const back = localPath(url.searchParams.get('back'));
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size < mostPending) break;
      this.#pending.delete(oldest);
    }
    this.#pending.set(state, { verifier, nonce, back, untilMs: clock.monotonicMs() + pendingMs });
    const { seal } = this.#options.sessions;
    const sealed: SealedPending = { state, verifier, nonce, back, until: clock.now() + pendingMs };
    // Another server may be the one that the provider sends the browser back to.
    const kept = seal === undefined ? state : `${state}.${seal.seal(use, sealed)}`;
    const target = new URL(authorizationUrl);
    const question = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUrl,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(question)) target.searchParams.set(name, value);
    // Lax, as the provider sends the browser back from another site; it says which browser asked.
    const secure = redirectUrl.startsWith('https:') ? '; Secure' : '';
    const cookie = `${stateCookie}=${kept}; HttpOnly; SameSite=Lax; Path=/api/sign-in/; Max-Age=600${secure}`;
    response
      .writeHead(303, { Location: target.href, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' })
      .end();
  }

  async #finish(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const state = url.searchParams.get('state') ?? '';
    const [begun, sealed = ''] = cookieOf(request).split('.');
    const pending = this.#pending.get(state) ?? this.#begunElsewhere(state, sealed);
    this.#pending.delete(state);
    const isInTime = pending !== undefined && pending.untilMs > this.#options.clock.monotonicMs();
    if (pending === undefined || !isInTime || begun !== state)
      throw unauthenticated('this sign-in was not begun here, or took too long: begin again');
    const refusal = url.searchParams.get('error');
    if (refusal !== null)
      throw unauthenticated(
        `the provider refuses: ${refusal.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')}`,
      );
    const token = await this.#exchange(url.searchParams.get('code') ?? '', pending.verifier);
    const claims = await this.#verified(token, pending.nonce);
    const person = await this.#personOf(token, claims);
    const leftMs = Number(claims.exp) * 1_000 - this.#options.clock.now();
    // A token that the API is asked with is worth no more than it lasts.
    const lifetimeMs =
      this.#options.impersonation === undefined ? Math.max(leftMs, 1_000) : undefined;
    response
      .writeHead(303, {
        Location: pending.back,
        'Set-Cookie': [
          this.#options.sessions.open(person, lifetimeMs),
          `${stateCookie}=; HttpOnly; SameSite=Lax; Path=/api/sign-in/; Max-Age=0`,
        ],
        'Cache-Control': 'no-store',
      })
      .end();
  }

  #begunElsewhere(state: string, text: string): Pending | undefined {
    const { sessions, clock } = this.#options;
    const sealed = sessions.seal?.open(use, text) as SealedPending | undefined;
    if (sealed === undefined || sealed.state !== state) return undefined;
    const { verifier, nonce, back, until } = sealed;
    return { verifier, nonce, back, untilMs: clock.monotonicMs() + until - clock.now() };
  }

  async #exchange(code: string, verifier: string): Promise<string> {
    const { clientId, clientSecret, redirectUrl } = this.#options;
    const { tokenUrl } = await this.#discovered();
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUrl,
      code_verifier: verifier,
      ...(clientSecret === undefined ? { client_id: clientId } : {}),
    });
    const basic = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
    const answer = await this.#json(tokenUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientSecret === undefined
          ? {}
          : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      },
      body: form.toString(),
    });
    if (typeof answer.id_token === 'string') return answer.id_token;
    throw unauthenticated(
      'the provider gave no ID token: is the scope openid among those asked for?',
    );
  }

  async #verified(token: string, nonce: string): Promise<TokenClaims> {
    const { issuer, clientId, clock } = this.#options;
    const expected = { issuer, clientId, nonce, nowMs: clock.now() };
    try {
      if (this.#keys.length > 0) return verifiedClaims(token, this.#keys, expected);
    } catch (error) {
      // The provider may have other keys by now; anything else comes out the same again.
      if (!(error instanceof DashboardError)) throw error;
    }
    const { keysUrl } = await this.#discovered();
    this.#keys = tokenKeysOf(await this.#json(keysUrl));
    return verifiedClaims(token, this.#keys, expected);
  }

  async #personOf(token: string, claims: TokenClaims): Promise<Person> {
    const { people, impersonation } = this.#options;
    if (impersonation === undefined) {
      const person = await people.ofToken(token, false);
      if (person !== undefined) return person;
      throw unauthenticated('the Kubernetes API does not take tokens of this provider');
    }
    const { userClaim, groupsClaim, prefix } = impersonation;
    const user = claims[userClaim];
    if (typeof user !== 'string' || user === '')
      throw unauthenticated(`the ID token has no claim ${userClaim}`);
    if (userClaim === 'email' && claims.email_verified === false)
      throw unauthenticated('the address of this account has not been verified');
    const listed = groupsClaim === undefined ? [] : claims[groupsClaim];
    const groups = (Array.isArray(listed) ? listed : []).filter(
      (group): group is string => typeof group === 'string',
    );
    const named = [user, ...groups].map((name) => `${prefix}${name}`);
    // Names of the cluster's own are nobody's to claim.
    const [name = '', ...rest] = named;
    if (name.startsWith('system:')) throw unauthenticated('this name is reserved');
    return people.impersonated({
      user: name,
      groups: rest.filter((each) => !each.startsWith('system:')),
    });
  }

  async #discovered(): Promise<Provider> {
    this.#provider ??= this.#discover();
    return this.#provider.catch((error: unknown) => {
      this.#provider = undefined;
      throw error;
    });
  }

  async #discover(): Promise<Provider> {
    const { issuer } = this.#options;
    const document = await this.#json(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    );
    const address = (field: string): string => {
      const value = document[field];
      if (typeof value === 'string' && URL.canParse(value)) return value;
      throw upstream(`the provider's configuration has no ${field}`);
    };
    if (document.issuer !== issuer)
      throw upstream(`the provider calls itself ${String(document.issuer)}, and not ${issuer}`);
    return {
      authorizationUrl: address('authorization_endpoint'),
      tokenUrl: address('token_endpoint'),
      keysUrl: address('jwks_uri'),
    };
  }

  async #json(
    url: string,
    request: Pick<HttpRequest, 'method' | 'headers' | 'body'> = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const { origin, pathname, search } = new URL(url);
    try {
      const answer = await this.#options.send({
        ...request,
        origin,
        path: `${pathname}${search}`,
        headers: { accept: 'application/json', ...request.headers },
        signal: AbortSignal.timeout(answerMs),
      });
      if (answer.statusCode !== 200) {
        discardBody(answer);
        throw new Error(`it answers ${answer.statusCode}`);
      }
      const value: unknown = JSON.parse((await readBody(answer, largestAnswer)).toString('utf8'));
      if (isObject(value)) return value;
      throw new Error('it answers no JSON object');
    } catch (error) {
      throw upstream(`the identity provider: ${(error as Error).message}`, error);
    }
  }
}

function cookieOf({ headers }: IncomingMessage): string {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === stateCookie) return value;
  }
  return '';
}

/** A path of this server and nothing else. */
function localPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])[^\s\\]*$/.test(text) ? text : '/';
}

function unauthenticated(message: string): DashboardError {
  return new DashboardError('WG_DASHBOARD_UNAUTHENTICATED', message);
}

function upstream(message: string, cause?: unknown): DashboardError {
  return new DashboardError('WG_DASHBOARD_UPSTREAM', message, { cause });
}
