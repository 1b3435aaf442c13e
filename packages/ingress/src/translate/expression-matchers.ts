import { trimEndOf } from '@waygate/text';
import { isPlainHostname, isRouteHost } from './annotations.ts';
import { allOf, anyOf, compare, type Matcher } from './expression.ts';

/** Any of the hosts; `*.example.com` matches by its suffix. Hosts that Kong would refuse are left out. */
export function hostMatcher(hosts: readonly string[]): Matcher {
  return anyOf(
    ...hosts
      .filter(isRouteHost)
      .map((host) =>
        host.startsWith('*')
          ? compare('http.host', '=^', host.slice(1))
          : compare('http.host', '==', host),
      ),
  );
}

export function sniMatcher(snis: readonly string[]): Matcher {
  return anyOf(...snis.filter(isPlainHostname).map((sni) => compare('tls.sni', '==', sni)));
}

/** As hosts, of the names that clients of TLS ask for. */
export function serverNameMatcher(hosts: readonly string[]): Matcher {
  return anyOf(
    ...hosts
      .filter(isRouteHost)
      .map((host) =>
        host.startsWith('*')
          ? compare('tls.sni', '=^', host.slice(1))
          : compare('tls.sni', '==', host),
      ),
  );
}

export function methodMatcher(methods: readonly string[]): Matcher {
  return anyOf(...methods.filter(isMethod).map((method) => compare('http.method', '==', method)));
}

export function isMethod(text: string): boolean {
  return /^[A-Z]+$/u.test(text);
}

/** Header names appear in expressions in lower case with underscores. */
export function headerField(name: string): string {
  return `http.headers.${name.toLowerCase().replaceAll('-', '_')}`;
}

/** From annotations: any value of each header, all headers; `~*` in front makes a regular expression. */
export function headersMatcher(headers: Readonly<Record<string, readonly string[]>>): Matcher {
  return allOf(
    ...Object.keys(headers)
      .sort()
      .filter((name) => name.toLowerCase() !== 'host')
      .map((name) =>
        anyOf(
          ...headers[name]!.map((value) =>
            value.startsWith('~*')
              ? compare(headerField(name), '~', value.slice(2))
              : compare(headerField(name), '==', value),
          ),
        ),
      ),
  );
}

/** A regular expression of the router matches anywhere in the path; ours start at its beginning. */
export function anchored(regex: string): string {
  return regex.startsWith('^') ? regex : `^${regex}`;
}

/** A path given by segments: `*` is any one segment, `**` at the end is any rest. */
export function pathSegmentsMatcher(path: string): Matcher | undefined {
  const segments = trimEndOf(path.replace(/^\/+/u, ''), '/').split('/');
  const last = segments.length - 1;
  const length =
    segments[last] === '**'
      ? compare('http.path.segments.len', '>=', last)
      : compare('http.path.segments.len', '==', segments.length);
  const matchers = [length];
  for (const [index, segment] of segments.entries()) {
    if (segment === '**' && index !== last) return undefined;
    if (segment === '*' || segment === '**') continue;
    matchers.push(compare(`http.path.segments.${index}`, '==', segment.replaceAll('\\*', '*')));
  }
  return allOf(...matchers);
}
