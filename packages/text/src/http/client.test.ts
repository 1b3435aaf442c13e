import { getEventListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/until.ts';
import { answer, type OnHead, RawServer } from '../testing/raw-server.ts';
import { discardBody, readBody } from './body.ts';
import { HttpClient, type HttpClientOptions } from './client.ts';
import { withDeadline } from './deadline.ts';

const running: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function serve(onHead: OnHead): Promise<RawServer> {
  const server = await RawServer.start(onHead);
  running.push(server);
  return server;
}

function clientOf(options: HttpClientOptions = {}): HttpClient {
  const client = new HttpClient(options);
  running.unshift(client);
  return client;
}

async function textOf(client: HttpClient, origin: string, path = '/'): Promise<string> {
  return (await readBody(await client.send({ origin, path }), 1000)).toString();
}

describe('connections', () => {
  it('are used again, no more of them than allowed, in the order of asking', async () => {
    const server = await serve((socket, head) =>
      socket.write(answer('200 OK', head.split(' ')[1] ?? '')),
    );
    const client = clientOf({ maxConnections: 2 });
    const asked = Array.from({ length: 40 }, (_, place) => `/${place}`);
    const told = await Promise.all(asked.map((path) => textOf(client, server.origin, path)));
    expect(told).toEqual(asked);
    expect(server.opened).toBe(2);
    expect(server.heads.map((head) => head.split(' ')[1])).toEqual(asked);
  });

  it('of streams stand beside the limit, and are not used again', async () => {
    const server = await serve((socket, head) =>
      socket.write(head.startsWith('GET /s') ? answer('200 OK', 'x') : answer('200 OK')),
    );
    const client = clientOf({ maxConnections: 1 });
    const held = await client.send({ origin: server.origin, path: '/held' });
    for (const path of ['/s1', '/s2']) {
      discardBody(await client.send({ origin: server.origin, path, isStream: true }));
    }
    discardBody(held);
    await until('the streams to be closed', () => server.sockets.size === 1);
    expect(server.opened).toBe(3);
  });

  it('that are retired end with what runs on them', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('GET /slow'))
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
      else socket.write(answer('200 OK'));
    });
    const client = clientOf();
    const slow = await client.send({ origin: server.origin, path: '/slow' });
    await textOf(client, server.origin);
    client.retire();
    await until('the idle one to be closed', () => server.sockets.size === 1);
    expect(client.isIdle).toBe(false);
    for (const socket of server.sockets) socket.write('cd');
    expect((await readBody(slow, 10)).toString()).toBe('abcd');
    await until('the other to be closed', () => server.sockets.size === 0);
    expect(client.isIdle).toBe(true);
  });

  it('lets no line break into a request, and sends a path as it is', async () => {
    const server = await serve((socket) => socket.write(answer('200 OK')));
    const client = clientOf();
    const { origin } = server;
    await expect(client.send({ origin, path: '/a\r\nx: y' })).rejects.toThrow(/unescaped/);
    const headers = { 'x-a': 'b\r\nc: d' };
    await expect(client.send({ origin, path: '/', headers })).rejects.toThrow(/Invalid character/);
    await textOf(client, origin, '/a/../%2e%2E?b=%20');
    expect(server.heads).toHaveLength(1);
    expect(server.heads[0]).toMatch(/^GET \/a\/\.\.\/%2e%2E\?b=%20 HTTP\/1\.1\r\n/);
    expect(client.isIdle).toBe(true);
  });

  it('counts the bytes of a body, also of one that a DELETE has, and repeats a header', async () => {
    const server = await serve((socket) => socket.write(answer('200 OK')));
    const request = { origin: server.origin, path: '/', method: 'DELETE', body: 'ä' } as const;
    discardBody(await clientOf().send({ ...request, headers: { 'x-a': ['b', 'c'] } }));
    expect(server.heads[0]).toMatch(/content-length: 2\r\n/);
    expect(server.heads[0]).toMatch(/x-a: b\r\nx-a: c/);
  });
});

