import type { KongRoute, KongService, RouterFlavor } from '@waygate/kong';
import { describe, expect, test } from 'vitest';
import { createRouters } from './create-router.ts';
import { normalizePath } from './request-path.ts';
import type { RouteEntry, RouteRequest } from './route-match.ts';

const flavors: readonly RouterFlavor[] = ['traditional', 'traditional_compatible', 'expressions'];

interface Ask {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly protocol?: RouteRequest['protocol'];
  readonly sni?: string;
  readonly sourceIp?: string;
  readonly destinationPort?: number;
}

function request(target: string, ask: Ask = {}): RouteRequest {
  const query = new URLSearchParams(target.split('?')[1]);
  return {
    protocol: ask.protocol ?? 'http',
    method: ask.method ?? 'GET',
    path: normalizePath(target).path,
    host: ask.host ?? 'x.test',
    sni: ask.sni,
    sourceIp: ask.sourceIp ?? '10.0.0.1',
    sourcePort: 40_000,
    destinationIp: '127.0.0.1',
    destinationPort: ask.destinationPort ?? 8000,
    header: (name) => ask.headers?.[name],
    query: (name) => (query.has(name) ? query.getAll(name) : undefined),
  };
}

function entry(name: string, route: KongRoute, service?: KongService): RouteEntry {
  return {
    route: { id: name, name, protocols: ['http', 'https'], strip_path: true, ...route },
    service: service ?? { name: 's', host: 'h', port: 80 },
  };
}

function routeTo(flavor: RouterFlavor, entries: readonly RouteEntry[], ask: RouteRequest) {
  return createRouters(flavor, entries).http.match(ask)?.entry.route.name;
}

describe.each(flavors)('the %s router', (flavor) => {
  const entries = [
    entry('long', { paths: ['/api/v1'] }),
    entry('short', { paths: ['/api'] }),
    entry('regex', { paths: ['~/users/(?<id>\\d+)/items'] }),
    entry('host', { hosts: ['shop.test'], paths: ['/api'] }),
    entry('wild', { hosts: ['*.wild.test'] }),
    entry('post', { paths: ['/api'], methods: ['POST'] }),
    entry('header', { paths: ['/api'], headers: { 'X-Version': ['2', '3'] } }),
  ];

  test.each([
    ['/api', {}, 'short'],
    ['/apis', {}, 'short'],
    ['/api/v1/x', {}, 'long'],
    ['/users/42/items/1', {}, 'regex'],
    ['/users/x/items', {}, undefined],
    ['/api', { host: 'shop.test:8443' }, 'host'],
    ['/zzz', { host: 'a.b.wild.test' }, 'wild'],
    ['/zzz', { host: 'wild.test' }, undefined],
    ['/api', { method: 'POST' }, 'post'],
    ['/api', { headers: { 'x-version': ['3'] } }, 'header'],
    ['/api', { headers: { 'x-version': ['4'] } }, 'short'],
  ] satisfies [string, Ask, string | undefined][])('%s with %o goes to %s', (path, ask, name) => {
    expect(routeTo(flavor, entries, request(path, ask))).toBe(name);
  });

  test('strips the prefix that matched, and hands out captures', () => {
    const match = createRouters(flavor, entries).http.match(request('/users/42/items/1'));
    expect(match?.prefix).toBe('/users/42/items');
    expect(match?.upstreamPath).toBe('/1');
    expect(match?.captures?.numbered).toEqual(['42']);
    expect(match?.captures?.named.id).toBe('42');
  });

  test('a pattern that backtracks without end does not hold the process', () => {
    const evil = [entry('evil', { paths: ['~/(a+)+$'] })];
    const startedAt = process.cpuUsage();
    routeTo(flavor, evil, request(`/${'a'.repeat(60)}!`));
    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000);
  });

  test('finds one of many routes without looking at the others', () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      entry(`r${index}`, { hosts: [`h${index}.test`], paths: [`/p${index}`] }),
    );
    const { http } = createRouters(flavor, many);
    expect(http.match(request('/p4321/x', { host: 'h4321.test' }))?.entry.route.name).toBe('r4321');
    expect(http.match(request('/p4321/x', { host: 'h1.test' }))).toBeUndefined();
  });

  test('stream routes match on addresses, ports and names', () => {
    const streams = [
      entry('net', { protocols: ['tcp'], sources: [{ ip: '10.0.0.0/8' }] }),
      entry('port', { protocols: ['tcp'], destinations: [{ port: 9000 }] }),
    ];
    const named = [entry('name', { protocols: ['tls'], snis: ['db.test.'] })];
    const ask = (more: Ask) => {
      const { stream } = createRouters(flavor, more.protocol === 'tls' ? named : streams);
      return stream.match({ ...request('/', more), path: '' })?.entry.route.name;
    };
    expect(ask({ protocol: 'tcp', sourceIp: '192.0.2.1', destinationPort: 9000 })).toBe('port');
    expect(ask({ protocol: 'tcp', sourceIp: '10.9.9.9', destinationPort: 1 })).toBe('net');
    expect(ask({ protocol: 'tls', sni: 'db.test', sourceIp: '192.0.2.1' })).toBe('name');
    expect(ask({ protocol: 'tls', sni: 'no.test', sourceIp: '192.0.2.1' })).toBeUndefined();
  });
});

