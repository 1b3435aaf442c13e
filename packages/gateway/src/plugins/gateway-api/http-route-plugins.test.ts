import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../../gateway.ts';

const host = '127.0.0.1';
const cors = (config: object) => [{ name: 'http-route-cors', config }];
const redirect = (config: object) => [{ name: 'http-route-redirect', config }];

/** The filters of HTTPRoutes that Kong's plugins cannot do. */
describe('plugins for HTTPRoutes', () => {
  let gateway: Gateway;
  let upstream: Server;
  let mirror: Server;
  let port: number;
  const mirrored: string[] = [];

  beforeAll(async () => {
    upstream = createServer((_, reply) => {
      reply.setHeader('Access-Control-Allow-Origin', 'https://of.the.upstream');
      reply.end('whole');
    });
    mirror = createServer((incoming, reply) => {
      incoming.setEncoding('utf8');
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => {
        mirrored.push(`${incoming.method} ${incoming.url} ${body}`);
        reply.end();
      });
    });
    for (const server of [upstream, mirror]) {
      server.listen(0, host);
      await once(server, 'listening');
    }
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    const copies = { host, port: portOf(mirror) };
    const route = (name: string, plugins: object[]) => ({
      name,
      paths: [`/${name}`],
      strip_path: false,
      plugins,
    });
    const mirrors = (...list: object[]) => [
      { name: 'http-route-mirror', config: { mirrors: list } },
    ];
    gateway = new Gateway({
      admin: false,
      random: () => 0.5,
      proxy: [{ host, port: 0 }],
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 'web',
            host,
            port: portOf(upstream),
            routes: [
              route('nothing', redirect({})),
              route('https', redirect({ scheme: 'https', status_code: 308 })),
              route('port', redirect({ port: 8080 })),
              route('default', redirect({ port: 80 })),
              route('elsewhere', redirect({ hostname: 'example.org', full_path: '/new' })),
              route('prefix', redirect({ prefix: '/new', matched_prefix: '/prefix' })),
              route('gone', redirect({ prefix: '/', matched_prefix: '/gone' })),
              route(
                'cors',
                cors({
                  allow_origins: ['https://a.example', 'https://*.b.example'],
                  allow_methods: ['GET', 'PUT'],
                  allow_headers: ['x-one'],
                  expose_headers: ['x-two'],
                  allow_credentials: true,
                  max_age: 60,
                }),
              ),
              route('open', cors({ allow_origins: ['*'], allow_methods: ['*'] })),
              route(
                'mirror',
                mirrors(
                  { ...copies, numerator: 51, denominator: 100 },
                  { ...copies, numerator: 50, denominator: 100 },
                  { ...copies },
                ),
              ),
            ],
          },
        ],
      },
    });
    port = (await gateway.start()).proxy[0]?.port ?? 0;
  });

  afterAll(async () => {
    await gateway.stop();
    upstream.close();
    mirror.close();
  });

  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    body = '',
  ): Promise<{ status: number; headers: IncomingHttpHeaders }> {
    const sent = request({ host, port, path, method, headers, agent: false }).end(body);
    const [answer] = await once(sent, 'response');
    answer.resume();
    return { status: answer.statusCode, headers: answer.headers };
  }

  test.each([
    ['/nothing/a?b=c', 302, () => `http://site.example:${port}/nothing/a?b=c`],
    ['/https', 308, () => 'https://site.example/https'],
    ['/port', 302, () => 'http://site.example:8080/port'],
    ['/default', 302, () => 'http://site.example/default'],
    ['/elsewhere/a', 302, () => `http://example.org:${port}/new`],
    ['/prefix/a', 302, () => `http://site.example:${port}/new/a`],
    ['/prefix', 302, () => `http://site.example:${port}/new`],
    ['/gone', 302, () => `http://site.example:${port}/`],
    ['/gone/a', 302, () => `http://site.example:${port}/a`],
  ])('%s is redirected', async (path, status, location) => {
    const answer = await ask(path, { Host: 'site.example:1234' });
    expect(answer.status).toBe(status);
    expect(answer.headers.location).toBe(location());
  });

  test.each([
    ['https://a.example', 'https://a.example'],
    ['https://x.b.example', 'https://x.b.example'],
    ['https://x.y.b.example', 'https://x.y.b.example'],
    ['https://b.example', undefined],
    ['http://x.b.example', undefined],
    ['https://evil.example/.b.example', undefined],
    ['https://evil.example:1@x.b.example', undefined],
  ])('the origin %s is allowed as %s', async (origin, allowed) => {
    const { headers } = await ask('/cors', { Origin: origin });
    expect(headers['access-control-allow-origin']).toBe(allowed);
    expect(headers['access-control-expose-headers']).toBe(allowed && 'x-two');
    const asked = { Origin: origin, 'Access-Control-Request-Method': 'PUT' };
    const preflight = await ask('/cors', asked, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe(allowed);
    expect(preflight.headers['access-control-allow-methods']).toBe(allowed && 'GET, PUT');
    expect(preflight.headers['access-control-max-age']).toBe(allowed && '60');
  });

  test('everyone is allowed where everyone is, and no one without an origin', async () => {
    const { headers } = await ask('/open', { Origin: 'https://any.example' });
    expect(headers['access-control-allow-origin']).toBe('*');
    const plain = await ask('/open');
    expect(plain.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('each mirror gets its share', async () => {
    await ask('/mirror/a?b=c', {}, 'POST', 'copy me');
    await expect.poll(() => mirrored).toHaveLength(2);
    expect(new Set(mirrored)).toEqual(new Set(['POST /mirror/a?b=c copy me']));
  });
});
