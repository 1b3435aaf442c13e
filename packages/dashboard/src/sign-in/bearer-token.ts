import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@waygate/runtime';
import type { Person } from '../access/person.ts';
import { DashboardError } from '../dashboard-error.ts';
import { readJsonBody, textField } from '../http/request-body.ts';
import type { People } from './people.ts';
import type { KnownSession, Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

interface Seen {
  readonly person: Promise<Person | undefined>;
  readonly untilMs: number;
}

/** How long a token that came with a request is taken for good without asking again. */
const rememberMs = 10_000;
const mostRemembered = 500;

/**
 * The way in for those with a token of the Kubernetes API: with every request, or once for a cookie.
 *
 * ```ts
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: true, clock: systemClock });
 * const signIn = new BearerToken(new People(client.config), sessions, systemClock);
 * ```
 */
export class BearerToken implements SignIn {
  readonly choices = { token: true } as const;
  readonly #people: People;
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(people: People, sessions: Sessions, clock: Clock) {
    this.#people = people;
    this.#sessions = sessions;
    this.#clock = clock;
  }

  async find(request: IncomingMessage): Promise<KnownSession | undefined> {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) return this.#sessions.find(request);
    const person = await this.#owner(token);
    return person && { person, csrfToken: this.#sessions.csrfTokenOf(person.key) };
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    if (request.method !== 'POST') return false;
    if (url.pathname === '/api/sign-out') {
      response.writeHead(204, { 'Set-Cookie': this.#sessions.close(request) }).end();
      return true;
    }
    if (url.pathname !== '/api/sign-in') return false;
    const person = await this.#people.ofToken(
      textField(await readJsonBody(request), 'token'),
      false,
    );
    if (person === undefined)
      throw new DashboardError('WG_DASHBOARD_UNAUTHENTICATED', 'the API does not know this token');
    response.writeHead(204, { 'Set-Cookie': this.#sessions.open(person) }).end();
    return true;
  }

  #owner(token: string): Promise<Person | undefined> {
    const now = this.#clock.monotonicMs();
    const id = createHash('sha256').update(token).digest('base64url');
    const seen = this.#seen.get(id);
    if (seen !== undefined && seen.untilMs > now) return seen.person;
    // Wrong tokens are many: the table must not grow with them.
    if (this.#seen.size >= mostRemembered) this.#seen.clear();
    const person = this.#people.ofToken(token, true);
    this.#seen.set(id, { person, untilMs: now + rememberMs });
    person.catch(() => this.#seen.delete(id));
    return person;
  }
}
