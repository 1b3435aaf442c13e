import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { encodeProxyV2, parseProxyHeader } from '@waygate/text';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Backend, PassthroughLimits } from './config.ts';
import type { ConnectionSummary } from './connection-host.ts';
import { type PassthroughOptions, PassthroughProxy } from './proxy.ts';
import { buildHello } from './testing/build-hello.ts';
import {
  closedEndpoint,
  dial,
  gone,
  read,
  startBackend,
  type TestBackend,
} from './testing/sockets.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function backendWith(...args: Parameters<typeof startBackend>): Promise<TestBackend> {
  const backend = await startBackend(...args);
  cleanups.push(() => backend.close());
  return backend;
}

const to = (name: string, ...backends: TestBackend[]): Backend => ({
  name,
  endpoints: backends.map(({ endpoint }) => endpoint),
});

async function startProxy(options: PassthroughOptions): Promise<{
  proxy: PassthroughProxy;
  port: number;
  ended: ConnectionSummary[];
}> {
  const ended: ConnectionSummary[] = [];
  const proxy = new PassthroughProxy({
    ...options,
    onConnection: (summary) => ended.push(summary),
  });
  const { port } = await proxy.start({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => proxy.stop());
  return { proxy, port, ended };
}

const hello = buildHello({ serverName: 'a.example.com', alpn: ['h2'] });
const oneHost = (
  backend: Backend,
  limits: Partial<PassthroughLimits> = {},
): PassthroughOptions => ({
  table: { hosts: [{ host: 'a.example.com', backend }] },
  limits,
});
const alertOf = (bytes: Buffer): number | undefined =>
  bytes.length === 7 && bytes[0] === 21 ? bytes[6] : undefined;

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
    await vi.waitFor(() => expect(ended).toHaveLength(1));
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
    await vi.waitFor(() => expect(proxy.counters.active).toBe(0));
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
    await vi.waitFor(
      () => {
        const now = server.bytesWritten - server.writableLength;
        const isStill = now === before && server.writableLength > 0;
        before = now;
        expect(isStill).toBe(true);
      },
      { interval: 100, timeout: 10_000 },
    );
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
});

