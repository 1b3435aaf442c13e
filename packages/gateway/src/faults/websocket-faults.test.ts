import { afterEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { dial, FaultWorld, readAll } from '../testing/fault-gateway.ts';
import { type Misbehaviour, repeat, reset } from '../testing/fault-upstream.ts';
import { ownPort } from '../testing/own-port.ts';

let world = new FaultWorld();

afterEach(async () => {
  await world.stop();
  world = new FaultWorld();
});

const upgrade =
  'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
const switched =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** What the upstream does, and what the client gets: the status, and what follows it. */
const faults: readonly (readonly [string, Misbehaviour, string, string])[] = [
  ['resets at once', (socket) => reset(socket), '502', ''],
  ['ends without a word', (socket) => socket.end(), '502', ''],
  ['is silent', () => undefined, '504', ''],
  ['speaks garbage', (socket) => socket.end('garbage\r\n\r\n'), '502', ''],
  [
    'declines',
    (s) => s.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    '403',
    'no',
  ],
  ['ends with a last word', (socket) => socket.end(`${switched}bye`), '101', 'bye'],
  ['resets once it has changed', (s) => s.write(switched, () => reset(s)), '101', ''],
  ['falls silent once it has changed', (socket) => void socket.write(switched), '101', ''],
];

describe('a WebSocket to an upstream', () => {
  test('that refuses connections', async () => {
    await world.start([{ name: 'ws', port: await ownPort() }]);
    const socket = dial(world.port, upgrade);
    socket.once('data', () => socket.end());
    expect((await readAll(socket)).slice(9, 12)).toBe('502');
    await world.expectNeighbour();
  });

  test.each(faults)('that %s', async (_name, misbehave, status, rest) => {
    const upstream = await world.upstream(misbehave);
    await world.start([{ name: 'ws', port: upstream.port }]);
    const pending = readAll(dial(world.port, upgrade));
    await world.expectNeighbour();
    const text = await pending;
    expect(text.slice(9, 12)).toBe(status);
    if (rest !== '') expect(text.endsWith(rest)).toBe(true);
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
  });

  test('whose client vanishes, or ends its half, is let go', async () => {
    const upstream = await world.upstream((socket) => {
      socket.write(switched);
      socket.on('data', () => undefined);
    });
    await world.start([{ name: 'ws', port: upstream.port, more: { read_timeout: 60_000 } }]);
    const clients = [dial(world.port, upgrade), dial(world.port, upgrade)];
    for (const client of clients) await new Promise((resolve) => client.once('data', resolve));
    clients[0]?.resetAndDestroy();
    clients[1]?.end();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    await world.expectNeighbour();
  });

  test('that sends without an end is held back by a client that does not read', async () => {
    let written = 0;
    const upstream = await world.upstream((socket) => {
      socket.write(switched);
      repeat(socket, 'x');
      socket.on('drain', () => {
        written = socket.bytesWritten;
      });
    });
    await world.start([{ name: 'ws', port: upstream.port }]);
    const client = dial(world.port, upgrade);
    client.pause();
    // Neither side says anything for long then: both are let go.
    await vi.waitFor(() => expect(upstream.accepted()).toBe(1), patience);
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(written).toBeLessThan(32 << 20);
    await world.expectNeighbour();
    client.destroy();
  });
});
