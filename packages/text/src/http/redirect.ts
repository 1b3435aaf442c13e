import { discardBody } from './body.ts';
import { type HttpHeaders, type HttpRequest, headerOf, type Send, targetOf } from './message.ts';

/** How far a request goes where it is sent. */
export interface RedirectPolicy {
  readonly maxHops: number;
  /** Whether somebody who was asked with TLS may send to where there is none. */
  readonly allowsPlain?: boolean | undefined;
  /** The error for what is not followed. */
  readonly refuse: (why: string) => Error;
}

/** What says who asks: it stays with the server that it is meant for. */
const ownHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Goes where the server sends a read. Another server does not get to see who asks, even if it sends
 * back again; writes are not sent on.
 *
 * ```ts
 * const send = redirecting(new HttpClient().send, { maxHops: 5, refuse: (why) => new Error(why) });
 * const chart = await send({ origin: 'https://charts.test', path: '/shop-1.0.0.tgz' });
 * ```
 */
export function redirecting<R extends HttpRequest>(
  send: Send<R>,
  { maxHops, allowsPlain, refuse }: RedirectPolicy,
): Send<R> {
  return async (request) => {
    let at = request;
    for (let hop = 0; ; hop++) {
      const response = await send(at);
      const location = headerOf(response.headers, 'location');
      const isRead = (at.method ?? 'GET') === 'GET' || at.method === 'HEAD';
      if (!isRead || !statuses.has(response.statusCode) || location === undefined) return response;
      discardBody(response);
      if (hop >= maxHops) throw refuse('redirects too often');
      const target = targetOf(destination(at, location, allowsPlain === true, refuse));
      const isElsewhere = target.origin !== at.origin;
      at = { ...at, ...target, ...(isElsewhere ? { headers: withoutOwn(at.headers) } : {}) };
    }
  };
}

function withoutOwn(headers: HttpHeaders = {}): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
}

function destination(
  { origin, path }: HttpRequest,
  location: string,
  allowsPlain: boolean,
  refuse: RedirectPolicy['refuse'],
): URL {
  let to: URL;
  try {
    to = new URL(location, `${origin}${path}`);
  } catch {
    throw refuse('redirects to what is no URL');
  }
  const isDowngrade = origin.startsWith('https:') && to.protocol !== 'https:' && !allowsPlain;
  if (isDowngrade || (to.protocol !== 'https:' && to.protocol !== 'http:')) {
    throw refuse(`redirects to '${to.protocol}'`);
  }
  return to;
}