describe('where the flavours differ', () => {
  test('equal routes: the higher id wins, but the older one in the traditional router', () => {
    const entries = [
      entry('a-old', { paths: ['/x'], created_at: 1 }),
      entry('b-new', { paths: ['/x'], created_at: 2 }),
    ];
    expect(routeTo('traditional', entries, request('/x'))).toBe('a-old');
    expect(routeTo('traditional_compatible', entries, request('/x'))).toBe('b-new');
  });

  test('path_handling v1 is known to the traditional router only', () => {
    const entries = [
      entry('v1', { paths: ['/r'], path_handling: 'v1' }, { name: 's', host: 'h', path: '/s' }),
    ];
    const upstream = (flavor: RouterFlavor) =>
      createRouters(flavor, entries).http.match(request('/rx'))?.upstreamPath;
    expect(upstream('traditional')).toBe('/sx');
    expect(upstream('traditional_compatible')).toBe('/s/x');
  });

  test('a plain host outweighs two other fields, as the sums of Kong have it', () => {
    const entries = [
      entry('host', { hosts: ['a.test'] }),
      entry('two', { paths: ['/p'], methods: ['GET'] }),
    ];
    const ask = request('/p', { host: 'a.test' });
    expect(routeTo('traditional_compatible', entries, ask)).toBe('host');
    expect(routeTo('traditional', entries, ask)).toBe('two');
  });
});

describe('expressions', () => {
  const match = (expression: string, ask: RouteRequest) =>
    routeTo('expressions', [entry('e', { expression, priority: 1 })], ask) === 'e';

  test.each([
    ['http.path == "/x"', '/x', {}, true],
    ['http.path ^= "/x" && http.method == "GET"', '/xy', {}, true],
    ['http.path ~ r#"^/x/\\d+$"#', '/x/12', {}, true],
    ['http.path contains "b"', '/abc', {}, true],
    ['!(http.path == "/x")', '/x', {}, false],
    ['any(http.headers.x_v) == "1"', '/', { headers: { 'x-v': ['0', '1'] } }, true],
    ['http.headers.x_v == "1"', '/', { headers: { 'x-v': ['0', '1'] } }, false],
    ['http.headers.x_v != "1"', '/', {}, false],
    ['lower(http.path) == "/x"', '/X', {}, true],
    ['net.src.ip in 10.0.0.0/8', '/', { sourceIp: '10.2.3.4' }, true],
    ['net.src.ip not in 10.0.0.0/8', '/', { sourceIp: '10.2.3.4' }, false],
    ['net.dst.port >= 8000 && net.dst.port < 9000', '/', {}, true],
    ['http.queries.q == "1"', '/?q=1', {}, true],
    ['http.path.segments.0 == "a" && http.path.segments.len == 2', '/a/b', {}, true],
    ['http.path.segments.0_1 == "a/b"', '/a/b/c', {}, true],
    ['http.host == "x.test" || http.path == "/no" && http.path == "/y"', '/x', {}, false],
    ['tls.sni == "s.test"', '/', { protocol: 'https', sni: 's.test' }, true],
  ] satisfies [string, string, Ask, boolean][])('%s on %s: %o', (text, path, ask, expected) => {
    expect(match(text, request(path, ask))).toBe(expected);
  });

  test.each(['http.path ==', 'bogus == "x"', 'http.path == 1', '((', '('.repeat(9_999)])(
    'a broken expression matches nothing and breaks nothing: %.20s',
    (text) => {
      const entries = [entry('bad', { expression: text }), entry('good', { paths: ['/'] })];
      expect(routeTo('expressions', entries, request('/'))).toBe('good');
    },
  );
});
