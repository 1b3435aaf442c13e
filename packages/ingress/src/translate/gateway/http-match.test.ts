import { describe, expect, test } from 'vitest';
import type { HttpRoute, HttpRouteMatch } from '../../objects/gateway-api.ts';
import { httpMatchMatcher, matchHeaders, matchKey, matchPaths } from './http-match.ts';
import { splitHttpRoute } from './http-priority.ts';

const path = (type: string | undefined, value?: string): HttpRouteMatch =>
  ({ path: { ...(type && { type }), ...(value !== undefined && { value }) } }) as HttpRouteMatch;

describe('paths', () => {
  test.each<[HttpRouteMatch, readonly string[], string]>([
    [{}, [], ''],
    [path('Exact', '/a'), ['~/a$'], 'http.path == "/a"'],
    [path('RegularExpression', '/a.'), ['~/a.'], 'http.path ~ "^/a."'],
    [path('RegularExpression', '^/a'), ['~^/a'], 'http.path ~ "^/a"'],
    [
      path('RegularExpression', '/#/a/*/b'),
      ['~/#/a/*/b'],
      '(http.path.segments.len == 3) && (http.path.segments.0 == "a") && (http.path.segments.2 == "b")',
    ],
    [
      path('RegularExpression', '/#/a\\*/**'),
      ['~/#/a\\*/**'],
      '(http.path.segments.len >= 1) && (http.path.segments.0 == "a*")',
    ],
    [path('RegularExpression', '/#/**/a'), ['~/#/**/a'], ''],
    [path('PathPrefix', '/a'), ['~/a$', '/a/'], '(http.path == "/a") || (http.path ^= "/a/")'],
    [path(undefined, '/a/'), ['~/a/$', '/a/'], '(http.path == "/a") || (http.path ^= "/a/")'],
    [path('PathPrefix', '/'), ['~/$', '/'], 'http.path ^= "/"'],
    [path('PathPrefix'), ['~/$', '/'], 'http.path ^= "/"'],
  ])('%j', (match, paths, expression) => {
    expect(matchPaths(match)).toEqual(paths);
    expect(httpMatchMatcher(match, {})).toBe(expression);
  });

  test('of segments have a prefix of their own, or none', () => {
    const match = path('RegularExpression', '/#/a');
    const withPrefix = (value: string) =>
      httpMatchMatcher(match, { 'konghq.com/segment-prefix': value });
    expect(withPrefix('/!')).toBe('http.path ~ "^/#/a"');
    expect(withPrefix('')).toBe('http.path ~ "^/#/a"');
  });
});

test('headers, arguments and methods are in the order of their names', () => {
  const match = {
    method: 'GET',
    headers: [
      { name: 'X-B', value: 'b', type: 'RegularExpression' },
      { name: 'X-A', value: 'a' },
    ],
    queryParams: [
      { name: 'q', value: '1', type: 'Exact' },
      { name: 'p', value: '.', type: 'RegularExpression' },
    ],
  } as HttpRouteMatch;
  expect(httpMatchMatcher(match, {})).toBe(
    '((http.headers.x_a == "a") && (http.headers.x_b ~ "b")) && ' +
      '((http.queries.p ~ ".") && (http.queries.q == "1")) && (http.method == "GET")',
  );
  expect(matchHeaders(match)).toEqual({ 'X-B': ['~*b'], 'X-A': ['a'] });
});

test.each([
  [
    [
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ],
    'multiple header matches for the same header are not allowed: a',
  ],
  [[{ name: 'a', value: '1', type: 'Odd' }], 'unknown/unsupported header match type: Odd'],
  [[{ name: 'a', value: '1', type: 'Exact' }], { a: ['1'] }],
])('headers that %j', (headers, result) => {
  expect(matchHeaders({ headers } as HttpRouteMatch)).toEqual(result);
});

test('of equivalent names the first counts', () => {
  const key = (match: object) => matchKey(match as HttpRouteMatch);
  const a = { name: 'X-A', value: '1' };
  const b = { name: 'x-b', value: '2' };
  expect(key({ headers: [a, b, { name: 'x-a', value: '3' }] })).toBe(key({ headers: [b, a] }));
  expect(key({ headers: [{ ...a, value: '3' }] })).not.toBe(key({ headers: [a] }));
  expect(key({ queryParams: [a, b] })).toBe(key({ queryParams: [b, a] }));
  expect(key({ queryParams: [{ ...a, name: 'x-a' }] })).not.toBe(key({ queryParams: [a] }));
  expect(key({ queryParams: [a] })).not.toBe(key({ headers: [a] }));
  expect(key({ method: 'GET', path: { value: '/a' } })).toBe(key({ method: 'GET' }));
  expect(key({ method: 'GET' })).not.toBe(key({}));
});

describe('priorities', () => {
  const base = 2 * 2 ** 44;
  const header = { name: 'a', value: 'b' };
  test.each<[string, object, number]>([
    ['', {}, 0],
    ['a.b', {}, 2 ** 43 + 3 * 2 ** 35],
    ['*.b', {}, 3 * 2 ** 35],
    ['', path('Exact', '/a'), 2 ** 34 + 2 ** 23],
    ['', path('RegularExpression', '/ab'), 2 ** 33 + 2 * 2 ** 23],
    ['', path(undefined, '/'), 0],
    ['', path('PathPrefix'), 0],
    ['', path('PathPrefix', '/é'), 2 * 2 ** 23],
    ['', { method: 'GET' }, 2 ** 22],
    ['', { headers: [header, header] }, 2 * 2 ** 17],
    ['', { queryParams: [header] }, 2 ** 12],
  ])('%s %j', (hostname, match, above) => {
    const route = {
      spec: { hostnames: hostname ? [hostname] : [], rules: [{ matches: [match] }] },
    } as unknown as HttpRoute;
    expect(splitHttpRoute(route)).toEqual([
      {
        route,
        hostname,
        hostIndex: 0,
        ruleIndex: 0,
        matchIndex: 0,
        match,
        basePriority: base + above,
      },
    ]);
  });

  test('a rule without matches is one, for each host', () => {
    const route = {
      spec: { hostnames: ['a', 'b'], rules: [{}, { matches: [{}, { method: 'GET' }] }] },
    } as unknown as HttpRoute;
    const places = splitHttpRoute(route).map(
      ({ hostIndex, ruleIndex, matchIndex }) => `${hostIndex}${ruleIndex}${matchIndex}`,
    );
    expect(places).toEqual(['000', '010', '011', '100', '110', '111']);
    expect(splitHttpRoute({} as HttpRoute)).toEqual([]);
  });
});
