import type { RouterFlavor } from '@waygate/kong';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRouters } from './create-router.ts';
import type { RouteChange, RouteEntry, RouteRequest } from './route-match.ts';

const flavors: readonly RouterFlavor[] = ['traditional', 'traditional_compatible', 'expressions'];

const hosts = ['a.test', 'b.test', '*.test', 'a.*', 'a.test:81', '*.b.test:82'];
const paths = ['/', '/a', '/a/b', '/ab', '~/a/\\d+', '~/(?<x>b+)', '/é', '/a/bc', '/a/b/c', '/b'];
const expressions = [
  'http.path ^= "/a"',
  'http.path == "/a/b"',
  'http.host == "a.test" && http.path ^= "/a" && http.path ^= "/a/b"',
  'http.host =^ ".test" || http.path ^= "/b"',
  '(http.path ^= "/a" || http.path ^= "/a/b") && http.method == "GET"',
  'lower(http.path) ^= "/a"',
  'lower(http.host) == "a.test" && http.path ^= "/a"',
  'lower(http.host) =^ ".test" && lower(http.host) ~ "^[ab]\\\\."',
  'lower(http.host) ^= "b." || lower(http.host) == "a.test."',
  '!(http.host == "a.test")',
  'http.path ~ r#"^/a/(\\d+)"#',
  'http.headers.x_v == "1" && http.host == "b.test"',
];

const pick = (from: readonly string[]) =>
  fc.subarray([...from], { maxLength: Math.min(3, from.length) });

const route = fc.record({
  hosts: pick(hosts),
  paths: pick(paths),
  methods: pick(['GET', 'POST']),
  snis: pick(['s.test', 't.test']),
  headers: fc.constantFrom({}, { 'x-v': ['1'] }, { 'x-v': ['~*^1'], 'x-w': ['2', '3'] }),
  protocols: fc.constantFrom(['http', 'https'], ['https'], ['tcp'], ['tls']),
  regex_priority: fc.nat(2),
  strip_path: fc.boolean(),
  created_at: fc.nat(2),
  expression: fc.option(fc.constantFrom(...expressions), { freq: 2 }),
  priority: fc.nat(2),
});

const service = fc.constantFrom(undefined, { id: 's1', path: '/s' }, { id: 's2', path: '/t/' });

/** A route under one of few ids, or its end. */
const change = fc.record({
  id: fc.constantFrom('r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'),
  entry: fc.option(fc.record({ route, service }), { freq: 4, nil: undefined }),
});

const request: fc.Arbitrary<RouteRequest> = fc
  .record({
    protocol: fc.constantFrom('http' as const, 'https' as const),
    method: fc.constantFrom('GET', 'POST', 'PUT'),
    path: fc.constantFrom(
      '/',
      '/a',
      '/a/b',
      '/a/b/c',
      '/ab',
      '/a/12',
      '/bbb',
      '/é/x',
      '/A/b',
      '/z',
    ),
    host: fc.constantFrom('a.test', 'b.test', 'x.b.test', 'a.test:81', 'a.org', 'x.b.test:82'),
    sni: fc.constantFrom(undefined, 's.test', 't.test'),
    value: fc.constantFrom(undefined, '1', '2'),
  })
  .map(({ value, ...rest }) => ({
    ...rest,
    sourceIp: '10.0.0.1',
    sourcePort: 1,
    destinationIp: '127.0.0.1',
    destinationPort: 80,
    header: (name) =>
      value === undefined ? undefined : name.startsWith('x-') ? [value] : undefined,
    query: () => undefined,
  }));

function toChange(
  { id, entry }: { id: string; entry: { route: object; service: object | undefined } | undefined },
  flavor: RouterFlavor,
): RouteChange {
  if (entry === undefined) {
    return { id, entry: undefined };
  }
  const { expression, ...fields } = entry.route as { expression: string | null };
  const own = flavor === 'expressions' ? { ...fields, expression } : fields;
  return { id, entry: { route: { ...own, id }, service: entry.service } as RouteEntry };
}

describe.each(flavors)('the %s router that is changed', (flavor) => {
  test('decides every request as one made anew, and older versions as they did', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        fc.array(request, { minLength: 1, maxLength: 8 }),
        (batches, requests) => {
          const routes = new Map<string, RouteEntry>();
          const versions = [createRouters(flavor, [])];
          const decisions = [requests.map((ask) => versions[0]?.http.match(ask))];
          for (const batch of batches) {
            const changes = batch.map((one) => toChange(one, flavor));
            for (const { id, entry } of changes) {
              if (entry === undefined) routes.delete(id);
              else routes.set(id, entry);
            }
            const next = versions.at(-1)?.change(changes);
            if (next === undefined) throw new Error('there is always a version');
            versions.push(next);
            const anew = createRouters(flavor, [...routes.values()]);
            decisions.push(requests.map((ask) => anew.http.match(ask)));
            const streams = requests.map((ask) => ({ ...ask, path: '', host: '' }));
            expect(streams.map((ask) => next.stream.match(ask))).toEqual(
              streams.map((ask) => anew.stream.match(ask)),
            );
          }
          for (const [at, version] of versions.entries()) {
            expect(requests.map((ask) => version.http.match(ask))).toEqual(decisions[at]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('a change among many routes touches no other', () => {
    const entry = (index: number, path = `/p${index}`): RouteEntry => ({
      route: { id: `r${index}`, protocols: ['http'], hosts: [`h${index}.test`], paths: [path] },
      service: undefined,
    });
    const many = Array.from({ length: 5_000 }, (_, index) => entry(index));
    let version = createRouters(flavor, many);
    const ask = (index: number, path: string): RouteRequest =>
      ({
        ...fc.sample(request, 1)[0],
        ...({ protocol: 'http', method: 'GET', sni: undefined, header: () => undefined } as object),
        host: `h${index}.test`,
        path,
      }) as RouteRequest;
    const untouched = version.http.match(ask(1, '/p1'))?.entry;
    for (let index = 0; index < 1_000; index += 1) {
      version = version.change([{ id: `r${index + 2}`, entry: entry(index + 2, '/other') }]);
    }
    expect(version.http.match(ask(1, '/p1'))?.entry).toBe(untouched);
    expect(version.http.match(ask(900, '/p900'))).toBeUndefined();
    expect(version.http.match(ask(900, '/other'))?.entry.route.id).toBe('r900');
  });
});
