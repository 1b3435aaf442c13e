import { randomBytes, randomUUID } from 'node:crypto';
import type { PluginStorage } from '../../storage/plugin-storage.ts';

/** A token that was given out. */
export interface IssuedToken {
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly credentialId: string;
  /** The service that it is for; undefined if credentials are global. */
  readonly serviceId: string | undefined;
  readonly userId: string | undefined;
  readonly scope: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
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
      readonly token: Omit<IssuedToken, 'id' | 'accessToken' | 'refreshToken' | 'createdAt'>;
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
  | { readonly action: 'useCode'; readonly code: string }
  /** For the Admin API: all tokens, or those of one credential or service. */
  | { readonly action: 'list'; readonly owner?: string; readonly now: number }
  /** By its id or by the token itself. */
  | { readonly action: 'get'; readonly key: string; readonly now: number }
  | { readonly action: 'put'; readonly token: IssuedToken; readonly now: number }
  | { readonly action: 'delete'; readonly key: string }
  /** A credential or service is gone: what was given out for it goes too. */
  | { readonly action: 'forgetOwner'; readonly owner: string };

const maximumEntries = 100_000;
/** How many old entries are looked at when a new one comes, so that what ran out goes in time. */
const swept = 16;

/**
 * Tokens and codes of one node, for all of its processes. With a database they outlast a restart;
 * without one who restarts the node signs its users out.
 */
export class Oauth2Store {
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #byId = new Map<string, IssuedToken>();
  readonly #byRefresh = new Map<string, IssuedToken>();
  /** By the id of a credential or a service. */
  readonly #byOwner = new Map<string, Set<IssuedToken>>();
  readonly #codes = new Map<string, AuthorizationCode>();
  #storage: PluginStorage | undefined;

  /** Takes over what is on disk, and keeps it there from now on. */
  open(storage: PluginStorage, now: number): void {
    this.#storage = storage;
    for (const [key, value] of [...storage.entries()]) {
      if (key.startsWith('code ')) {
        const code = value as AuthorizationCode;
        if (code.expiresAt > now) this.#codes.set(code.code, code);
        else storage.delete(key);
      } else {
        const token = value as IssuedToken;
        if (live(token, now) === undefined) storage.delete(key);
        else this.#index(token);
      }
    }
  }

  /** Answers when what was changed is on disk. */
  handle(request: StoreRequest): unknown {
    const answer = this.#act(request);
    const isReading = ['find', 'findRefresh', 'findCode', 'list', 'get'].includes(request.action);
    return isReading || this.#storage === undefined
      ? answer
      : this.#storage.flush().then(() => answer);
  }

  #act(request: StoreRequest): unknown {
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
        return this.#useCode(request.code);
      case 'list': {
        const { owner, now } = request;
        const all = owner === undefined ? this.#tokens.values() : (this.#byOwner.get(owner) ?? []);
        return [...all].filter((token) => live(token, now) !== undefined);
      }
      case 'get':
        return live(this.#byId.get(request.key) ?? this.#tokens.get(request.key), request.now);
      case 'put':
        return this.#put(request.token, request.now);
      case 'delete': {
        const token = this.#byId.get(request.key) ?? this.#tokens.get(request.key);
        return token !== undefined && this.#forget(token);
      }
      case 'forgetOwner':
        return [...(this.#byOwner.get(request.owner) ?? [])].map((token) => this.#forget(token));
    }
  }

  #issue(request: StoreRequest & { action: 'issue' }): IssuedToken | undefined {
    const { replaces, isRefreshTokenKept, isRefreshable, now } = request;
    const before = replaces === undefined ? undefined : this.#byRefresh.get(replaces);
    if (replaces !== undefined && before === undefined) {
      // Somebody else was quicker: a refresh token is good once.
      return undefined;
    }
    if (before !== undefined) this.#forget(before);
    const kept = isRefreshTokenKept === true ? replaces : undefined;
    const token: IssuedToken = {
      ...request.token,
      id: randomUUID(),
      createdAt: now,
      accessToken: newSecret(),
      refreshToken: isRefreshable ? (kept ?? newSecret()) : undefined,
    };
    this.#put(token, now);
    return token;
  }

  #put(token: IssuedToken, now: number): void {
    const before = this.#byId.get(token.id);
    if (before !== undefined) this.#forget(before);
    this.#makeRoom(now);
    this.#index(token);
    this.#storage?.put(`token ${token.id}`, token);
  }

  #index(token: IssuedToken): void {
    this.#tokens.set(token.accessToken, token);
    this.#byId.set(token.id, token);
    if (token.refreshToken !== undefined) this.#byRefresh.set(token.refreshToken, token);
    for (const owner of [token.credentialId, token.serviceId]) {
      if (owner !== undefined) {
        const owned = this.#byOwner.get(owner) ?? new Set();
        this.#byOwner.set(owner, owned.add(token));
      }
    }
  }

  #addCode({ code, now }: StoreRequest & { action: 'addCode' }): AuthorizationCode {
    for (const [key, { expiresAt }] of this.#codes) {
      if (expiresAt > now && this.#codes.size < maximumEntries) break;
      this.#useCode(key);
    }
    const added = { ...code, code: newSecret() };
    this.#codes.set(added.code, added);
    this.#storage?.put(`code ${added.code}`, added);
    return added;
  }

  #useCode(code: string): boolean {
    const isThere = this.#codes.delete(code);
    if (isThere) this.#storage?.delete(`code ${code}`);
    return isThere;
  }

  /** A few of the oldest go if they ran out; when there are too many, the oldest go in any case. */
  #makeRoom(now: number): void {
    let looked = 0;
    for (const token of this.#tokens.values()) {
      if (this.#tokens.size >= maximumEntries || live(token, now) === undefined) {
        this.#forget(token);
      }
      looked += 1;
      if (looked >= swept) return;
    }
  }

  #forget(token: IssuedToken): boolean {
    this.#tokens.delete(token.accessToken);
    this.#byId.delete(token.id);
    if (token.refreshToken !== undefined && this.#byRefresh.get(token.refreshToken) === token) {
      this.#byRefresh.delete(token.refreshToken);
    }
    for (const owner of [token.credentialId, token.serviceId]) {
      const owned = owner === undefined ? undefined : this.#byOwner.get(owner);
      owned?.delete(token);
      if (owner !== undefined && owned?.size === 0) this.#byOwner.delete(owner);
    }
    this.#storage?.delete(`token ${token.id}`);
    return true;
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
