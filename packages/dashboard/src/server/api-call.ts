import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KnownSession } from '../sign-in/sessions.ts';

/** One request to the API, by somebody who has signed in. */
export interface ApiCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly session: KnownSession;
  /** What stood for the `*` of the handler's path, decoded. */
  readonly parts: readonly string[];
  /** Aborts when the page goes, and when the server does. */
  readonly signal: AbortSignal;
  /** Whether whoever asked is still signed in. */
  readonly isSignedIn: () => Promise<boolean>;
}

/** Answers one; what it gives back is sent as JSON, and nothing when it has answered itself. */
export type ApiHandler = (call: ApiCall) => Promise<unknown>;

/** Finds who answers, by `GET /api/changes/*`: a star stands for one part of a path. */
export function findHandler(
  handlers: ReadonlyMap<string, ApiHandler>,
  method: string,
  path: string,
): { readonly handler: ApiHandler; readonly parts: readonly string[] } | undefined {
  const exact = handlers.get(`${method} ${path}`);
  if (exact !== undefined) return { handler: exact, parts: [] };
  const asked = path.split('/');
  for (const [pattern, handler] of handlers) {
    const [wantedMethod, wantedPath = ''] = pattern.split(' ');
    const wanted = wantedPath.split('/');
    if (wantedMethod !== method || wanted.length !== asked.length) continue;
    if (!wanted.every((part, index) => part === '*' || part === asked[index])) continue;
    const parts = asked.filter((_, index) => wanted[index] === '*').map(decoded);
    if (parts.every((part) => part !== undefined)) return { handler, parts };
  }
  return undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
