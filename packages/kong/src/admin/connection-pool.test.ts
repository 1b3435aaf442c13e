import { getEventListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';

let server: Server | undefined;
let pool: ConnectionPool | undefined;
let opened = 0;
const sockets = new Set<Socket>();

/** A pool of connections to a server that is told of each request with its place in a connection. */
async function start(
  onRequest: (socket: Socket, text: string, place: number) => void,
  options: Partial<ConnectionPoolOptions> = {},
): Promise<ConnectionPool> {
  opened = 0;
  server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    let place = 0;
    socket.on('data', (data) => {
      place += 1;
      onRequest(socket, data.toString(), place);
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  pool = new ConnectionPool({
    url: new URL(`http://127.0.0.1:${port}`),
    tls: {},
    connections: 2,
    timeoutMs: 5000,
    largestAnswer: 1000,
    headers: { 'x-a': 'b' },
    ...options,
  });
  return pool;
}

afterEach(async () => {
  pool?.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server?.close(resolve));
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
const get = { method: 'GET', path: '/services' };

describe('ConnectionPool', () => {
  it('keeps few connections open for many requests', async () => {
    const one = await start((socket) => socket.write(ok));
    const answers = await Promise.all(Array.from({ length: 50 }, () => one.send(get)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(opened).toBe(2);
  });

  it('sends bodies with their length in bytes', async () => {
    let seen = '';
    const one = await start((socket, text) => {
      seen = text;
      socket.write(ok);
    });
    await one.send({ method: 'PUT', path: '/a?b=c', body: '{"ä":1}' });
    expect(seen).toContain('PUT /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:');
    expect(seen).toContain('x-a: b\r\n');
    expect(seen).toContain('content-length: 8\r\n\r\n{"ä":1}');
  });

  it('sends again what met a connection that the server was closing, but for POST', async () => {
    const one = await start((socket, _text, place) => {
      if (place === 1) socket.write(ok);
      else socket.destroy();
    });
    await one.send(get);
    expect((await one.send(get)).status).toBe(200);
    expect(opened).toBe(2);
    await expect(one.send({ method: 'POST', path: '/a', body: '{}' })).rejects.toThrow();
  });

  it('opens a new connection after one that may not be used again', async () => {
    const closing = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
    const one = await start((socket) => socket.write(closing), { connections: 1 });
    await Promise.all([one.send(get), one.send(get), one.send(get)]);
    expect(opened).toBe(3);
  });

  it('gives up a silent server, a request that is cancelled, and an answer that is no HTTP', async () => {
    const silent = await start(() => {}, { timeoutMs: 50 });
    await expect(silent.send(get)).rejects.toThrow('no answer for 50 ms');
    const controller = new AbortController();
    const cancelled = silent.send({ ...get, signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'WG_KONG_ABORTED' });
    await expect(silent.send({ ...get, signal: controller.signal })).rejects.toThrow('cancelled');
    silent.close();
    await new Promise((resolve) => server?.close(resolve));
    const strange = await start((socket) => socket.write('220 mail ready\r\n\r\n'));
    await expect(strange.send(get)).rejects.toMatchObject({ code: 'WG_KONG_ANSWER' });
  });

  it('lets go of a signal when nothing waits for it any more', async () => {
    const one = await start((socket) => socket.write(ok));
    const { signal } = new AbortController();
    await Promise.all([one.send({ ...get, signal }), one.send({ ...get, signal })]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('fails what waits and what is under way when it is closed, and what comes after', async () => {
    const one = await start(() => {}, { connections: 1 });
    const sent = [one.send(get), one.send(get)];
    one.close();
    sent.push(one.send(get));
    for (const result of await Promise.allSettled(sent)) {
      expect(result).toMatchObject({ reason: { code: 'WG_KONG_ABORTED', message: 'closed' } });
    }
  });

  it('tells everybody that no server is there', async () => {
    const one = await start(() => {}, { url: new URL('http://127.0.0.1:1'), connections: 1 });
    const results = await Promise.allSettled([one.send(get), one.send(get), one.send(get)]);
    for (const result of results) {
      expect(result).toMatchObject({ reason: { message: expect.stringMatching(/ECONNREFUSED/) } });
    }
  });

  it('lets no line break into a request', async () => {
    const one = await start((socket) => socket.write(ok));
    await expect(one.send({ method: 'GET', path: '/a b' })).rejects.toThrow('no path');
    await expect(one.send({ method: 'GET', path: '/a\r\nx: y' })).rejects.toThrow('no path');
    expect(
      () =>
        new ConnectionPool({
          url: new URL('http://127.0.0.1'),
          tls: {},
          connections: 1,
          timeoutMs: 1,
          largestAnswer: 1,
          headers: { a: 'b\r\nc: d' },
        }),
    ).toThrow('the header a cannot be sent');
  });
});
