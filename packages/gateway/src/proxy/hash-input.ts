import { randomUUID } from 'node:crypto';
import type { KongHashInput, KongUpstream } from '@waygate/kong';
import { parseCookies } from '../http/cookies.ts';
import type { RequestContext } from '../plugin/request-context.ts';

/** The value that consistent hashing goes by, from the upstream's first or else its second choice. */
export function hashInput(upstream: KongUpstream, context: RequestContext): string | undefined {
  if (upstream.algorithm !== 'consistent-hashing' && upstream.hash_on === 'none') return undefined;
  const first = hashValue(upstream.hash_on ?? 'none', context, upstream, {
    header: upstream.hash_on_header,
    query: upstream.hash_on_query_arg,
    capture: upstream.hash_on_uri_capture,
  });
  return (
    first ??
    hashValue(upstream.hash_fallback ?? 'none', context, upstream, {
      header: upstream.hash_fallback_header,
      query: upstream.hash_fallback_query_arg,
      capture: upstream.hash_fallback_uri_capture,
    })
  );
}

interface Names {
  readonly header: string | null | undefined;
  readonly query: string | null | undefined;
  readonly capture: string | null | undefined;
}

function hashValue(
  input: KongHashInput,
  context: RequestContext,
  upstream: KongUpstream,
  names: Names,
): string | undefined {
  switch (input) {
    case 'consumer':
      return context.consumer?.id ?? context.credential?.id;
    case 'ip':
      return context.client.ip;
    case 'header':
      return context.headers.getAll(names.header ?? '').join(', ') || undefined;
    case 'path':
      return context.upstream?.path;
    case 'query_arg':
      return (
        context.arguments
          .getAll(names.query ?? '')
          .sort()
          .join(',') || undefined
      );
    case 'uri_capture':
      return captureOf(context, names.capture ?? '');
    case 'cookie':
      return cookieOf(context, upstream);
    case 'none':
      return undefined;
  }
}

function captureOf(context: RequestContext, name: string): string | undefined {
  const captures = context.match?.captures;
  return /^\d+$/.test(name) ? captures?.numbered[Number(name) - 1] : captures?.named[name];
}

/** A client without the cookie gets one, so that its next request goes to the same target. */
function cookieOf(context: RequestContext, upstream: KongUpstream): string | undefined {
  const name = upstream.hash_on_cookie;
  if (name === undefined || name === null) return undefined;
  const value = parseCookies(context.headers.get('cookie') ?? '').get(name);
  if (value !== undefined) return value;
  const known = context.shared.get('hash cookie');
  const created = typeof known === 'string' ? known : randomUUID();
  context.shared.set('hash cookie', created);
  context.shared.set(
    'hash cookie header',
    `${name}=${created}; Path=${upstream.hash_on_cookie_path ?? '/'}`,
  );
  return created;
}