describe('bodies', () => {
  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'],
  ])('that are cut in the middle of %s fail where they are read', async (_what, bytes) => {
    const server = await serve((socket) => void socket.write(bytes, () => socket.destroy()));
    const reading = textOf(clientOf(), server.origin);
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('that are too long end the connection', async () => {
    // Of one that has come whole, newer lines of Node.js keep the connection.
    const bytes = `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(1001)}`;
    const server = await serve((socket) => socket.write(bytes));
    const client = clientOf();
    await expect(textOf(client, server.origin)).rejects.toMatchObject({ code: 'WG_TEXT_SIZE' });
    await until('the connection to be closed', () => server.sockets.size === 0);
    expect(client.isIdle).toBe(true);
  });

  it('that nobody wants are read when short, dropped when long', async () => {
    const server = await serve((socket, head) =>
      socket.write(answer('200 OK', 'x'.repeat(head.startsWith('GET /long') ? 70_000 : 10))),
    );
    const client = clientOf();
    for (const path of ['/short', '/short', '/long', '/short']) {
      discardBody(await client.send({ origin: server.origin, path }));
      await until('the body to be gone', () => client.isIdle);
    }
    expect(server.opened).toBe(2);
  });
});

describe('time', () => {
  it.each([
    ['no answer', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'],
  ])(
    'ends what is silent after %s, by its own limit and by that of the call',
    async (_what, bytes) => {
      const server = await serve((socket) => void (bytes !== '' && socket.write(bytes)));
      const timeout = { code: 'WG_TIMEOUT', name: 'TimeoutError' };
      const impatient = clientOf({ idleTimeoutMs: 60 });
      await expect(textOf(impatient, server.origin)).rejects.toMatchObject(timeout);
      const request = { origin: server.origin, path: '/', timeoutMs: 60 };
      const reading = withDeadline(clientOf().send)(request).then((one) => readBody(one, 10));
      await expect(reading).rejects.toMatchObject(timeout);
      await until('the connections to be closed', () => server.sockets.size === 0);
    },
  );

  it('is not the fault of a server whose reader is slow', async () => {
    const server = await serve((socket) => socket.write(answer('200 OK', 'x'.repeat(4_000_000))));
    const { body } = await clientOf({ idleTimeoutMs: 60_000 }).send({
      origin: server.origin,
      path: '/',
    });
    await until('the first bytes', () => body.readableLength > 0);
    const { socket } = body as IncomingMessage;
    // As Node.js says it after a minute without a byte.
    for (let silence = 0; silence < 2; silence++) socket.emit('timeout');
    expect((await readBody({ body }, 4_000_000)).length).toBe(4_000_000);
  });

  it('limits what a connection may take', async () => {
    const server = await serve(() => {});
    const proxy = new URL(server.origin);
    const client = clientOf({ connectTimeoutMs: 60, proxyFor: () => proxy });
    const asking = client.send({ origin: 'https://example.com', path: '/' });
    await expect(asking).rejects.toMatchObject({ code: 'WG_TIMEOUT' });
    await until('the connection to be closed', () => server.sockets.size === 0);
  });
});

describe('giving up', () => {
  it.each([
    ['before the answer', ''],
    ['in the middle of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'],
  ])('%s leaves no socket and no listener', async (_what, bytes) => {
    const server = await serve((socket) => void (bytes !== '' && socket.write(bytes)));
    const client = clientOf();
    const controller = new AbortController();
    const { signal } = controller;
    const sent = client.send({ origin: server.origin, path: '/', signal });
    const reading = sent.then((response) => readBody(response, 10));
    reading.catch(() => {});
    await until('the request', () => server.heads.length === 1);
    if (bytes !== '') await sent;
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await until('the connection to be closed', () => server.sockets.size === 0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(client.isIdle).toBe(true);
    await expect(client.send({ origin: server.origin, path: '/', signal })).rejects.toThrow(
      'enough',
    );
  });

  it('while it waits for its turn, or for a proxy, holds up nobody', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('GET')) socket.write(answer('200 OK', 'x'));
    });
    const client = clientOf({
      maxConnections: 1,
      proxyFor: ({ protocol }) => (protocol === 'https:' ? new URL(server.origin) : undefined),
    });
    const controller = new AbortController();
    const { signal } = controller;
    const held = await client.send({ origin: server.origin, path: '/held' });
    const waiting = client.send({ origin: server.origin, path: '/waiting', signal });
    const next = client.send({ origin: server.origin, path: '/next' });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    discardBody(held);
    discardBody(await next);
    const dialling = new AbortController();
    const tunnelled = client.send({ origin: 'https://a', path: '/', signal: dialling.signal });
    tunnelled.catch(() => {});
    await until('the proxy', () => server.heads.some((head) => head.startsWith('CONNECT')));
    dialling.abort(new Error('enough'));
    await expect(tunnelled).rejects.toThrow('enough');
    expect(await textOf(client, server.origin)).toBe('x');
    await until('the connection to the proxy to be closed', () => server.sockets.size === 1);
  });

  it('of the whole client ends all that is under way or waits, and what comes after', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('GET /body'))
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab');
    });
    const client = clientOf({ maxConnections: 2 });
    const { origin } = server;
    const body = await client.send({ origin, path: '/body' });
    const calls = ['/a', '/b', '/c'].map((path) => client.send({ origin, path }));
    const stream = client.send({ origin, path: '/stream', isStream: true });
    await until('the requests', () => server.heads.length === 3);
    client.close();
    const closed = { code: 'WG_TEXT_CLOSED' };
    for (const one of [...calls, stream, readBody(body, 10), client.send({ origin, path: '/' })]) {
      await expect(one).rejects.toMatchObject(closed);
    }
    await until('the connections to be closed', () => server.sockets.size === 0);
  });
});

