import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
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
import { buildHello } from './testing/build-hello.ts';
import { dial, gone, read } from './testing/sockets.ts';

endProxiesAfterEach();

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
    await vi.waitFor(() => expect(proxy.counters.refusals).toEqual({ [refusal]: 1 }), patience);
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
    await vi.waitFor(
      () => expect(proxy.counters).toMatchObject({ active: 0, pendingHellos: 0 }),
      patience,
    );
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
    await vi.waitFor(() => expect(proxy.counters.active).toBe(1), patience);
    const socket = await dial(port);
    socket.write(header);
    const secure = connectTls({ socket, servername: 'a.example.com' });
    const [error] = (await once(secure, 'error')) as [Error & { code?: string }];
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
    // The neighbour behind the same load balancer is not counted with them.
    const neighbour = await dial(port);
    neighbour.write(header.replace('10.1.1.1', '10.1.1.9'));
    neighbour.write(hello);
    await vi.waitFor(() => expect(proxy.counters.serverNameFound).toBe(1), patience);
  });

  test('connections over the limit per address, and over the limit in all', async () => {
    const backend = to('a', await backendWith());
    const perAddress = await startProxy(oneHost(backend, { maxConnectionsPerAddress: 1 }));
    const first = await dial(perAddress.port);
    await vi.waitFor(() => expect(perAddress.proxy.counters.active).toBe(1), patience);
    const second = await dial(perAddress.port);
    second.write(Buffer.concat([hello, randomBytes(100_000)]));
    expect(alertOf(await read(second))).toBe(49);
    second.end();
    await vi.waitFor(
      () => expect(perAddress.proxy.counters.refusals).toEqual({ 'too-many-from-address': 1 }),
      patience,
    );
    expect(perAddress.proxy.counters.pendingHellos).toBe(1);
    first.destroy();
    await vi.waitFor(() => expect(perAddress.proxy.counters.active).toBe(0), patience);
    const inAll = await startProxy(oneHost(backend, { maxConnections: 1 }));
    await dial(inAll.port);
    await vi.waitFor(() => expect(inAll.proxy.counters.active).toBe(1), patience);
    const other = await dial(inAll.port);
    other.write(Buffer.concat([hello, randomBytes(100_000)]));
    expect(alertOf(await read(other))).toBe(80);
    expect(inAll.proxy.counters.refusals).toEqual({ 'too-many-connections': 1 });
  });
});

test('the limit per address is of those that are open now, whichever of them ended', async () => {
  const { proxy, port } = await startProxy(
    oneHost(to('a', await backendWith()), { maxConnectionsPerAddress: 2 }),
  );
  const { counters } = proxy;
  const open = [await dial(port), await dial(port)];
  for (const round of [1, 2, 3]) {
    await vi.waitFor(() => expect(counters.pendingHellos).toBe(2), patience);
    const third = await dial(port);
    expect(alertOf(await read(third))).toBe(49);
    third.end();
    await vi.waitFor(
      () => expect(counters.refusals['too-many-from-address']).toBe(round),
      patience,
    );
    open.shift()!.destroy();
    await vi.waitFor(() => expect(counters.active).toBe(1), patience);
    open.push(await dial(port));
  }
  await vi.waitFor(
    () => expect(counters).toMatchObject({ accepted: 8, active: 2, pendingHellos: 2 }),
    patience,
  );
});

test('a flood of clients that send one byte is bounded, and others pass', async () => {
  const backend = await backendWith((socket) => socket.resume().write('ok'));
  const { proxy, port } = await startProxy(
    oneHost(to('a', backend), { maxConnectionsPerAddress: 600, helloTimeoutMs: 30_000 }),
  );
  const loris = await Promise.all(Array.from({ length: 500 }, () => dial(port)));
  for (const socket of loris) socket.write(hello.subarray(0, 1));
  await vi.waitFor(() => expect(proxy.counters.pendingHellos).toBe(500), patience);
  const client = await dial(port);
  client.write(hello);
  expect((await read(client, 2)).toString()).toBe('ok');
  for (const socket of [client, ...loris]) socket.destroy();
  await vi.waitFor(
    () => expect(proxy.counters).toMatchObject({ active: 0, pendingHellos: 0 }),
    patience,
  );
});
