import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function start(config: object = {}, respond?: Parameters<PluginGateway['backend']>[1]) {
  const port = await world.backend('a', respond);
  await world.start(port, [{ name: 'nginx-proxy', config }]);
}

const forwarded = {
  'x-real-ip': '127.0.0.1',
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': 'shop.test',
  'x-forwarded-port': '80',
  'x-forwarded-proto': 'http',
  'x-forwarded-scheme': 'http',
  'x-scheme': 'http',
};

describe('what the upstream gets', () => {
  test('the headers of ingress-nginx, and none of Kong', async () => {
    await start();
    await world.ask({ path: '/p?q=1', headers: { 'x-mine': '1', proxy: 'http://evil' } });
    const { headers, url } = world.received[0] ?? {};
    expect(url).toBe('/p?q=1');
    expect(headers).toEqual({
      ...forwarded,
      host: 'shop.test',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      'x-mine': '1',
      connection: 'keep-alive',
    });
  });

  test.each([
    [
      'a client that speaks of others',
      {
        'x-forwarded-for': '203.0.113.7',
        'x-real-ip': '1.2.3.4',
        'x-scheme': 'https',
        'x-forwarded-host': 'outer.test',
      },
      {
        ...forwarded,
        'x-original-forwarded-for': '203.0.113.7',
        'x-original-forwarded-host': 'outer.test',
      },
    ],
    [
      'names that nginx drops',
      { with_underscore: '1', 'x.dot': '1', te: 'trailers' },
      { with_underscore: undefined, 'x.dot': undefined, te: undefined },
    ],
    [
      'names listed in Connection',
      { connection: 'keep-alive, x-hop', 'x-hop': '1' },
      { 'x-hop': '1' },
    ],
    ['a request id of its own', { 'x-request-id': 'mine-1' }, { 'x-request-id': 'mine-1' }],
  ])('%s', async (_name, headers, expected) => {
    await start();
    await world.ask({ headers: headers as Record<string, string> });
    for (const [name, value] of Object.entries(expected)) {
      expect(world.received[0]?.headers[name]).toBe(value);
    }
  });

  test('https is told, with its port, and HSTS with it', async () => {
    await start({ hsts: {} });
    const answer = await world.ask({ isSecure: true });
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(world.received[0]?.headers).toMatchObject({
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      'x-scheme': 'https',
    });
    expect((await world.ask()).headers['strict-transport-security']).toBeUndefined();
  });

  test.each(['/a%2Fb', '//x', '/x/../y', '/%E2%82%AC', '/s?', '/q?a=%20&b'])(
    'the path %s as it came',
    async (path) => {
      await start();
      await world.ask({ path });
      expect(world.received[0]?.url).toBe(path);
    },
  );

  test('a host, headers and a connection of the configuration, with variables', async () => {
    await start({
      upstream_vhost: '$service_name.$namespace.svc:8084',
      connection_header: 'close',
      set_headers: [
        { name: 'X-Uri', value: '$request_uri of $remote_addr' },
        { name: 'X-Mine', value: '' },
      ],
      log_fields: { namespace: 'shop', service: 'web' },
    });
    await world.ask({ path: '/x?y', headers: { 'x-mine': '1' } });
    expect(world.received[0]?.headers).toMatchObject({
      host: 'web.shop.svc:8084',
      connection: 'close',
      'x-uri': '/x?y of 127.0.0.1',
      'x-forwarded-host': 'shop.test',
    });
    expect(world.received[0]?.headers['x-mine']).toBeUndefined();
  });

  test('the length of a body that came in chunks', async () => {
    await start();
    await world.ask({ method: 'POST', body: 'chunked-body', isChunked: true });
    expect(world.received[0]).toMatchObject({
      body: 'chunked-body',
      headers: { 'content-length': '12' },
    });
  });
});

