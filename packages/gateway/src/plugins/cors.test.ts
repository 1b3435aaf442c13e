import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

const configs: Record<string, object> = {
  any: {},
  credentials: { credentials: true },
  star: { origins: ['*'], exposed_headers: ['x-a', 'x-b'] },
  one: { origins: ['http://a.example'] },
  two: { origins: ['http://a.example', 'http://b.example'], credentials: true },
  pattern: { origins: ['.*\\.a\\.example', 'b.example', 'https://c.example:8443'] },
  full: { headers: ['x-a', 'x-b'], methods: ['GET', 'PUT'], max_age: 60, private_network: true },
  onward: { preflight_continue: true },
};

let backend: Server;
let gateway: Gateway;
let base: string;

beforeAll(async () => {
  backend = createServer((request, reply) => reply.setHeader('Vary', 'X').end(request.method));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;
  const routes = Object.entries(configs).map(([name, config]) => ({
    name,
    paths: [`/${name}`],
    plugins: [{ name: 'cors', config }],
  }));
  gateway = new Gateway({
    proxy: [{ host: '127.0.0.1', port: 0 }],
    admin: false,
    config: { _format_version: '3.0', services: [{ name: 's', host: '127.0.0.1', port, routes }] },
  });
  const { proxy } = await gateway.start();
  base = `http://127.0.0.1:${proxy[0]?.port}`;
});

afterAll(async () => {
  await gateway.stop();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const answer = await fetch(`${base}${path}`, { method, headers });
  const said = Object.fromEntries(
    [...answer.headers]
      .filter(([name]) => name.startsWith('access-control-') || name === 'vary')
      .map(([name, value]) => [name.replace('access-control-', ''), value]),
  );
  return { status: answer.status, body: await answer.text(), said };
}

const credentials = { 'allow-credentials': 'true' };

describe('an answer says who may read it', () => {
  test.each<[string, string | undefined, object]>([
    ['/any', 'http://x.example', { 'allow-origin': '*', vary: 'X' }],
    ['/any', undefined, { 'allow-origin': '*', vary: 'X' }],
    [
      '/credentials',
      'http://x.example',
      { 'allow-origin': 'http://x.example', ...credentials, vary: 'X, Origin' },
    ],
    ['/credentials', undefined, { 'allow-origin': '*', vary: 'X' }],
    ['/star', 'http://x.example', { 'allow-origin': '*', 'expose-headers': 'x-a,x-b', vary: 'X' }],
    ['/one', 'http://x.example', { 'allow-origin': 'http://a.example', vary: 'X, Origin' }],
    ['/one', undefined, { 'allow-origin': 'http://a.example', vary: 'X, Origin' }],
    [
      '/two',
      'http://b.example',
      { 'allow-origin': 'http://b.example', ...credentials, vary: 'X, Origin' },
    ],
    [
      '/two',
      'http://b.example:80',
      { 'allow-origin': 'http://b.example', ...credentials, vary: 'X, Origin' },
    ],
    ['/two', 'http://c.example', { ...credentials, vary: 'X, Origin' }],
    ['/two', undefined, { ...credentials, vary: 'X, Origin' }],
    ['/pattern', 'http://x.a.example', { 'allow-origin': 'http://x.a.example', vary: 'X, Origin' }],
    ['/pattern', 'http://x.a.example.evil', { vary: 'X, Origin' }],
    [
      '/pattern',
      'https://b.example:9',
      { 'allow-origin': 'https://b.example:9', vary: 'X, Origin' },
    ],
    ['/pattern', 'https://xb.example', { vary: 'X, Origin' }],
    [
      '/pattern',
      'https://c.example:8443',
      { 'allow-origin': 'https://c.example:8443', vary: 'X, Origin' },
    ],
    ['/pattern', 'https://c.example', { vary: 'X, Origin' }],
  ])('%s to %s', async (path, origin, wanted) => {
    const { status, said } = await ask(path, origin === undefined ? {} : { origin });
    expect(status).toBe(200);
    expect(said).toEqual(wanted);
  });
});

describe('a preflight', () => {
  const origin = 'http://a.example';
  const method = { 'access-control-request-method': 'PUT' };
  const methods = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT';

  test('is answered for the service', async () => {
    const { status, said, body } = await ask('/any', { origin, ...method }, 'OPTIONS');
    expect([status, body]).toEqual([200, '']);
    expect(said).toEqual({ 'allow-origin': '*', 'allow-methods': methods });
  });

  test('is told the headers that were asked for, or those that are allowed', async () => {
    const asked = { origin, ...method, 'access-control-request-headers': 'x-q' };
    const any = await ask('/any', asked, 'OPTIONS');
    expect(any.said).toMatchObject({ 'allow-headers': 'x-q' });
    const full = await ask('/full', asked, 'OPTIONS');
    expect(full.said).toEqual({
      'allow-origin': '*',
      'allow-headers': 'x-a,x-b',
      'allow-methods': 'GET,PUT',
      'max-age': '60',
    });
  });

  test.each([
    ['true', 'true'],
    ['false', undefined],
  ])('from a private network (%s) is allowed where that is', async (value, wanted) => {
    const asked = { origin, ...method, 'access-control-request-private-network': value };
    expect((await ask('/full', asked, 'OPTIONS')).said['allow-private-network']).toBe(wanted);
    expect((await ask('/any', asked, 'OPTIONS')).said['allow-private-network']).toBeUndefined();
  });

  test('goes on to the service where that is wanted, which says all of it', async () => {
    const { body, said } = await ask('/onward', { origin, ...method }, 'OPTIONS');
    expect(body).toBe('OPTIONS');
    expect(said).toEqual({ vary: 'X' });
  });

  test.each([
    ['without an origin', method, 'OPTIONS'],
    ['without a method', { origin }, 'OPTIONS'],
    ['of another method', { origin, ...method }, 'POST'],
  ])('%s is none', async (_name, headers, verb) => {
    const { body } = await ask('/any', headers as Record<string, string>, verb);
    expect(body).toBe(verb);
  });
});
