import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KnownSession } from './sessions.ts';

/** How people may sign in, for a page that has to ask them. */
export interface SignInChoices {
  /** With a token of the Kubernetes API, sent to `POST /api/sign-in`. */
  readonly token?: true;
  /** At an address of this server that leads to the identity provider. */
  readonly oidc?: string;
}

/** One way in. */
export interface SignIn {
  readonly choices: SignInChoices;
  /** Who sends a request; undefined when this way does not tell. */
  find(request: IncomingMessage): Promise<KnownSession | undefined>;
  /** Answers a request that is about signing in; false when it is about something else. */
  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean>;
}
