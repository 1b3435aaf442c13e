import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { AdminListenOptions } from '../gateway-options.ts';

const gateways: Gateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

type Ask = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: string,
) => Promise<Answer>;

async function start(
  admin: Partial<AdminListenOptions> = {},
): Promise<{ gateway: Gateway } & Record<'ask' | 'status', Ask>> {
  const gateway = new Gateway({
    mode: 'database',
    proxy: [],
    admin: { host: '127.0.0.1', port: 0, ...admin },
    status: { host: '127.0.0.1', port: 0 },
  });
  gateways.push(gateway);
  const addresses = await gateway.start();
  return { gateway, ask: asker(addresses.admin!.port), status: asker(addresses.status!.port) };
}

function asker(port: number): Ask {
  return (method, path, headers = {}, body = '') =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
        let text = '';
        reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const service = { name: 'planted', url: 'http://evil.example' };

/** What a page can make a browser send. */
const pages: readonly [string, string, Record<string, string>, string][] = [
  ['a fetch', 'GET', { origin: 'http://evil.example' }, ''],
  ['a script or an image', 'GET', { 'sec-fetch-site': 'cross-site' }, ''],
  ['a page of another port', 'GET', { 'sec-fetch-site': 'same-site' }, ''],
  ['a name rebound to loopback', 'GET', { host: 'evil.example' }, ''],
  [
    'a form',
    'POST',
    { ...form, origin: 'http://evil.example' },
    'name=planted&url=http://evil.example',
  ],
  [
    'a form of a sandboxed frame',
    'POST',
    { ...form, origin: 'null' },
    'name=planted&host=evil.example',
  ],
  [
    'a rebound name that posts to itself',
    'POST',
    { ...json, host: 'evil.example', origin: 'http://evil.example' },
    JSON.stringify(service),
  ],
  [
    'a preflight',
    'OPTIONS',
    { origin: 'http://evil.example', 'access-control-request-method': 'PUT' },
    '',
  ],
];

describe.each<[string, Partial<AdminListenOptions>]>([
  ['on loopback', {}],
  ['with a token', { token: 'tell-nobody' }],
  ['with pages of one origin let in', { pages: ['http://localhost:3000'] }],
])('an Admin API %s', (_where, options) => {
  test.each(pages)(
    'refuses %s, and invites it to nothing',
    async (_what, method, headers, body) => {
      const { gateway, ask } = await start(options);
      const answer = await ask(method, '/services', headers, body);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatch(/^\{"message":"Refused: /);
      expect(Object.keys(answer.headers).filter((name) => /^access-control/.test(name))).toEqual(
        [],
      );
      expect(gateway.store.count('services')).toBe(0);
    },
  );
});

test('the status port refuses pages, too', async () => {
  const { status } = await start();
  expect((await status('GET', '/status')).status).toBe(200);
  expect((await status('GET', '/status', { host: 'evil.example' })).status).toBe(403);
  expect((await status('GET', '/metrics', { origin: 'http://a.example' })).status).toBe(403);
});

test('without a browser it answers as Kong does', async () => {
  const { ask } = await start();
  const answer = await ask('POST', '/services', form, 'name=shop&url=http://shop.example');
  expect(answer.status).toBe(201);
  expect(answer.headers['access-control-allow-origin']).toBe('*');
});

test('all pages are let in when that was asked for', async () => {
  const { ask } = await start({ pages: 'any' });
  for (const [, method, headers, body] of pages)
    expect((await ask(method, '/services', headers, body)).status).not.toBe(403);
});

describe('pages of an origin that was named', () => {
  const origin = 'http://localhost:3000';
  const options = { token: 'tell-nobody', pages: [origin] };

  test('are told so before they bring a token, and need it then', async () => {
    const { ask } = await start(options);
    const asked = { origin, 'access-control-request-method': 'PUT', 'sec-fetch-site': 'same-site' };
    const preflight = await ask('OPTIONS', '/services/shop', asked);
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'Content-Type, Kong-Admin-Token, Authorization',
      vary: 'Origin',
    });
    expect((await ask('GET', '/services', { origin })).status).toBe(401);
    const answer = await ask('GET', '/services', { origin, 'kong-admin-token': 'tell-nobody' });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('programs get no invitation of anybody', async () => {
    const { ask } = await start(options);
    const answer = await ask('GET', '/', { 'kong-admin-token': 'tell-nobody' });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
