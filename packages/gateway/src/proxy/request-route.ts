import type { RequestContext } from '../plugin/request-context.ts';
import { decodedPath } from '../router/decoded-path.ts';
import { type NormalizedPath, normalizePath } from '../router/request-path.ts';
import type { RouteMatch } from '../router/route-match.ts';

/** The route of a request, and the path that it was matched on. */
interface RequestRoute {
  readonly match: RouteMatch | undefined;
  readonly normalized: NormalizedPath;
}

/**
 * Finds the route of a request. Routes are matched on the path as Kong normalises it, which leaves some
 * escapes as they are; those of ingress-nginx on the path that nginx sees, without any: or
 * `/admin%2Fusers` would pass by what guards `/admin`.
 *
 * @param match - looks a path up
 */
export function requestRoute(
  context: RequestContext,
  match: (path: string) => RouteMatch | undefined,
): RequestRoute {
  const { snapshot, target } = context;
  const normalized = normalizePath(target);
  const isReadable = normalized.isUtf8 || snapshot.flavor === 'traditional';
  const plain = isReadable ? match(normalized.path) : undefined;
  if (isReadable && !target.includes('%')) return { match: plain, normalized };
  // Bytes that are no text match patterns for any character only; what is sent on is the path as it came.
  const seen = { path: Buffer.from(decodedPath(target), 'latin1').toString(), isUtf8: true };
  if (isReadable && seen.path === normalized.path) return { match: plain, normalized };
  if (plain !== undefined && !isByDecodedPath(context, plain)) return { match: plain, normalized };
  const decoded = match(seen.path);
  return decoded !== undefined && isByDecodedPath(context, decoded)
    ? { match: decoded, normalized: seen }
    : { match: plain, normalized };
}

function isByDecodedPath({ snapshot }: RequestContext, { entry }: RouteMatch): boolean {
  return snapshot.plan
    .forRoute(entry.route, entry.service)
    .some((planned) => planned.resolve(undefined)?.definition.isByDecodedPath === true);
}
