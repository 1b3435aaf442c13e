import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@waygate/runtime';
import type { Person, PersonProof } from '../access/person.ts';
import type { CookieSeal } from './cookie-seal.ts';

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
/** What browsers take of a cookie, less its name and settings. */
const longestCookie = 3_800;
const use = 'session';

export interface SessionsOptions {
  /** The cookie's name: cookies of one host are seen by all its ports, so each server has its own. */
  readonly cookie: string;
  /** Whether it is sent over TLS alone. */
  readonly isSecure: boolean;
  readonly clock: Clock;
  readonly lifetimeMs?: number;
  /** Where several servers stand behind one address: what they read each other's cookies with. */
  readonly shared?: SharedSessions | undefined;
}

export interface SharedSessions {
  readonly seal: CookieSeal;
  /** Somebody by what another server knew them by; undefined when it counts no more. */
  readonly personOf: (proof: PersonProof) => Promise<Person | undefined>;
}

/** What stands in a sealed cookie. */
interface Sealed {
  readonly proof: PersonProof;
  /** Milliseconds since 1970: servers have no other time in common. */
  readonly until: number;
}

/**
 * Who has signed in, by a cookie that no script can read and no other site can send.
 *
 * ```ts
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: true, clock: systemClock });
 * const cookie = sessions.open({ name: 'ann', key: 'ann', client });
 * cookie.includes('HttpOnly'); // true
 * ```
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By the digest of the cookie's value, oldest first: what is kept here opens nothing. */
  readonly #kept = new Map<string, Kept>();
  /** Those of others that are being looked into, so that several requests at once ask once. */
  readonly #opening = new Map<string, Promise<Kept | undefined>>();
  /** Sealed ones that were given back here; others do not know it. */
  readonly #returned = new Map<string, number>();
  readonly #key: Buffer;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#key = options.shared?.seal.keyFor('csrf') ?? randomBytes(32);
  }

  /** What to read and write cookies with that other servers read and write, too. */
  get seal(): CookieSeal | undefined {
    return this.#options.shared?.seal;
  }

  /** Signs somebody in; gives the header that sets the cookie. */
  open(person: Person, lifetimeMs = this.#options.lifetimeMs ?? defaultLifetimeMs): string {
    const value = this.#valueFor(person, lifetimeMs);
    this.#keep(digestOf(value), person, lifetimeMs);
    return this.#cookie(value, Math.floor(lifetimeMs / 1_000));
  }

  /** Signs them out; gives the header that takes the cookie away. */
  close(request: IncomingMessage): string {
    const value = cookieOf(request, this.#options.cookie);
    const kept = value === undefined ? undefined : this.#kept.get(digestOf(value));
    if (kept !== undefined) {
      this.#kept.delete(kept.id);
      if (this.seal !== undefined) this.#returned.set(kept.id, kept.untilMs);
      kept.person.end?.();
    }
    return this.#cookie('', 0);
  }

  async find(request: IncomingMessage): Promise<KnownSession | undefined> {
    const value = cookieOf(request, this.#options.cookie);
    if (value === undefined) return undefined;
    const id = digestOf(value);
    const kept = this.#kept.get(id) ?? (await this.#fromElsewhere(id, value));
    if (kept === undefined || kept.untilMs <= this.#options.clock.monotonicMs()) return undefined;
    return { person: kept.person, csrfToken: this.csrfTokenOf(id) };
  }

  #keep(id: string, person: Person, lifetimeMs: number): Kept {
    this.#sweep();
    const kept = { person, id, untilMs: this.#options.clock.monotonicMs() + lifetimeMs };
    this.#kept.set(id, kept);
    return kept;
  }

  #valueFor({ proof }: Person, lifetimeMs: number): string {
    if (this.seal !== undefined && proof !== undefined) {
      const sealed: Sealed = { proof, until: this.#options.clock.now() + lifetimeMs };
      const value = this.seal.seal(use, sealed);
      if (value.length <= longestCookie) return value;
    }
    return randomBytes(32).toString('base64url');
  }

  /** Somebody who signed in at another server, or at this one before it was started anew. */
  #fromElsewhere(id: string, value: string): Promise<Kept | undefined> {
    const { shared, clock } = this.#options;
    if (shared === undefined || this.#returned.has(id)) return Promise.resolve(undefined);
    const known = this.#opening.get(id);
    if (known !== undefined) return known;
    const sealed = shared.seal.open(use, value) as Sealed | undefined;
    const leftMs = sealed === undefined ? 0 : sealed.until - clock.now();
    if (sealed === undefined || leftMs <= 0) return Promise.resolve(undefined);
    const opening = shared
      .personOf(sealed.proof)
      .then((person) => person && this.#keep(id, person, leftMs))
      .finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
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
    for (const [id, untilMs] of this.#returned) if (untilMs <= now) this.#returned.delete(id);
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
