import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@waygate/runtime';
import type { Person } from '../access/person.ts';

/** What is known of one who signed in. */
export interface KnownSession {
  readonly person: Person;
  /** Sent back with whatever changes something. */
  readonly csrfToken: string;
}

interface Kept {
  readonly person: Person;
  readonly id: string;
  readonly untilMs: number;
}

const defaultLifetimeMs = 12 * 60 * 60_000;
const mostSessions = 1_000;

export interface SessionsOptions {
  /** The cookie's name: cookies of one host are seen by all its ports, so each server has its own. */
  readonly cookie: string;
  /** Whether it is sent over TLS alone. */
  readonly isSecure: boolean;
  readonly clock: Clock;
  readonly lifetimeMs?: number;
}

/** Who has signed in, by a cookie that no script can read and no other site can send. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By the digest of the cookie's value, oldest first: what is kept here opens nothing. */
  readonly #kept = new Map<string, Kept>();
  readonly #key = randomBytes(32);

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Signs somebody in; gives the header that sets the cookie. */
  open(person: Person, lifetimeMs = this.#options.lifetimeMs ?? defaultLifetimeMs): string {
    this.#sweep();
    const value = randomBytes(32).toString('base64url');
    const untilMs = this.#options.clock.monotonicMs() + lifetimeMs;
    this.#kept.set(digestOf(value), { person, id: digestOf(value), untilMs });
    return this.#cookie(value, Math.floor(lifetimeMs / 1_000));
  }

  /** Signs them out; gives the header that takes the cookie away. */
  close(request: IncomingMessage): string {
    const value = cookieOf(request, this.#options.cookie);
    const kept = value === undefined ? undefined : this.#kept.get(digestOf(value));
    if (kept !== undefined) {
      this.#kept.delete(kept.id);
      kept.person.end?.();
    }
    return this.#cookie('', 0);
  }

  find(request: IncomingMessage): KnownSession | undefined {
    const value = cookieOf(request, this.#options.cookie);
    const kept = value === undefined ? undefined : this.#kept.get(digestOf(value));
    if (kept === undefined || kept.untilMs <= this.#options.clock.monotonicMs()) return undefined;
    return { person: kept.person, csrfToken: this.csrfTokenOf(kept.id) };
  }

  /** A token that only who can read this server's answers knows; made from what names the session. */
  csrfTokenOf(id: string): string {
    return createHmac('sha256', this.#key).update(id).digest('base64url');
  }

  #cookie(value: string, maxAge: number): string {
    const { cookie, isSecure } = this.#options;
    const secure = isSecure ? '; Secure' : '';
    return `${cookie}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${secure}`;
  }

  #sweep(): void {
    const now = this.#options.clock.monotonicMs();
    for (const [id, { untilMs, person }] of this.#kept) {
      if (untilMs > now && this.#kept.size < mostSessions) break;
      this.#kept.delete(id);
      person.end?.();
    }
  }
}

function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Whether two secrets are the same, in a time that does not tell how far they are. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
