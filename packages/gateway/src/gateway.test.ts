import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let backend: Server;
let backendPort: number;
const seen: Seen[] = [];
const gateways: Gateway[] = [];

beforeEach(async () => {
  seen.length = 0;
  backend = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      reply.setHeader('X-Backend', 'b1').end('hello');
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendPort = (backend.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(options: GatewayOptions) {
  const gateway = new Gateway(options);
  gateways.push(gateway);
  const addresses = await gateway.start();
  const admin = `http://127.0.0.1:${addresses.admin?.port}`;
  return {
    gateway,
    proxy: `http://127.0.0.1:${addresses.proxy[0]?.port}`,
    admin,
    call: (method: string, path: string, body?: object) =>
      fetch(admin + path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      }),
  };
}

const simple = () => ({
  _format_version: '3.0',
  services: [
    {
      name: 'shop',
      host: '127.0.0.1',
      port: backendPort,
      path: '/base',
      routes: [
        { name: 'open', paths: ['/open'] },
        {
          name: 'keyed',
          paths: ['/keyed'],
          plugins: [
            { name: 'key-auth' },
            { name: 'rate-limiting', config: { minute: 2, policy: 'local' } },
          ],
        },
      ],
    },
  ],
  consumers: [{ username: 'alice', keyauth_credentials: [{ key: 'secret-key' }] }],
});

describe('Gateway', () => {
  test('carries a request to its service and the answer back', async () => {
    const { proxy } = await start({ config: simple() });
    const answer = await fetch(`${proxy}/open/a%20b?q=1`, { method: 'POST', body: 'text' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('hello');
    expect(answer.headers.get('via')).toBe('1.1 kong/3.9.1');
    expect(answer.headers.get('x-backend')).toBe('b1');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/base/a%20b?q=1', body: 'text' });
    expect(seen[0]?.headers).toMatchObject({
      host: `127.0.0.1:${backendPort}`,
      'x-forwarded-prefix': '/open',
      'x-forwarded-path': '/open/a%20b',
      'x-real-ip': '127.0.0.1',
    });
  });

  test('says in the manner of Kong that nothing matches', async () => {
    const { proxy } = await start({ config: simple() });
    const answer = await fetch(`${proxy}/none`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      message: 'no Route matched with those values',
      request_id: answer.headers.get('x-kong-request-id'),
    });
  });

  test('asks for a key, and counts requests', async () => {
    const { proxy } = await start({ config: simple() });
    const ask = (key?: string) =>
      fetch(`${proxy}/keyed`, key === undefined ? {} : { headers: { apikey: key } });
    expect((await ask()).status).toBe(401);
    expect((await ask('wrong')).status).toBe(401);
    expect((await ask('secret-key')).headers.get('x-ratelimit-remaining-minute')).toBe('1');
    expect((await ask('secret-key')).status).toBe(200);
    const over = await ask('secret-key');
    expect(over.status).toBe(429);
    expect(over.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(seen.map((request) => request.headers['x-consumer-username'])).toEqual([
      'alice',
      'alice',
    ]);
  });

  test('a new configuration takes effect with its answer, a bad one not at all', async () => {
    const { proxy, call } = await start({ config: simple() });
    const refused = await call('POST', '/config', { _format_version: '3.0', services: [{}] });
    expect(refused.status).toBe(400);
    expect((await fetch(`${proxy}/open`)).status).toBe(200);
    const taken = await call('POST', '/config', { _format_version: '3.0' });
    expect(taken.status).toBe(201);
    expect((await fetch(`${proxy}/open`)).status).toBe(404);
  });

  test('a database takes entities one by one, and they route at once', async () => {
    const { proxy, call } = await start({ mode: 'database' });
    const service = { name: 's', host: '127.0.0.1', port: backendPort };
    expect((await call('POST', '/services', service)).status).toBe(201);
    expect((await call('POST', '/services/s/routes', { paths: ['/x'] })).status).toBe(201);
    expect((await fetch(`${proxy}/x/y`)).status).toBe(200);
    expect(seen[0]?.url).toBe('/y');
    expect((await call('DELETE', '/services/s')).status).toBe(400);
    expect((await call('POST', '/config', {})).status).toBe(400);
  });

  test('tries another target when one cannot be reached', async () => {
    const { proxy, call } = await start({ mode: 'database' });
    await call('POST', '/upstreams', { name: 'u' });
    await call('POST', '/upstreams/u/targets', { target: '127.0.0.1:1' });
    await call('POST', '/upstreams/u/targets', { target: `127.0.0.1:${backendPort}` });
    await call('POST', '/services', { name: 's', host: 'u' });
    await call('POST', '/services/s/routes', { paths: ['/'] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(`${proxy}/`)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
  });

  test('the Admin API asks for its token', async () => {
    const { admin } = await start({ admin: { host: '127.0.0.1', port: 0, token: 'tell-nobody' } });
    expect((await fetch(`${admin}/status`)).status).toBe(401);
    const headers = { 'Kong-Admin-Token': 'tell-nobody' };
    expect((await fetch(`${admin}/status`, { headers })).status).toBe(200);
  });
});
