import type { RouteEntry } from '@waygate/gateway';
import type { KongRoute } from '@waygate/kong';
import { describe, expect, test } from 'vitest';
import { explainRoutes } from './explain-routes.ts';
import { tracedRequest } from './traced-request.ts';

const entry = (name: string, route: Partial<KongRoute>): RouteEntry => ({
  route: { id: name, name, protocols: ['http', 'https'], ...route },
  service: undefined,
});

const entries = [
  entry('everything', { paths: ['/'] }),
  entry('orders', { hosts: ['shop.test'], paths: ['/orders'], methods: ['POST'] }),
  entry('beta', { paths: ['/orders'], headers: { 'x-version': ['beta'] } }),
  entry('database', { protocols: ['tls'], snis: ['db.test'] }),
];

const rows = [
  {
    name: 'the most exact route gets the request; the others say what they lack',
    url: 'http://shop.test/orders/1',
    flags: { request: 'post' },
    match: 'orders',
    passed: { everything: [], beta: ['headers'], database: ['snis'] },
  },
  {
    name: 'every field that does not match is named',
    url: 'http://other.test/orders',
    flags: {},
    match: 'everything',
    passed: { orders: ['hosts', 'methods'], beta: ['headers'], database: ['snis'] },
  },
  {
    name: 'headers count, and a Host header stands for the host',
    url: 'http://127.0.0.1:8000/orders',
    flags: { header: ['X-Version: beta', 'Host: shop.test'] },
    match: 'beta',
    passed: { everything: [], orders: ['methods'], database: ['snis'] },
  },
  {
    name: 'a stream looks at the routes of streams only',
    url: 'tls://db.test:5432',
    flags: {},
    match: 'database',
    passed: undefined,
  },
];

describe.each(['traditional', 'traditional_compatible'] as const)('%s', (flavor) => {
  test.each(rows)('$name', ({ url, flags, match, passed }) => {
    const found = explainRoutes(flavor, entries, tracedRequest(url, flags));
    expect(found.match?.entry.route.name).toBe(match);
    if (passed === undefined) return;
    const reasons = found.passed.map(({ entry: { route }, mismatches }) => [
      route.name,
      mismatches.map(({ field }) => field),
    ]);
    expect(Object.fromEntries(reasons)).toEqual(passed);
  });
});

test('what is nearest to a match comes first', () => {
  const { passed } = explainRoutes('traditional', entries, tracedRequest('other.test/orders', {}));
  const counts = passed.map(({ mismatches }) => mismatches.length);
  expect(counts).toEqual([...counts].sort());
});

test.each([
  ['foo://shop.test/', 'foo:// is not spoken here'],
  ['http://', 'is no URL'],
  ['http://shop.test/%zz', 'answers 400'],
])('%s is refused: %s', (url, message) => {
  expect(() => tracedRequest(url, {})).toThrow(message);
});

test('a header without a name is refused', () => {
  expect(() => tracedRequest('http://shop.test/', { header: ['nonsense'] })).toThrow(
    '"nonsense" is no header',
  );
});