describe('proxies', () => {
  const through = (proxy: RawServer, login = '') =>
    clientOf({ proxyFor: () => new URL(proxy.origin.replace('//', `//${login}`)) });

  it('are asked by the whole address for what is plain, with their password', async () => {
    const proxy = await serve((socket) => socket.write(answer('200 OK', 'x')));
    const client = through(proxy, 'u:p%40@');
    expect(await textOf(client, 'http://a.example:8080', '/b?c')).toBe('x');
    expect(proxy.heads[0]).toMatch(/^GET http:\/\/a\.example:8080\/b\?c HTTP\/1\.1\r\n/);
    expect(proxy.heads[0]).toMatch(/host: a\.example:8080\r\n/i);
    const basic = Buffer.from('u:p@').toString('base64');
    expect(proxy.heads[0]).toMatch(new RegExp(`proxy-authorization: Basic ${basic}`, 'i'));
  });

  it.each([
    [
      'a refusal',
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      /refused the tunnel with 407/,
    ],
    ['what is no HTTP', '220 mail ready\r\n\r\n', /no HTTP answer/],
    ['a cut', undefined, /closed the connection/],
  ])('that answer CONNECT with %s are named without their password', async (_what, bytes, why) => {
    const proxy = await serve(
      (socket) => void (bytes === undefined ? socket.end() : socket.write(bytes)),
    );
    const error: unknown = await textOf(through(proxy, 'u:secret@'), 'https://[::9]').catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(why);
    expect(String(error)).not.toContain('secret');
    expect(proxy.heads[0]).toMatch(/^CONNECT \[::9\]:443 HTTP\/1\.1\r\nHost: \[::9\]:443\r\n/);
    await until('the connection to be closed', () => proxy.sockets.size === 0);
  });

  it('lead on to what is no HTTP by a tunnel', async () => {
    const proxy = await serve((socket, head) => {
      if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nrest');
    });
    const headers = { connection: 'upgrade', upgrade: 'x' };
    const client = through(proxy);
    const { statusCode, upgraded } = await client.send({ origin: 'http://a', path: '/', headers });
    expect(statusCode).toBe(101);
    expect(upgraded?.rest.toString()).toBe('rest');
    expect(proxy.heads.map((head) => head.split(' ', 2))).toEqual([
      ['CONNECT', 'a:80'],
      ['GET', '/'],
    ]);
    expect(client.isIdle).toBe(true);
    upgraded?.socket.destroy();
  });
});
