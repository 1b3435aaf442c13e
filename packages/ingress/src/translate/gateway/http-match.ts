import type { HttpRouteMatch, ValueMatch } from '../../objects/gateway-api.ts';
import { type Annotations, annotation } from '../annotations.ts';
import { allOf, anyOf, compare, type Matcher } from '../expression.ts';
import {
  anchored,
  headerField,
  methodMatcher,
  pathSegmentsMatcher,
} from '../expression-matchers.ts';
import { stableJson } from '../stable-json.ts';

const regularExpression = 'RegularExpression';

/**
 * Matches with equal keys differ only in their paths, so that one route can hold them. Of headers
 * and query parameters with equivalent names only the first counts, as the Gateway API says.
 */
export function matchKey(match: HttpRouteMatch): string {
  const headers = firstOfName(match.headers ?? [], (name) => name.toLowerCase());
  const query = firstOfName(match.queryParams ?? [], (name) => name);
  return stableJson([match.method ?? '', headers, query]);
}

function firstOfName(
  matches: readonly ValueMatch[],
  normalize: (name: string) => string,
): ValueMatch[] {
  const seen = new Map<string, ValueMatch>();
  for (const match of matches) {
    const name = normalize(match.name);
    if (!seen.has(name)) seen.set(name, { ...match, name });
  }
  return [...seen.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The paths of a traditional route; none when the match is not by path. */
export function matchPaths({ path }: HttpRouteMatch): string[] {
  if (!path) return [];
  const value = path.value ?? '/';
  switch (path.type ?? 'PathPrefix') {
    case 'Exact':
      return [`~${value}$`];
    case regularExpression:
      return [`~${value}`];
    default:
      return [`~${value}$`, value.endsWith('/') ? value : `${value}/`];
  }
}

/** Headers of a traditional route, or a text that says what it cannot do. */
export function matchHeaders(match: HttpRouteMatch): Record<string, string[]> | string {
  const headers = new Map<string, string[]>();
  for (const { name, type, value } of match.headers ?? []) {
    if (headers.has(name))
      return `multiple header matches for the same header are not allowed: ${name}`;
    if (type && type !== 'Exact' && type !== regularExpression)
      return `unknown/unsupported header match type: ${type}`;
    headers.set(name, [type === regularExpression ? `~*${value}` : value]);
  }
  return Object.fromEntries(headers);
}

export function httpMatchMatcher(match: HttpRouteMatch, annotations: Annotations): Matcher {
  return allOf(
    httpPathMatcher(match, annotations),
    valuesMatcher(match.headers ?? [], headerField),
    valuesMatcher(match.queryParams ?? [], (name) => `http.queries.${name}`),
    match.method ? methodMatcher([match.method]) : '',
  );
}

function httpPathMatcher({ path }: HttpRouteMatch, annotations: Annotations): Matcher {
  if (!path) return '';
  const value = path.value ?? '';
  switch (path.type ?? 'PathPrefix') {
    case 'Exact':
      return compare('http.path', '==', value);
    case regularExpression: {
      const segmentPrefix = annotation(annotations, 'segment-prefix') ?? '/#';
      if (segmentPrefix !== '' && value.startsWith(segmentPrefix))
        return pathSegmentsMatcher(value.slice(segmentPrefix.length)) ?? '';
      return compare('http.path', '~', anchored(value));
    }
    default: {
      if (value === '' || value === '/') return compare('http.path', '^=', '/');
      const base = value.replace(/\/$/u, '');
      return anyOf(compare('http.path', '==', base), compare('http.path', '^=', `${base}/`));
    }
  }
}

export function valuesMatcher(
  matches: readonly ValueMatch[],
  field: (name: string) => string,
): Matcher {
  return allOf(
    ...[...matches]
      .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
      .map(({ name, type, value }) =>
        compare(field(name), type === regularExpression ? '~' : '==', value),
      ),
  );
}
