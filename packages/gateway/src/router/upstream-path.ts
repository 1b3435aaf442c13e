/**
 * Joins a service's path with a request's path as `path_handling: v0` does: exactly one slash between
 * them, and a trailing slash only if the request had one.
 */
export function joinUpstreamPathV0(
  isStripping: boolean,
  postfix: string,
  requestPath: string,
  base: string,
): string {
  const endsWithSlash = base.endsWith('/');
  if (!isStripping) {
    if (endsWithSlash) return base + requestPath.slice(1);
    return requestPath === '/' ? base : base + requestPath;
  }
  if (postfix === '') return joinNothing(base, endsWithSlash, requestPath);
  if (postfix.startsWith('/')) return (endsWithSlash ? base.slice(0, -1) : base) + postfix;
  return endsWithSlash ? base + postfix : `${base}/${postfix}`;
}

/** Plain concatenation, `path_handling: v1`; only the traditional router still knows it. */
export function joinUpstreamPathV1(
  isStripping: boolean,
  postfix: string,
  requestPath: string,
  base: string,
): string {
  if (!isStripping) return base + requestPath.slice(1);
  return base.endsWith('/') && postfix.startsWith('/')
    ? base.slice(0, -1) + postfix
    : base + postfix;
}

/** A postfix may not smuggle a dot segment past normalisation, as in `/prefix..` with `/prefix` stripped. */
export function sanitizePostfix(postfix: string): string {
  if (postfix === '.' || postfix === '..') return '';
  if (postfix.startsWith('./')) return postfix.slice(2);
  return postfix.startsWith('../') ? postfix.slice(3) : postfix;
}

function joinNothing(base: string, endsWithSlash: boolean, requestPath: string): string {
  if (!endsWithSlash) {
    return requestPath.length > 1 && requestPath.endsWith('/') ? `${base}/` : base;
  }
  if (base === '/' || requestPath.endsWith('/')) return base;
  return base.slice(0, -1);
}
