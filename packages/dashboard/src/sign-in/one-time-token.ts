import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Person } from '../access/person.ts';
import { isSameSecret, type KnownSession, type Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

/**
 * The way in on a laptop: an address with a token, which works once. Whoever can read the terminal may
 * come in; another program or page of the machine may not.
 *
 * ```ts
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: false, clock: systemClock });
 * const signIn = new OneTimeToken(sessions, { name: 'me', key: 'me', client });
 * console.log(`http://127.0.0.1:8080/?token=${signIn.renew()}`); // the one before no longer works
 * ```
 */
export class OneTimeToken implements SignIn {
  readonly choices = {};
  readonly #sessions: Sessions;
  readonly #person: Person;
  #token: string | undefined;

  constructor(sessions: Sessions, person: Person) {
    this.#sessions = sessions;
    this.#person = person;
  }

  /** A token that opens the door once; the one before does not any more. */
  renew(): string {
    this.#token = randomBytes(24).toString('base64url');
    return this.#token;
  }

  async find(request: IncomingMessage): Promise<KnownSession | undefined> {
    return this.#sessions.find(request);
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const token = url.searchParams.get('token');
    if (request.method !== 'GET' || url.pathname !== '/' || token === null) return false;
    const isRight = this.#token !== undefined && isSameSecret(token, this.#token);
    if (isRight) {
      this.#token = undefined;
      response.setHeader('Set-Cookie', this.#sessions.open(this.#person));
    }
    // The token leaves the address bar and the history; without a right one the page says what to do.
    response.writeHead(303, { Location: '/', 'Cache-Control': 'no-store' }).end();
    return true;
  }
}
