import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { dial, FaultWorld, get, readAll } from '../testing/fault-gateway.ts';
import { repeat } from '../testing/fault-upstream.ts';

let world = new FaultWorld();

afterEach(async () => {
  await world.stop();
  world = new FaultWorld();
});

const open = async (): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${world.adminPort}/status`);
  const { server } = (await answer.json()) as { server: { connections_active: number } };
  return server.connections_active;
};
const post = (path: string, more: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n${body}`;
const health = async (name: string): Promise<string | undefined> => {
  const answer = await fetch(`http://127.0.0.1:${world.adminPort}/upstreams/${name}/health`);
  return ((await answer.json()) as { data: { health: string }[] }).data[0]?.health;
};

describe('a client that stalls', () => {
  test.each([
    ['before its first byte', '', ''],
    ['in its head', 'GET /neighbour HT', '408'],
    ['between two headers', 'GET /neighbour HTTP/1.1\r\nHost: a\r\n', '408'],
    ['in a body that is held', post('/neighbour', 'Content-Length: 10\r\n', 'abc'), '408'],
    ['in a body that streams', post('/neighbour', 'Content-Length: 100000\r\n', 'abc'), '408'],
    ['in a chunk', post('/neighbour', 'Transfer-Encoding: chunked\r\n', '5\r\nab'), '408'],
    ['after its answer', 'GET /neighbour HTTP/1.1\r\nHost: a\r\n\r\n', '200'],
  ])('%s is closed in time', async (_name, bytes, status) => {
    await world.start([]);
    const pending = world.raw(bytes);
    await world.expectNeighbour();
    expect((await pending).slice(9, 12)).toBe(status);
    await world.expectNeighbour();
  });

  test('in its TLS handshake or in silence on the TLS port does not hold others up', async () => {
    await world.start([]);
    const silent = dial(world.tlsPort, '');
    const half = dial(world.tlsPort, Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252]));
    half.end();
    await readAll(half);
    await world.expectNeighbour();
    silent.destroy();
    const idle = connectTls({ host: '127.0.0.1', port: world.tlsPort, rejectUnauthorized: false });
    expect(await readAll(idle)).toBe('');
  });

  test('in its body is not held against the upstream', async () => {
    const upstream = await world.upstream((socket) => {
      socket.on('data', (data: Buffer) => {
        if (data.includes('END')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const passive = { unhealthy: { timeouts: 1, tcp_failures: 1, http_failures: 1 } };
    await world.start(
      [{ name: 'up', port: upstream.port, upstream: { healthchecks: { passive } } }],
      // Longer than the service's own timeouts, so that those would have fired.
      { limits: { bodyTimeoutMs: 1_000 } },
    );
    const text = await world.raw(post('/up', 'Content-Length: 100000\r\n', 'a part'));
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('Request timeout');
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(await health('up.up')).toBe('HEALTHY');
    const whole = `${'x'.repeat(99_997)}END`;
    expect(
      await world.raw(post('/up', 'Content-Length: 100000\r\nConnection: close\r\n', whole)),
    ).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('in reading its answer is cut, and not held against the upstream', async () => {
    const upstream = await world.upstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n');
      repeat(socket, 'x');
    });
    const passive = { unhealthy: { timeouts: 1, tcp_failures: 1, http_failures: 1 } };
    await world.start([
      { name: 'up', port: upstream.port, upstream: { healthchecks: { passive } } },
    ]);
    const client = dial(world.port, get('/up'));
    client.pause();
    await vi.waitFor(() => expect(upstream.open()).toBe(1), patience);
    await world.expectNeighbour();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(await health('up.up')).toBe('HEALTHY');
    client.destroy();
  });
});

describe('a client that breaks off', () => {
  const request = post('/neighbour', 'Content-Length: 70000\r\n', 'x'.repeat(40));

  test('at any byte leaves nothing behind', async () => {
    await world.start([]);
    for (let length = 0; length < request.length; length += 1) {
      const socket = dial(world.port, request.slice(0, length));
      await new Promise((resolve) => socket.once('connect', resolve));
      if (length % 3 === 0) socket.resetAndDestroy();
      else if (length % 3 === 1) socket.destroy();
      else socket.end();
    }
    await world.expectNeighbour();
    // The Admin API's own request, and what fetch keeps alive.
    await vi.waitFor(async () => expect(await open()).toBeLessThanOrEqual(2), patience);
  });

  test('while its upstream thinks takes the upstream’s connection along', async () => {
    const upstream = await world.upstream(() => undefined);
    await world.start([{ name: 'slow', port: upstream.port, more: { read_timeout: 60_000 } }]);
    const sockets = [
      dial(world.port, get('/slow')),
      dial(world.port, get('/slow')),
      dial(world.port, get('/slow')),
    ];
    await vi.waitFor(() => expect(upstream.open()).toBe(3), patience);
    sockets[0]?.resetAndDestroy();
    sockets[1]?.destroy();
    sockets[2]?.end();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
  });
});

describe('a client that sends too much', () => {
  const limit = { name: 'request-size-limiting', config: { allowed_payload_size: 1 } };

  test.each([
    ['with a length', (size: number) => `Content-Length: ${size}\r\n`, '', '413'],
    ['in chunks', () => 'Transfer-Encoding: chunked\r\n', '800000\r\n', '413'],
    [
      'after it asked',
      (size: number) => `Expect: 100-continue\r\nContent-Length: ${size}\r\n`,
      '',
      '417',
    ],
  ])('%s reads why, though it is still sending', async (_name, framing, start, status) => {
    const upstream = await world.upstream(() => undefined);
    await world.start([{ name: 'up', port: upstream.port, route: { plugins: [limit] } }]);
    const size = 8 << 20;
    const socket = dial(world.port, post('/up', framing(size), start));
    // Slowly enough that the answer is there long before the end.
    let left = size;
    const send = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= 65_536;
        if (!socket.write(Buffer.alloc(65_536, 'x'))) return;
      }
    };
    socket.on('drain', () => setImmediate(send));
    setImmediate(send);
    const text = await readAll(socket);
    expect(text.slice(9, 12)).toBe(status);
    expect(text).toContain('Request size limit exceeded');
    expect(upstream.accepted()).toBe(0);
    await world.expectNeighbour();
  });

  test('to the Admin API reads why', async () => {
    await world.start([], { admin: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_000 } });
    for (const body of ['x'.repeat(5_000_000), chunks(5_000_000)]) {
      const answer = await fetch(`http://127.0.0.1:${world.adminPort}/config`, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json' },
        duplex: 'half',
      } as RequestInit);
      expect([answer.status, await answer.json()]).toEqual([413, { message: 'Payload too large' }]);
    }
    await world.expectNeighbour();
  });

  test('requests ahead of its answers is not read until it takes them', async () => {
    const body = 'x'.repeat(15_000);
    const termination = { name: 'request-termination', config: { status_code: 200, body } };
    await world.start([{ name: 'big', port: 1, route: { plugins: [termination] } }], {
      limits: {},
    });
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const client = dial(world.port, '');
    client.pause();
    const many = 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000);
    let blocks = 0;
    // As much as is taken: it stops when the gateway's and both sockets' buffers are full.
    while (blocks < 400 && client.write(many)) blocks += 1;
    await world.expectNeighbour();
    await world.expectNeighbour();
    const after = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    // All answers to what was sent would be gigabytes.
    expect(after - before).toBeLessThan(200 << 20);
    let received = 0;
    client.on('data', (data: Buffer) => {
      received += data.length;
    });
    client.resume();
    await vi.waitFor(() => expect(received).toBeGreaterThan(5_000_000), patience);
    client.destroy();
  });

  test.each([
    ['a line of 9 kB', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '414'],
    ['a line of 40 kB', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '414'],
    ['a header of 9 kB', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(9_000)}\r\n\r\n`, '494'],
    ['33 kB of headers', `GET / HTTP/1.1\r\nHost: a\r\n${'Ab: cd\r\n'.repeat(4_200)}\r\n`, '494'],
    [
      'garbage behind a request',
      `${get('/neighbour').replace('close', 'keep-alive')}\0\0\r\n\r\n`,
      '200',
    ],
  ])('%s', async (_name, bytes, status) => {
    await world.start([]);
    const text = await world.raw(bytes);
    expect(text.slice(9, 12)).toBe(status);
    if (status === '200') expect(text).toContain('HTTP/1.1 400 ');
    await world.expectNeighbour();
  });
});

describe('connections beyond the limit', () => {
  test('take the place of those that wait for another request, and of no others', async () => {
    const upstream = await world.upstream(() => undefined);
    await world.start([{ name: 'slow', port: upstream.port, more: { read_timeout: 60_000 } }], {
      limits: { maxConnections: 3 },
      proxy: [{ host: '127.0.0.1', port: 0 }],
    });
    const busy = [dial(world.port, get('/slow')), dial(world.port, get('/slow'))];
    await vi.waitFor(() => expect(upstream.open()).toBe(2), patience);
    const idle = dial(world.port, 'GET /neighbour HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => idle.once('data', resolve));
    const gone = readAll(idle);
    expect(await world.raw(get('/neighbour'))).toMatch(/^HTTP\/1\.1 200 /);
    await gone;
    busy.push(dial(world.port, get('/slow')));
    await vi.waitFor(() => expect(upstream.open()).toBe(3), patience);
    // Nobody can be asked to go: the newcomer is.
    expect(await world.raw(get('/neighbour'))).toBe('');
    for (const socket of busy) socket.destroy();
  });

  test('a connection is not kept for ever more requests', async () => {
    await world.start([], { limits: { keepAliveRequests: 3 } });
    const text = await world.raw('GET /neighbour HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(text.match(/Connection: close/g)).toHaveLength(1);
  });
});

function chunks(size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      left -= 10_000;
      if (left < 0) controller.close();
      else controller.enqueue(new Uint8Array(10_000).fill(120));
    },
  });
}