describe('refusing', () => {
  test.each([
    ['an unknown name', buildHello({ serverName: 'b.example.com' }), 112, 'unrecognized-name'],
    ['no name', buildHello({}), 112, 'unrecognized-name'],
    ['a malformed hello', Buffer.from([22, 3, 1, 0, 5, 1, 0, 0, 1, 0]), 50, 'malformed-hello'],
    [
      'a hello beyond the limit',
      Buffer.from([22, 3, 1, 0x40, 0, 1, 0xff, 0, 0]),
      50,
      'hello-too-large',
    ],
  ])('%s gets a TLS alert, not a reset', async (_, bytes, alert, refusal) => {
    const { proxy, port } = await startProxy(oneHost(to('a', await backendWith())));
    const client = await dial(port);
    client.write(Buffer.concat([bytes, randomBytes(100_000)]));
    expect(alertOf(await read(client))).toBe(alert);
    client.end();
    await vi.waitFor(() => expect(proxy.counters.refusals).toEqual({ [refusal]: 1 }));
  });

  test('plain HTTP goes to the default backend, and is closed without one', async () => {
    const backend = await backendWith();
    const withDefault = await startProxy({
      table: { hosts: [], defaultBackend: to('d', backend) },
    });
    const client = await dial(withDefault.port);
    client.write('GET / HTTP/1.1\r\n');
    expect((await read(await backend.connection(0), 16)).toString()).toBe('GET / HTTP/1.1\r\n');
    client.destroy();
    const without = await startProxy({ table: { hosts: [] } });
    const other = await dial(without.port);
    other.write('GET / HTTP/1.1\r\n');
    expect(await read(other)).toHaveLength(0);
  });

  test('a source that the rule does not allow', async () => {
    const backend = to('a', await backendWith());
    const { port } = await startProxy({
      table: { hosts: [{ host: 'a.example.com', backend, allowSources: ['10.0.0.0/8'] }] },
    });
    const client = await dial(port);
    client.write(hello);
    expect(alertOf(await read(client))).toBe(49);
  });

  test('a client that never finishes its hello is dropped, and holds nothing', async () => {
    const { proxy, port } = await startProxy(
      oneHost(to('a', await backendWith()), { helloTimeoutMs: 50 }),
    );
    const client = await dial(port);
    client.write(hello.subarray(0, 1));
    await gone(client);
    await vi.waitFor(() => expect(proxy.counters).toMatchObject({ active: 0, pendingHellos: 0 }));
    expect(proxy.counters.refusals).toEqual({ 'hello-timeout': 1 });
  });

  test('a real TLS client over the limit is told so, also behind a PROXY header', async () => {
    const backend = to('a', await backendWith());
    const { port, proxy } = await startProxy({
      ...oneHost(backend, { maxConnectionsPerAddress: 1 }),
      proxyProtocol: { mode: 'optional', trusted: ['127.0.0.1'] },
    });
    const header = 'PROXY TCP4 10.1.1.1 10.1.1.2 1000 443\r\n';
    (await dial(port)).write(header);
    await vi.waitFor(() => expect(proxy.counters.active).toBe(1));
    const socket = await dial(port);
    socket.write(header);
    const secure = connectTls({ socket, servername: 'a.example.com' });
    const [error] = (await once(secure, 'error')) as [Error & { code?: string }];
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
    // The neighbour behind the same load balancer is not counted with them.
    const neighbour = await dial(port);
    neighbour.write(header.replace('10.1.1.1', '10.1.1.9'));
    neighbour.write(hello);
    await vi.waitFor(() => expect(proxy.counters.serverNameFound).toBe(1));
  });

  test('connections over the limit per address, and over the limit in all', async () => {
    const backend = to('a', await backendWith());
    const perAddress = await startProxy(oneHost(backend, { maxConnectionsPerAddress: 1 }));
    const first = await dial(perAddress.port);
    await vi.waitFor(() => expect(perAddress.proxy.counters.active).toBe(1));
    const second = await dial(perAddress.port);
    second.write(Buffer.concat([hello, randomBytes(100_000)]));
    expect(alertOf(await read(second))).toBe(49);
    second.end();
    await vi.waitFor(() =>
      expect(perAddress.proxy.counters.refusals).toEqual({ 'too-many-from-address': 1 }),
    );
    expect(perAddress.proxy.counters.pendingHellos).toBe(1);
    first.destroy();
    await vi.waitFor(() => expect(perAddress.proxy.counters.active).toBe(0));
    const inAll = await startProxy(oneHost(backend, { maxConnections: 1 }));
    await dial(inAll.port);
    await vi.waitFor(() => expect(inAll.proxy.counters.active).toBe(1));
    const other = await dial(inAll.port);
    other.write(Buffer.concat([hello, randomBytes(100_000)]));
    expect(alertOf(await read(other))).toBe(80);
    expect(inAll.proxy.counters.refusals).toEqual({ 'too-many-connections': 1 });
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

describe('PROXY protocol', () => {
  test('version 2 tells the backend the client, the name and the protocol', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost({ ...to('a', backend), proxyProtocol: 'v2' }));
    const client = await dial(port);
    client.write(hello);
    const header = encodeProxyV2(
      {
        sourceAddress: '127.0.0.1',
        sourcePort: client.localPort!,
        destinationAddress: '127.0.0.1',
        destinationPort: port,
      },
      { authority: 'a.example.com', alpn: 'h2' },
    );
    expect(await read(await backend.connection(0), header.length + hello.length)).toEqual(
      Buffer.concat([header, hello]),
    );
    client.destroy();
  });

  test('from a trusted peer it names the client; the header is not passed on', async () => {
    const backend = await backendWith();
    const { port, ended } = await startProxy({
      ...oneHost({ ...to('a', backend), proxyProtocol: 'v1' }),
      proxyProtocol: { mode: 'required', trusted: ['127.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write('PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n');
    client.write(hello);
    const received = await read(await backend.connection(0), 47 + hello.length);
    expect(parseProxyHeader(received)).toMatchObject({
      header: { ends: { sourceAddress: '203.0.113.7' } },
    });
    expect(received.subarray(47)).toEqual(hello);
    client.destroy();
    await vi.waitFor(() =>
      expect(ended[0]).toMatchObject({ clientAddress: '203.0.113.7', clientPort: 56324 }),
    );
  });

  test('without it, where it is required, the connection is dropped', async () => {
    const { proxy, port } = await startProxy({
      ...oneHost(to('a', await backendWith())),
      proxyProtocol: { mode: 'required', trusted: ['127.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write(hello);
    expect(await read(client)).toHaveLength(0);
    expect(proxy.counters.refusals).toEqual({ 'malformed-proxy-header': 1 });
  });

  test('from a peer that is not trusted it is not TLS', async () => {
    const { proxy, port } = await startProxy({
      ...oneHost(to('a', await backendWith())),
      proxyProtocol: { mode: 'optional', trusted: ['10.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write('PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n');
    await read(client);
    client.end();
    await vi.waitFor(() => expect(proxy.counters.refusals).toEqual({ 'not-tls': 1 }));
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
    await vi.waitFor(() => expect(proxy.counters.active).toBe(1));
    await proxy.stop();
    await gone(client);
  });

  test('a port that is taken is an error that says so', async () => {
    const { port } = await startProxy({ table: { hosts: [] } });
    const second = new PassthroughProxy({ table: { hosts: [] } });
    await expect(second.start({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  });
});

test('a flood of clients that send one byte is bounded, and others pass', async () => {
  const backend = await backendWith((socket) => socket.resume().write('ok'));
  const { proxy, port } = await startProxy(
    oneHost(to('a', backend), { maxConnectionsPerAddress: 600, helloTimeoutMs: 30_000 }),
  );
  const loris = await Promise.all(Array.from({ length: 500 }, () => dial(port)));
  for (const socket of loris) socket.write(hello.subarray(0, 1));
  await vi.waitFor(() => expect(proxy.counters.pendingHellos).toBe(500));
  const client = await dial(port);
  client.write(hello);
  expect((await read(client, 2)).toString()).toBe('ok');
  for (const socket of [client, ...loris]) socket.destroy();
  await vi.waitFor(() => expect(proxy.counters).toMatchObject({ active: 0, pendingHellos: 0 }));
});
