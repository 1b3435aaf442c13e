import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import {
  alertOf,
  backendWith,
  endProxiesAfterEach,
  hello,
  oneHost,
  startProxy,
  to,
} from '../test/running-proxy.ts';
import { PassthroughProxy } from './proxy.ts';
import { buildHello } from './testing/build-hello.ts';
import { closedEndpoint, dial, gone, read } from './testing/sockets.ts';

endProxiesAfterEach();

describe('stopping', () => {
  test('every connection has been told of when it is over', async () => {
    const backend = await backendWith();
    const { proxy, port, ended } = await startProxy(oneHost(to('a', backend)));
    for (let index = 0; index < 5; index++) {
      (await dial(port)).write(hello);
      await backend.connection(index);
    }
    await proxy.stop();
    expect(ended).toHaveLength(5);
  });
});

describe('carrying', () => {
  test('the backend gets the hello and what follows verbatim, and its answer comes back', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.write(Buffer.concat([hello, Buffer.from('more')]));
    const server = await backend.connection(0);
    expect(await read(server, hello.length + 4)).toEqual(
      Buffer.concat([hello, Buffer.from('more')]),
    );
    server.write('answer');
    expect((await read(client, 6)).toString()).toBe('answer');
    client.destroy();
  });

  test('a hello sent byte by byte is routed as a whole one', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.setNoDelay(true);
    for (const byte of hello) {
      client.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await read(await backend.connection(0), hello.length)).toEqual(hello);
    client.destroy();
  });

  test('megabytes both ways at once arrive whole', async () => {
    const payload = randomBytes(8 << 20);
    const backend = await backendWith((socket) => socket.write(payload));
    const { port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.write(hello);
    client.end(payload);
    const server = await backend.connection(0);
    const [down, up] = await Promise.all([read(client, payload.length), read(server)]);
    expect(down.equals(payload)).toBe(true);
    expect(up.equals(Buffer.concat([hello, payload]))).toBe(true);
  });

  test('half-close is kept: a client that has ended still gets its answer', async () => {
    const backend = await backendWith();
    const { port, ended } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.end(hello);
    const server = await backend.connection(0);
    expect(await read(server, hello.length)).toEqual(hello);
    server.end('late answer');
    expect((await read(client)).toString()).toBe('late answer');
    await vi.waitFor(() => expect(ended).toHaveLength(1), patience);
    expect(ended[0]).toMatchObject({
      host: 'a.example.com',
      serverName: 'a.example.com',
      bytesOut: 11,
    });
  });

  test('a connection that only one side has ended is given less time than an idle one', async () => {
    const backend = await backendWith((socket) => socket.removeAllListeners('end'));
    const { proxy, port } = await startProxy(
      oneHost(to('a', backend), { halfClosedTimeoutMs: 50 }),
    );
    const client = await dial(port);
    client.end(hello);
    await gone(client);
    await vi.waitFor(() => expect(proxy.counters.active).toBe(0), patience);
  });

  test('a slow reader pushes back on the sender instead of filling memory', async () => {
    const total = 64 << 20;
    const backend = await backendWith((socket) => {
      const chunk = Buffer.alloc(1 << 20);
      for (let sent = 0; sent < total; sent += chunk.length) socket.write(chunk);
    });
    const { port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.pause();
    client.write(hello);
    const server = await backend.connection(0);
    // Kernel buffers take some megabytes; once they are full nothing moves until the client reads.
    let before = -1;
    await vi.waitFor(() => {
      const now = server.bytesWritten - server.writableLength;
      const isStill = now === before && server.writableLength > 0;
      before = now;
      expect(isStill).toBe(true);
    }, patience);
    expect(server.writableLength).toBeGreaterThan(total / 4);
    expect((await read(client, total)).length).toBe(total);
    client.destroy();
  });

  test('a reset on one side reaches the other', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.write(hello);
    (await backend.connection(0)).resetAndDestroy();
    await gone(client);
    expect(client.destroyed).toBe(true);
  });

  test('an idle connection is ended', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost(to('a', backend), { idleTimeoutMs: 50 }));
    const client = await dial(port);
    client.write(hello);
    await gone(client);
    const server = await backend.connection(0);
    await gone(server);
  });

  test('a silent connection is probed first, on both sides, and ended when nothing comes then', async () => {
    const probe = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const backend = await backendWith();
    const { port } = await startProxy(
      oneHost(to('a', backend), { keepAliveMs: 20, idleTimeoutMs: 60 }),
    );
    const client = await dial(port);
    client.write(hello);
    await gone(client);
    await gone(await backend.connection(0));
    expect(probe.mock.calls).toEqual([
      [true, 20],
      [true, 20],
    ]);
  });
});

