import type { IncomingMessage } from 'node:http';
import { type AddressRange, plainAddress } from '@waygate/text';
import type { People } from './people.ts';
import type { KnownSession, Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

export interface ProxyHeadersOptions {
  readonly people: People;
  readonly sessions: Sessions;
  /** Where the proxy is. What comes from elsewhere may say what it likes. */
  readonly trusted: AddressRange;
  /** The headers that say who it is, and in which groups, separated by commas. */
  readonly userHeader: string;
  readonly groupHeader?: string | undefined;
}

/**
 * The way in behind a proxy that has asked already who it is. The dashboard asks the API in the name that
 * the proxy gives. Names that begin with `system:` are the cluster's own, and nobody is given one.
 *
 * ```ts
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: true, clock: systemClock });
 * const signIn = new ProxyHeaders({
 *   people: new People(client.config),
 *   sessions,
 *   trusted: parseAddressRanges(['10.0.0.0/8'])!,
 *   userHeader: 'x-forwarded-user',
 *   groupHeader: 'x-forwarded-groups',
 * });
 * ```
 */
export class ProxyHeaders implements SignIn {
  readonly choices = {};
  readonly #options: ProxyHeadersOptions;

  constructor(options: ProxyHeadersOptions) {
    this.#options = options;
  }

  async find(request: IncomingMessage): Promise<KnownSession | undefined> {
    const { people, sessions, trusted, userHeader, groupHeader } = this.#options;
    const from = plainAddress(request.socket.remoteAddress ?? '');
    if (!trusted.contains(from)) return undefined;
    const [user, ...others] = valuesOf(request, userHeader);
    // Two names are one too many: one of them may have come through the proxy.
    if (user === undefined || others.length > 0 || isOfSystem(user)) return undefined;
    const groups = (groupHeader === undefined ? [] : valuesOf(request, groupHeader))
      .flatMap((value) => value.split(','))
      .map((group) => group.trim())
      .filter((group) => group !== '' && !isOfSystem(group));
    const person = people.impersonated({ user, groups });
    return { person, csrfToken: sessions.csrfTokenOf(person.key) };
  }

  async answer(): Promise<boolean> {
    return false;
  }
}

/** Each as it came, before Node.js joins those of one name. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name.toLowerCase())
      values.push(rawHeaders[index + 1] ?? '');
  return values.filter((value) => value !== '');
}

function isOfSystem(name: string): boolean {
  return name.startsWith('system:');
}
