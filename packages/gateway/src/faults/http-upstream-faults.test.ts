import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { dial, FaultWorld, get } from '../testing/fault-gateway.ts';
import { type Misbehaviour, repeat, reset } from '../testing/fault-upstream.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import { ownPort } from '../testing/own-port.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

let pair: CertificatePair;
let world = new FaultWorld();

beforeAll(async () => {
  pair = await makeCertificate('up.test');
});

afterEach(async () => {
  await world.stop();
  world = new FaultWorld();
});

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const headLength = answer.indexOf('hello');

/** Name, what the upstream does, what the client gets, how often the upstream is asked for a GET. */
const faults: readonly (readonly [string, Misbehaviour, number, number])[] = [
  ['resets at once', (socket) => reset(socket), 502, 3],
  ['ends without a word', (socket) => socket.end(), 502, 3],
  ['accepts and is silent', () => undefined, 504, 3],
  ['speaks garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n\r\n'), 502, 1],
  ['speaks garbage without an end', (socket) => repeat(socket, 'x'.repeat(1_000)), 502, 1],
  ['has a head without an end', (socket) => repeat(socket, 'HTTP/1.1 200 OK\r\nA: b\r\n'), 502, 1],
  [
    'has a header of a megabyte',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(1 << 20)}\r\n\r\n`),
    502,
    1,
  ],
  ['has no end of interim answers', (s) => repeat(s, 'HTTP/1.1 103 Early\r\n\r\n'), 502, 1],
  [
    'changes the protocol unasked',
    (socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi'),
    502,
    1,
  ],
  [
    'has two lengths',
    (s) => s.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    502,
    1,
  ],
  [
    'has a chunk without a size',
    (s) => s.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    200,
    1,
  ],
];

describe.each(['http', 'https'])('an upstream of %s', (protocol) => {
  const options = () => (protocol === 'https' ? { tls: pair } : {});

  test('that refuses connections gets 502 with Kong’s words', async () => {
    await world.start([{ name: 'bad', port: await ownPort(), protocol }]);
    const text = await world.raw(get('/bad'));
    expect(text).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(text).toContain('An invalid response was received from the upstream server');
    await world.expectNeighbour();
  });

  test.each(faults)('that %s', async (_name, misbehave, status, asked) => {
    const upstream = await world.upstream(misbehave, options());
    await world.start([{ name: 'bad', port: upstream.port, protocol }]);
    const pending = world.raw(get('/bad'));
    await world.expectNeighbour();
    expect(Number((await pending).slice(9, 12))).toBe(status);
    expect(upstream.accepted()).toBe(asked);
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    await world.expectNeighbour();
  });

  test('that breaks off at any byte of its answer, or at none', async () => {
    let cut = 0;
    const upstream = await world.upstream((socket) => {
      socket.write(answer.slice(0, cut), () => reset(socket));
    }, options());
    // Nothing here is about time: a busy machine may take its own.
    const more = { retries: 0, connect_timeout: 30_000, read_timeout: 30_000 };
    await world.start([{ name: 'bad', port: upstream.port, protocol, more }]);
    for (cut = 0; cut < answer.length; cut += 1) {
      const text = await world.raw(get('/bad'));
      // A short answer is held until it is whole: its client sees a whole answer in any case.
      expect(text, `cut at ${cut}`).toMatch(/^HTTP\/1\.1 502 /);
    }
    expect(upstream.accepted()).toBe(answer.length);
    expect(headLength).toBeGreaterThan(0);
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    await world.expectNeighbour();
  });

  test('is not asked twice for what may have been done', async () => {
    const upstream = await world.upstream((socket) => reset(socket), options());
    await world.start([{ name: 'bad', port: upstream.port, protocol }]);
    const text = await world.raw(
      'POST /bad HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab',
    );
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(upstream.accepted()).toBe(1);
  });
});

describe('an upstream', () => {
  test('that drips its answer is let go with the client that waits for it', async () => {
    const drip = (socket: Socket): void => {
      let at = 0;
      const timer = setInterval(() => socket.write(answer[at++ % 16] ?? 'H'), 10);
      socket.once('close', () => clearInterval(timer));
    };
    const upstream = await world.upstream(drip);
    await world.start([{ name: 'bad', port: upstream.port }]);
    const client = dial(world.port, get('/bad'));
    await vi.waitFor(() => expect(upstream.open()).toBe(1), patience);
    await world.expectNeighbour();
    client.destroy();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
  });

  test('whose body has no end streams through, no faster than it is read', async () => {
    let written = 0;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const upstream = await world.upstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      repeat(socket, chunk);
      socket.on('drain', () => {
        written = socket.bytesWritten;
      });
    });
    await world.start([{ name: 'bad', port: upstream.port }], { limits: {} });
    const client = dial(world.port, get('/bad'));
    client.pause();
    await vi.waitFor(() => expect(written).toBeGreaterThan(100_000), patience);
    let before = 0;
    await vi.waitFor(() => {
      const isStill = before === written;
      before = written;
      expect(isStill).toBe(true);
    }, patience);
    // What sockets hold, not what the upstream would send.
    expect(written).toBeLessThan(32 << 20);
    await world.expectNeighbour();
    client.destroy();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
  });

  test('whose body has no end cannot be held for a plugin without an end', async () => {
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const upstream = await world.upstream((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      repeat(socket, chunk);
    });
    const plugins = [{ name: 'response-transformer', config: { add: { json: ['a:b'] } } }];
    await world.start([{ name: 'bad', port: upstream.port, route: { plugins } }]);
    expect(await world.raw(get('/bad'))).toMatch(/^HTTP\/1\.1 502 /);
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    await world.expectNeighbour();
  });

  test('that closes what it kept alive costs one more connection, however much is kept', async () => {
    let served = 0;
    const upstream = await world.upstream(
      (socket) => {
        socket.on('data', () => {
          served += 1;
          // The first request of a connection is answered, the second is cut.
          if ((socket as Socket & { was?: boolean }).was === true) reset(socket);
          else socket.write(answer);
          (socket as Socket & { was?: boolean }).was = true;
        });
      },
      { isAtOnce: true },
    );
    await world.start([{ name: 'bad', port: upstream.port, more: { retries: 0 } }]);
    await Promise.all(Array.from({ length: 20 }, () => world.raw(get('/bad'))));
    const before = served;
    expect(await world.raw(get('/bad'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(served - before).toBe(2);
  });
});