describe('backends', () => {
  test('an endpoint that refuses is passed over for the next one', async () => {
    const backend = await backendWith();
    const { proxy, port } = await startProxy(
      oneHost({ name: 'a', endpoints: [await closedEndpoint(), backend.endpoint] }),
    );
    for (let index = 0; index < 4; index += 1) {
      const client = await dial(port);
      client.write(hello);
      expect(await read(await backend.connection(index), hello.length)).toEqual(hello);
      client.destroy();
    }
    expect(proxy.counters.hosts['a.example.com']?.connectFailures).toBeGreaterThan(0);
  });

  test('when none can be reached the client gets internal_error', async () => {
    const { port } = await startProxy(oneHost({ name: 'a', endpoints: [await closedEndpoint()] }));
    const client = await dial(port);
    client.write(hello);
    expect(alertOf(await read(client))).toBe(80);
  });

  test('a backend that accepts and closes ends only its own connection', async () => {
    const flaky = await backendWith((socket) => socket.destroy());
    const steady = await backendWith((socket) => socket.write('ok'));
    const { port } = await startProxy({
      table: {
        hosts: [
          { host: 'a.example.com', backend: to('a', flaky) },
          { host: 'b.example.com', backend: to('b', steady) },
        ],
      },
    });
    const good = await dial(port);
    good.write(buildHello({ serverName: 'b.example.com' }));
    const bad = await dial(port);
    bad.write(hello);
    await read(bad);
    expect((await read(good, 2)).toString()).toBe('ok');
    good.destroy();
  });

  test('a change of the table is for new connections; living ones keep their backend', async () => {
    const [before, after] = [await backendWith(), await backendWith()];
    const { proxy, port } = await startProxy(oneHost(to('a', before)));
    const first = await dial(port);
    first.write(hello);
    const old = await before.connection(0);
    await read(old, hello.length);
    proxy.update({ hosts: [{ host: 'a.example.com', backend: to('a', after) }] });
    const second = await dial(port);
    second.write(hello);
    expect(await read(await after.connection(0), hello.length)).toEqual(hello);
    first.write('still');
    expect((await read(old, 5)).toString()).toBe('still');
    first.destroy();
    second.destroy();
  });
});

describe('stopping', () => {
  test('drains: takes no new connection, lets the living end', async () => {
    const backend = await backendWith();
    const { proxy, port } = await startProxy(oneHost(to('a', backend)));
    const client = await dial(port);
    client.write(hello);
    const server = await backend.connection(0);
    const stopped = proxy.stop({ drainMs: 20_000 });
    await expect(dial(port)).rejects.toThrow();
    server.end('last words');
    expect((await read(client)).toString()).toBe('last words');
    client.end();
    await stopped;
    expect(proxy.counters.active).toBe(0);
  });

  test('without time to drain it ends them', async () => {
    const { proxy, port } = await startProxy(oneHost(to('a', await backendWith())));
    const client = await dial(port);
    client.write(hello.subarray(0, 3));
    client.resume();
    await vi.waitFor(() => expect(proxy.counters.active).toBe(1), patience);
    await proxy.stop();
    await gone(client);
  });

  test('a port that is taken is an error that says so', async () => {
    const { port } = await startProxy({ table: { hosts: [] } });
    const second = new PassthroughProxy({ table: { hosts: [] } });
    await expect(second.start({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  });
});
