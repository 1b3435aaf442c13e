import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPluginSchema } from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../../gateway.ts';
import type { GatewayOptions } from '../../gateway-options.ts';
import { seal, unseal } from './session-cookie.ts';

let backend: Server;
let headers: IncomingHttpHeaders;
let url: string;
let now: number;
const gateways: Gateway[] = [];

beforeEach(async () => {
  now = 1_700_000_000_000;
  backend = createServer((request, reply) => {
    headers = request.headers;
    reply.end('ok');
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function listen(options: GatewayOptions): Promise<Gateway> {
  const gateway = new Gateway({ now: () => now, ...options });
  gateways.push(gateway);
  const { proxy } = await gateway.start();
  url = `http://127.0.0.1:${proxy[0]?.port}`;
  return gateway;
}

async function start(config: object = {}): Promise<void> {
  const anonymous = '00000000-0000-4000-8000-000000000001';
  await listen({
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          host: '127.0.0.1',
          port: (backend.address() as AddressInfo).port,
          routes: [{ name: 'r', paths: ['/'] }],
          plugins: [
            { name: 'session', config },
            { name: 'key-auth', config: { anonymous } },
          ],
        },
      ],
      consumers: [
        { id: anonymous, username: 'nobody' },
        { username: 'ann', keyauth_credentials: [{ key: 'k' }] },
      ],
    },
  });
}

async function ask(
  more: Record<string, string> = {},
  target = '/',
  method = 'GET',
  body: string | null = null,
) {
  const answer = await fetch(url + target, { method, headers: more, body });
  await answer.text();
  const cookies = answer.headers.getSetCookie();
  return {
    status: answer.status,
    headers: answer.headers,
    cookies,
    cookie: cookies.map((one) => one.split(';')[0]).join('; '),
    user: headers['x-consumer-username'],
  };
}

describe('session', () => {
  test('lets in again who was let in once, and nobody else', async () => {
    await start();
    const stranger = await ask();
    expect([stranger.user, stranger.cookies]).toEqual(['nobody', []]);
    const first = await ask({ apikey: 'k' });
    expect(first.user).toBe('ann');
    expect(first.cookies[0]).toMatch(
      /^session=[\w-]+; Path=\/; SameSite=Strict; Secure; HttpOnly$/,
    );
    const second = await ask({ cookie: first.cookie });
    expect([second.user, second.cookies]).toEqual(['ann', []]);
    expect((await ask({ cookie: `${first.cookie}x` })).user).toBe('nobody');
    expect((await ask({ cookie: 'session=AAAA' })).user).toBe('nobody');
  });

  test('runs out when it is idle, and is given out anew while it is used', async () => {
    await start({ idling_timeout: 100, rolling_timeout: 1_000, absolute_timeout: 250 });
    const { cookie } = await ask({ apikey: 'k' });
    now += 90_000;
    const renewed = await ask({ cookie });
    expect(renewed.cookies).toHaveLength(1);
    now += 90_000;
    expect((await ask({ cookie })).user).toBe('nobody');
    const last = await ask({ cookie: renewed.cookie });
    expect(last.user).toBe('ann');
    now += 90_000;
    expect((await ask({ cookie: last.cookie })).user).toBe('nobody');
  });

  test('ends when the client logs out', async () => {
    await start({ storage: 'kong' });
    const { cookie } = await ask({ apikey: 'k' });
    expect((await ask({ cookie })).user).toBe('ann');
    const out = await ask({ cookie }, '/?session_logout=1', 'POST');
    expect(out.status).toBe(200);
    expect(out.cookies[0]).toMatch(/^session=; .*Max-Age=0/);
    expect((await ask({ cookie })).user).toBe('nobody');
  });

  const form = 'application/x-www-form-urlencoded';
  const json = 'application/json';
  const reads = { read_body_for_logout: true };
  test.each<[object, string, string, string, string | null, boolean]>([
    [{}, 'POST', '/?session_logout=1', form, null, true],
    [{}, 'DELETE', '/?session_logout', form, null, true],
    [{}, 'GET', '/?session_logout=1', form, null, false],
    [{}, 'POST', '/?logout=1', form, null, false],
    [{ logout_query_arg: 'bye' }, 'POST', '/?bye=1', form, null, true],
    [{ logout_query_arg: 'bye' }, 'POST', '/?session_logout=1', form, null, false],
    [{ logout_methods: ['GET'] }, 'GET', '/?session_logout=1', form, null, true],
    [{ logout_methods: ['GET'] }, 'POST', '/?session_logout=1', form, null, false],
    [{}, 'POST', '/', form, 'session_logout=1', false],
    [reads, 'POST', '/', form, 'a=1&session_logout=1', true],
    [reads, 'POST', '/', form, 'a=session_logout', false],
    [reads, 'PUT', '/', form, 'session_logout=1', false],
    [reads, 'POST', '/', json, '{"session_logout":false}', true],
    [reads, 'POST', '/', `${json}; charset=utf-8`, '{"session_logout":1}', true],
    [reads, 'POST', '/', json, '{"a":"session_logout"}', false],
    [reads, 'POST', '/', json, 'null', false],
    [reads, 'POST', '/', json, '"session_logout"', false],
    [reads, 'POST', '/', json, '{"session_logout"', false],
    [{ ...reads, logout_post_arg: 'bye' }, 'POST', '/', form, 'bye=', true],
    [{ ...reads, logout_post_arg: 'bye' }, 'POST', '/', form, 'session_logout=1', false],
  ])(
    'with %j, %s %s of %s with %j logs out: %s',
    async (config, method, target, type, body, isOut) => {
      await start({ storage: 'kong', ...config });
      const { cookie } = await ask({ apikey: 'k' });
      const { cookies } = await ask({ cookie, 'content-type': type }, target, method, body);
      expect(cookies.some((one) => one.includes('Max-Age=0'))).toBe(isOut);
      expect((await ask({ cookie })).user).toBe(isOut ? 'nobody' : 'ann');
    },
  );

  test('remembers for longer, and tells about itself, if it is asked to', async () => {
    await start({ remember: true, response_headers: ['id', 'subject', 'timeout'] });
    const first = await ask({ apikey: 'k' });
    expect(first.cookies[1]).toMatch(/^remember=.*; Max-Age=604800; /);
    expect(first.headers.get('session-timeout')).toBe('900');
    expect(first.headers.get('session-id')).toMatch(/^[0-9a-f-]{36}$/);
    now += 86_400_000 * 2;
    expect((await ask({ cookie: first.cookie })).user).toBe('ann');
    now += 86_400_000 * 40;
    expect((await ask({ cookie: first.cookie })).user).toBe('nobody');
  });

  test('outlasts a restart in a database', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'waygate-sessions-'));
    try {
      const options = { mode: 'database' as const, directory };
      const first = await listen(options);
      const { port } = backend.address() as AddressInfo;
      first.store.insert('services', { name: 's', host: '127.0.0.1', port });
      first.store.insert('routes', { name: 'r', paths: ['/'], service: { name: 's' } });
      const written = first.store.insert('plugins', {
        name: 'session',
        config: { storage: 'kong' },
      });
      expect(written.kind).toBe('written');
      const consumer = first.store.insert('consumers', { username: 'ann' });
      const id = consumer.kind === 'written' ? consumer.entity.id : '';
      first.store.insert('keyauth_credentials', { key: 'k', consumer: { id } });
      first.store.insert('plugins', { name: 'key-auth', config: { anonymous: id } });
      await new Promise((resolve) => setImmediate(resolve));
      const { cookie } = await ask({ apikey: 'k' });
      expect(cookie).not.toBe('');
      await first.stop();
      await listen(options);
      await ask({ cookie });
      expect(headers['x-anonymous-consumer']).toBeUndefined();
    } finally {
      await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('the secret that the schema fills in, which everybody knows, opens nothing', async () => {
    await start();
    const { cookie } = await ask({ apikey: 'k' });
    const token = cookie.slice('session='.length);
    const secret = findPluginSchema('session')
      ?.fields.get('config')
      ?.fields?.get('secret')?.default;
    expect(typeof secret).toBe('string');
    expect(unseal(token, String(secret), 'session')).toBeUndefined();
  });

  test('a cookie is good for its name and secret only', () => {
    const token = seal({ a: 1 }, 'secret', 'one');
    expect(unseal(token, 'secret', 'one')).toEqual({ a: 1 });
    expect(unseal(token, 'secret', 'two')).toBeUndefined();
    expect(unseal(token, 'other', 'one')).toBeUndefined();
    expect(unseal('', 'secret', 'one')).toBeUndefined();
  });
});
