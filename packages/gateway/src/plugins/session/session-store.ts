import { randomBytes } from 'node:crypto';
import type { PluginStorage } from '../../storage/plugin-storage.ts';
import type { Session } from './session-cookie.ts';

/** What is asked of the store; plain data, since workers ask from other processes. */
export type SessionRequest =
  | { readonly action: 'get'; readonly id: string; readonly now: number }
  | {
      readonly action: 'put';
      readonly session: Session;
      readonly expiresAt: number;
      readonly now: number;
    }
  | { readonly action: 'delete'; readonly id: string }
  /** What cookies are sealed with where the configuration names no secret. */
  | { readonly action: 'secret' };

interface Kept {
  readonly session: Session;
  readonly expiresAt: number;
}

const secretKey = 'secret';
const mostSessions = 100_000;
/** How many of the oldest are looked at when one comes, so that those that ran out go in time. */
const swept = 16;

/** The sessions of `storage: kong`, for all processes of the node; on disk if it has a database. */
export class SessionStore {
  readonly #sessions = new Map<string, Kept>();
  #storage: PluginStorage | undefined;
  #secret: string | undefined;

  open(storage: PluginStorage, now: number): void {
    this.#storage = storage;
    for (const [id, value] of [...storage.entries()]) {
      if (id === secretKey) {
        this.#secret = String(value);
        continue;
      }
      const kept = value as Kept;
      if (kept.expiresAt > now) this.#sessions.set(id, kept);
      else storage.delete(id);
    }
  }

  handle(request: SessionRequest): unknown {
    switch (request.action) {
      case 'get': {
        const kept = this.#sessions.get(request.id);
        return kept !== undefined && kept.expiresAt > request.now ? kept.session : undefined;
      }
      case 'put':
        this.#put(request);
        return this.#storage?.flush();
      case 'delete':
        this.#delete(request.id);
        return this.#storage?.flush();
      case 'secret':
        return this.#ownSecret();
    }
  }

  async #ownSecret(): Promise<string> {
    if (this.#secret === undefined) {
      this.#secret = randomBytes(32).toString('base64url');
      this.#storage?.put(secretKey, this.#secret);
    }
    const secret = this.#secret;
    try {
      await this.#storage?.flush();
    } catch (error) {
      // One that is not kept would lock everybody out after a restart: the next who asks makes another.
      this.#secret = undefined;
      throw error;
    }
    return secret;
  }

  #put({ session, expiresAt, now }: SessionRequest & { action: 'put' }): void {
    // One that is used moves to the end: what stands in front ran out first, or nearly so.
    this.#sessions.delete(session.id);
    let looked = 0;
    for (const [id, kept] of this.#sessions) {
      if (kept.expiresAt <= now || this.#sessions.size >= mostSessions) this.#delete(id);
      looked += 1;
      if (looked >= swept) break;
    }
    const kept = { session, expiresAt };
    this.#sessions.set(session.id, kept);
    this.#storage?.put(session.id, kept);
  }

  #delete(id: string): void {
    if (this.#sessions.delete(id)) this.#storage?.delete(id);
  }
}