describe('proxies before the gateway', () => {
  const trust = (more: object = {}) => ({ forwarded: { trust: true, ...more } });
  const said = {
    'x-forwarded-for': '198.51.100.1, 203.0.113.9',
    'x-forwarded-host': 'one.test, two.test',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '8443',
  };

  test('are believed when they are trusted', async () => {
    await start(trust());
    await world.ask({ headers: said });
    expect(world.received[0]?.headers).toMatchObject({
      host: 'one.test',
      'x-real-ip': '198.51.100.1',
      'x-forwarded-for': '198.51.100.1',
      'x-forwarded-host': 'one.test',
      'x-forwarded-port': '8443',
      'x-forwarded-proto': 'https',
      'x-original-forwarded-for': '198.51.100.1, 203.0.113.9',
    });
  });

  test('and not at all when they are not, also on the host', async () => {
    await start(trust({ trusted_cidrs: ['127.0.0.8/31'] }));
    await world.ask({ headers: said });
    expect(world.received[0]?.headers).toMatchObject({ ...forwarded, host: 'shop.test' });
    await world.ask({
      headers: { 'x-forwarded-for': '1.1.1.1, 127.0.0.9, 127.0.0.8' },
      from: '127.0.0.9',
    });
    expect(world.received[1]?.headers['x-real-ip']).toBe('1.1.1.1');
  });

  test.each([
    [{ append: true }, said, '198.51.100.1, 203.0.113.9, 127.0.0.1', '198.51.100.1'],
    [{}, { 'x-forwarded-for': 'garbage' }, '127.0.0.1', '127.0.0.1'],
    [
      { trust: false, real_ip: true, for_header: 'CF-Connecting-IP' },
      { 'cf-connecting-ip': '9.9.9.9', 'x-forwarded-for': '1.1.1.1' },
      '9.9.9.9',
      '9.9.9.9',
    ],
  ])('%o with %o', async (config, headers, chain, ip) => {
    await start(trust(config));
    await world.ask({ headers: headers as Record<string, string> });
    expect(world.received[0]?.headers).toMatchObject({ 'x-forwarded-for': chain, 'x-real-ip': ip });
  });
});

describe('rewrites', () => {
  test.each([
    ['/app(/|$)(.*)', '/$2', '/app', '/'],
    ['/app(/|$)(.*)', '/$2', '/APP/x/y?q=1', '/x/y?q=1'],
    ['/app(/|$)(.*)', '/$2', '/app//a%20b', '/a%20b'],
    ['/app(/|$)(.*)', '/$2', '/app/a%2Fb/../c', '/a/c'],
    ['/app(/|$)(.*)', '/$2', '/app/%E2%82%AC', '/%E2%82%AC'],
    ['/s', '/t', '/s?', '/t'],
    ['/(\\w+)/(\\w+)', '/b/$2/a/$1', '/one/two/three', '/b/two/a/one'],
    ['/app', '/x/$3', '/app/y', '/x/'],
    ['/app', '/$host$uri', '/app/y', '/shop.test/app/y'],
    ['/nowhere', '/x', '/a%2Fb', '/a%2Fb'],
  ])('%s → %s: %s becomes %s', async (pattern, target, path, expected) => {
    await start({ rewrite: { pattern, target } });
    await world.ask({ path });
    expect(world.received[0]?.url).toBe(expected);
  });

  test('tell the prefix, and redirect to another host', async () => {
    await start({ rewrite: { pattern: '/(one)(/.*)?', target: '$2' }, forwarded_prefix: '/$1' });
    await world.ask({ path: '/one/x', headers: { 'x-forwarded-prefix': '/client' } });
    expect(world.received[0]).toMatchObject({
      url: '/x',
      headers: { 'x-forwarded-prefix': '/one' },
    });
    await world.stop();
    await start({ rewrite: { pattern: '/(.*)', target: 'https://new.test/$1' } });
    const answer = await world.ask({ path: '/a%0db?c=d' });
    expect(answer).toMatchObject({
      status: 302,
      headers: { location: 'https://new.test/a%0Db?c=d' },
    });
    expect(world.received).toEqual([]);
  });
});

describe('answers', () => {
  test('carry nothing of Kong, nor of what is between nginx and the upstream', async () => {
    await start(
      {
        add_headers: [{ name: 'X-One', value: 'a $dollar' }],
        hide_headers: ['X-Powered-By'],
        proxy_redirect: { from: 'http://inner/', to: 'https://outer/' },
        cookie_domain: { from: 'inner.test', to: 'outer.test' },
        cookie_path: { from: '/a', to: '/b' },
      },
      () => ({
        headers: {
          server: 'backend/1',
          via: '1.1 x',
          'x-powered-by': 'p',
          'x-one': 'upstream',
          'x-accel-buffering': 'no',
          location: 'http://inner/x',
          refresh: '5; url=http://inner/y',
          'set-cookie': ['a=1; Domain=.inner.test; Path=/a/c', 'c=3; Domain=x.inner.test'],
        },
      }),
    );
    const { headers } = await world.ask();
    expect(headers).toMatchObject({
      via: '1.1 x',
      'x-one': 'a $dollar',
      location: 'https://outer/x',
      refresh: '5; url=https://outer/y',
      'set-cookie': ['a=1; Domain=.outer.test; Path=/b/c', 'c=3; Domain=x.inner.test'],
    });
    expect(
      Object.keys(headers).filter((name) => /^(server|x-kong|x-accel|x-powered)/.test(name)),
    ).toEqual([]);
  });

  test('are pages of nginx when the upstream cannot be reached', async () => {
    await start({}, () => ({ drop: true }));
    const answer = await world.ask();
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('<center><h1>502 Bad Gateway</h1></center>');
    expect(world.received.length).toBe(3);
  });

  test('with a head that is too large become 502', async () => {
    await start({ response_header_buffer: 4_096 }, () => ({
      headers: { 'x-large': 'x'.repeat(5_000) },
    }));
    expect((await world.ask()).status).toBe(502);
  });
});

