import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { definePlugin } from '../plugin/plugin.ts';

let backend: Server;
let port: number;
let seen: { headers: IncomingMessage['headers']; url: string; body: string }[];
const gateways: Gateway[] = [];

beforeEach(async () => {
  seen = [];
  backend = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      seen.push({ headers: request.headers, url: request.url ?? '', body });
      reply.setHeader('Content-Type', 'application/json').end('{"a":1,"b":2}');
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  port = (backend.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(plugins: readonly object[], more: object = {}, options: GatewayOptions = {}) {
  const gateway = new Gateway({
    ...options,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    admin: false,
    config: {
      _format_version: '3.0',
      services: [
        { name: 's', host: '127.0.0.1', port, routes: [{ name: 'r', paths: ['/'], plugins }] },
      ],
      ...more,
    },
  });
  gateways.push(gateway);
  const { proxy } = await gateway.start();
  return `http://127.0.0.1:${proxy[0]?.port}`;
}

describe('plugins', () => {
  test('oauth2 gives out a token for client credentials, and lets it in', async () => {
    const config = {
      enable_client_credentials: true,
      provision_key: 'p',
      accept_http_if_already_terminated: true,
      scopes: ['read'],
    };
    const consumers = [
      {
        username: 'app',
        oauth2_credentials: [{ name: 'a', client_id: 'id', client_secret: 'secret' }],
      },
    ];
    const base = await start([{ name: 'oauth2', config }], { consumers });
    const ask = (fields: Record<string, string>) =>
      fetch(`${base}/oauth2/token`, {
        method: 'POST',
        headers: { 'X-Forwarded-Proto': 'https' },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'id', ...fields }),
      });
    expect((await ask({ client_secret: 'wrong' })).status).toBe(400);
    expect((await ask({ client_secret: 'secret', scope: 'write' })).status).toBe(400);
    const issued = await ask({ client_secret: 'secret', scope: 'read' });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const with_ = (value: string) => fetch(base, { headers: { Authorization: `Bearer ${value}` } });
    expect((await with_('made-up')).status).toBe(401);
    expect((await with_(token)).status).toBe(200);
    expect(seen[0]?.headers).toMatchObject({
      'x-consumer-username': 'app',
      'x-authenticated-scope': 'read',
    });
  });

  test('request-transformer changes JSON bodies, response-transformer answers', async () => {
    const base = await start([
      {
        name: 'request-transformer',
        config: { add: { body: ['c:3'] }, remove: { body: ['a'] }, rename: { body: ['b:d'] } },
      },
      {
        name: 'response-transformer',
        config: { remove: { json: ['a'] }, add: { json: ['n:5'], json_types: ['number'] } },
      },
    ]);
    const answer = await fetch(base, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1,"b":2}',
    });
    expect(await answer.json()).toEqual({ b: 2, n: 5 });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ d: 2, c: '3' });
  });

  test('the most specific configuration of a plugin applies', async () => {
    const limit = (minute: number) => ({
      name: 'rate-limiting',
      config: { minute, policy: 'local' },
    });
    const base = await start([{ name: 'key-auth' }, limit(5)], {
      plugins: [limit(100)],
      consumers: [
        { username: 'plain', keyauth_credentials: [{ key: 'p' }] },
        {
          username: 'special',
          keyauth_credentials: [{ key: 's' }],
          plugins: [{ ...limit(7), route: 'r' }],
        },
      ],
    });
    const limitOf = async (apikey: string) =>
      (await fetch(base, { headers: { apikey } })).headers.get('x-ratelimit-limit-minute');
    expect(await limitOf('p')).toBe('5');
    expect(await limitOf('s')).toBe('7');
  });

  test('logs go to HTTP and TCP servers, without secrets', async () => {
    const lines: string[] = [];
    const logServer = createServer((request, reply) => {
      request.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
      request.on('end', () => reply.end());
    });
    const tcpServer = createTcpServer((socket) =>
      socket.on('data', (chunk: Buffer) => lines.push(chunk.toString())),
    );
    await new Promise<void>((resolve) => logServer.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => tcpServer.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(logServer.address() as AddressInfo).port}/log`;
    const tcpPort = (tcpServer.address() as AddressInfo).port;
    const base = await start([
      { name: 'http-log', config: { http_endpoint: endpoint } },
      { name: 'tcp-log', config: { host: '127.0.0.1', port: tcpPort } },
    ]);
    await (await fetch(`${base}/logged`, { headers: { Authorization: 'Bearer secret' } })).text();
    await expect.poll(() => lines.length).toBe(2);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        request: { uri: '/logged', headers: { authorization: '***' } },
        response: { status: 200 },
        route: { name: 'r' },
      });
    }
    logServer.close();
    logServer.closeAllConnections();
    tcpServer.close();
  });

  test('a trace is passed on with a new parent', async () => {
    const base = await start([
      { name: 'opentelemetry', config: { traces_endpoint: 'http://127.0.0.1:9/v1/traces' } },
    ]);
    const trace = '0af7651916cd43dd8448eb211c80319c';
    await fetch(base, { headers: { traceparent: `00-${trace}-b7ad6b7169203331-00` } });
    expect(seen[0]?.headers.traceparent).toMatch(
      new RegExp(`^00-${trace}-(?!b7ad)[0-9a-f]{16}-00$`),
    );
  });

  test('a plugin of the user, with its schema', async () => {
    const hello = definePlugin<{ greeting: string }>({
      name: 'hello',
      priority: 1,
      schema: {
        fields: [
          {
            config: {
              type: 'record',
              required: true,
              fields: [{ greeting: { type: 'string', required: true } }],
            },
          },
        ],
      },
      headerFilter(context, config) {
        context.response?.headers.set('X-Hello', config.greeting);
      },
    });
    const options = { plugins: [hello] };
    const base = await start([{ name: 'hello', config: { greeting: 'hi' } }], {}, options);
    expect((await fetch(base)).headers.get('x-hello')).toBe('hi');
    await expect(start([{ name: 'hello', config: {} }], {}, options)).rejects.toThrow(
      /greeting.*required field missing/,
    );
  });
});
