import { randomBytes } from 'node:crypto';

/** A token that was given out. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly credentialId: string;
  /** The service that it is for; undefined if credentials are global. */
  readonly serviceId: string | undefined;
  readonly userId: string | undefined;
  readonly scope: string | undefined;
  /** Milliseconds since the epoch; undefined if it never runs out. */
  readonly expiresAt: number | undefined;
  /** When it cannot be refreshed any more, and is forgotten. */
  readonly forgottenAt: number | undefined;
}

/** A code that a client may change for a token, once. */
export interface AuthorizationCode {
  readonly code: string;
  readonly credentialId: string;
  readonly serviceId: string | undefined;
  readonly userId: string;
  readonly scope: string | undefined;
  /** Of PKCE: the hash of what the client has to show. */
  readonly challenge: string | undefined;
  readonly expiresAt: number;
}

/** What is asked of the store; plain data, since workers ask from other processes. */
export type StoreRequest =
  | {
      readonly action: 'issue';
      readonly token: Omit<IssuedToken, 'accessToken' | 'refreshToken'>;
      readonly isRefreshable: boolean;
      /** The refresh token that this one is given out for; it is used up, unless it is kept. */
      readonly replaces?: string;
      readonly isRefreshTokenKept?: boolean;
      readonly now: number;
    }
  | { readonly action: 'find'; readonly accessToken: string; readonly now: number }
  | { readonly action: 'findRefresh'; readonly refreshToken: string; readonly now: number }
  | {
      readonly action: 'addCode';
      readonly code: Omit<AuthorizationCode, 'code'>;
      readonly now: number;
    }
  | { readonly action: 'findCode'; readonly code: string; readonly now: number }
  /** True for the one caller that gets it. */
  | { readonly action: 'useCode'; readonly code: string };

const maximumEntries = 100_000;

/** Tokens and codes of one node. They are kept in memory: who restarts the node signs its users out. */
export class Oauth2Store {
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #byRefresh = new Map<string, IssuedToken>();
  readonly #codes = new Map<string, AuthorizationCode>();

  handle(request: StoreRequest): unknown {
    switch (request.action) {
      case 'issue':
        return this.#issue(request);
      case 'find':
        return live(this.#tokens.get(request.accessToken), request.now);
      case 'findRefresh':
        return live(this.#byRefresh.get(request.refreshToken), request.now);
      case 'addCode':
        return this.#addCode(request);
      case 'findCode': {
        const found = this.#codes.get(request.code);
        return found !== undefined && found.expiresAt > request.now ? found : undefined;
      }
      case 'useCode':
        return this.#codes.delete(request.code);
    }
  }

  #issue(request: StoreRequest & { action: 'issue' }): IssuedToken | undefined {
    const { replaces, isRefreshTokenKept, isRefreshable, now } = request;
    const before = replaces === undefined ? undefined : this.#byRefresh.get(replaces);
    if (replaces !== undefined && before === undefined) {
      // Somebody else was quicker: a refresh token is good once.
      return undefined;
    }
    if (before !== undefined) {
      this.#forget(before);
    }
    const kept = isRefreshTokenKept === true ? replaces : undefined;
    const token: IssuedToken = {
      ...request.token,
      accessToken: newSecret(),
      refreshToken: isRefreshable ? (kept ?? newSecret()) : undefined,
    };
    this.#makeRoom(now);
    this.#tokens.set(token.accessToken, token);
    if (token.refreshToken !== undefined) {
      this.#byRefresh.set(token.refreshToken, token);
    }
    return token;
  }

  #addCode({ code, now }: StoreRequest & { action: 'addCode' }): AuthorizationCode {
    for (const [key, { expiresAt }] of this.#codes) {
      if (expiresAt > now && this.#codes.size < maximumEntries) {
        break;
      }
      this.#codes.delete(key);
    }
    const added = { ...code, code: newSecret() };
    this.#codes.set(added.code, added);
    return added;
  }

  /** Tokens that ran out are dropped when there are many; the oldest go if that is not enough. */
  #makeRoom(now: number): void {
    if (this.#tokens.size < maximumEntries) {
      return;
    }
    for (const token of this.#tokens.values()) {
      if (live(token, now) === undefined) {
        this.#forget(token);
      }
    }
    for (const token of this.#tokens.values()) {
      if (this.#tokens.size < maximumEntries) {
        break;
      }
      this.#forget(token);
    }
  }

  #forget(token: IssuedToken): void {
    this.#tokens.delete(token.accessToken);
    if (token.refreshToken !== undefined) {
      this.#byRefresh.delete(token.refreshToken);
    }
  }
}

function live(token: IssuedToken | undefined, now: number): IssuedToken | undefined {
  return token === undefined || (token.forgottenAt ?? Number.POSITIVE_INFINITY) <= now
    ? undefined
    : token;
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}