describe('bodies', () => {
  test.each([
    [8, false, 200],
    [9, false, 413],
    [9, true, 413],
    [8, true, 200],
  ])('of %i bytes, chunked %s: %i', async (size, isChunked, status) => {
    await start({ body_size: 8 });
    const answer = await world.ask({ method: 'POST', body: 'x'.repeat(size), isChunked });
    expect(answer.status).toBe(status);
    expect(world.received.length).toBe(status === 200 ? 1 : 0);
  });

  test('that are larger than what is held are counted on their way', async () => {
    await start({ body_size: 5 * 1_024 * 1_024 });
    const ask = (size: number) =>
      world.ask({ method: 'POST', body: Buffer.alloc(size), isChunked: true }).then(
        ({ status }) => status,
        () => 'closed',
      );
    expect(await ask(5 * 1_024 * 1_024)).toBe(200);
    expect(await ask(6 * 1_024 * 1_024)).not.toBe(200);
  });
});

describe('tries', () => {
  const failing = (count: number, status: number) => {
    let asked = 0;
    return () => {
      asked += 1;
      return asked <= count ? { status } : undefined;
    };
  };

  test.each([
    [['http_503'], 2, 'GET', 200, 3],
    [['http_503'], 9, 'GET', 503, 3],
    [['http_503'], 2, 'POST', 503, 1],
    [['http_503', 'non_idempotent'], 2, 'POST', 200, 3],
    [['error'], 1, 'GET', 503, 1],
    [['off'], 1, 'GET', 503, 1],
  ])(
    'on %o, with %i failures of %s: %i after %i',
    async (conditions, failures, method, status, count) => {
      await start({ next_upstream: { conditions } }, failing(failures, 503));
      const answer = await world.ask({ method, ...(method === 'POST' ? { body: 'x' } : {}) });
      expect(answer.status).toBe(status);
      expect(answer.body).toBe('a');
      expect(world.received.map(({ body }) => body)).toEqual(
        Array.from({ length: count }, () => (method === 'POST' ? 'x' : '')),
      );
    },
  );
});

describe('clients that are blocked', () => {
  const block = { cidrs: ['127.0.0.6'], user_agents: ['~*badbot'], referers: ['~*spam\\.test'] };
  test.each([
    [{}, '127.0.0.1', 200],
    [{}, '127.0.0.6', 403],
    [{ 'user-agent': 'BadBot/1.0' }, '127.0.0.1', 403],
    [{ referer: 'https://spam.test/x' }, '127.0.0.1', 403],
    [{ referer: 'https://spamxtest/x' }, '127.0.0.1', 200],
  ])('%o from %s: %i', async (headers, from, status) => {
    await start({ block });
    expect((await world.ask({ headers: headers as Record<string, string>, from })).status).toBe(
      status,
    );
  });
});

describe('configurations that are refused', () => {
  test.each([
    [{ set_headers: [{ name: 'X-A', value: 'a\r\nX-B: c' }] }, /control characters/],
    [{ set_headers: [{ name: 'X A', value: 'a' }] }, /no name of a header/],
    [{ add_headers: [{ name: 'X-A', value: 'a\nb' }] }, /control characters/],
    [{ set_headers: [{ name: 'X-A', value: '$upstream_addr' }] }, /no variable/],
    [{ upstream_vhost: 'a b' }, /blanks/],
    [{ rewrite: { pattern: '(a)\\1', target: '/' } }, /cannot run/],
    [{ rewrite: { pattern: '(', target: '/' } }, /cannot run/],
    [{ cookie_path: { from: '/', to: '/; HttpOnly' } }, /semicolons/],
    [{ forwarded: { trusted_cidrs: ['nobody'] } }, /no network/],
    [{ block: { user_agents: ['~('] } }, /user_agents/],
    [{ next_upstream: { conditions: ['http_418'] } }, /conditions/],
    [{ unheard: 1 }, /unheard/],
  ])('%o', async (config, message) => {
    await expect(start(config)).rejects.toThrow(message);
  });
});
