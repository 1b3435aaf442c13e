import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { dial, FaultWorld, readAll, shortLimits } from '../testing/fault-gateway.ts';
import { type FaultUpstream, repeat } from '../testing/fault-upstream.ts';

let world = new FaultWorld();
const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await world.stop();
  world = new FaultWorld();
});

/** HTTP/1 for the neighbour, and HTTP/2 without TLS for what is said byte by byte. */
async function start(
  upstream: FaultUpstream | undefined,
  plugins: readonly object[] = [],
  limits = shortLimits,
): Promise<void> {
  const host = '127.0.0.1';
  const proxy = [
    { host, port: 0 },
    { host, port: 0, isHttp2Only: true },
  ];
  await world.start(
    upstream === undefined
      ? []
      : [{ name: 'up', port: upstream.port, more: { read_timeout: 60_000 }, route: { plugins } }],
    { proxy, limits },
  );
}

function open(options = {}): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${world.tlsPort}`, options);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** `:method GET`, `:scheme http`, `:path /up`, `:authority a`. */
const requestHeaders = Buffer.from([0x82, 0x86, 0x04, 0x03, 0x2f, 0x75, 0x70, 0x41, 0x01, 0x61]);

describe('a client of HTTP/2', () => {
  test('that opens no window does not hold its answer for ever', async () => {
    const upstream = await world.upstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n');
      repeat(socket, 'x');
    });
    await start(upstream);
    const session = open({ settings: { initialWindowSize: 0 } });
    const stream = session.request({ ':path': '/up' });
    stream.on('error', () => undefined);
    await vi.waitFor(() => expect(upstream.open()).toBe(1), patience);
    await world.expectNeighbour();
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(stream.destroyed || session.destroyed || stream.closed).toBe(true);
  });

  test('that stalls in its body gets 408', async () => {
    await start(undefined);
    const session = open();
    const stream = session.request({ ':path': '/neighbour', ':method': 'POST' });
    stream.write('a part');
    stream.on('error', () => undefined);
    const status = await new Promise((resolve) =>
      stream.on('response', (headers) => resolve(headers[':status'])),
    );
    expect(status).toBe(408);
    await world.expectNeighbour();
    // Others on its connection go on.
    const other = session.request({ ':path': '/neighbour' });
    expect(
      await new Promise((resolve) => other.on('response', (head) => resolve(head[':status']))),
    ).toBe(200);
  });

  test('that sends too much reads why, and may stop sending', async () => {
    const upstream = await world.upstream(() => undefined);
    await start(upstream, [{ name: 'request-size-limiting', config: { allowed_payload_size: 1 } }]);
    const stream = open().request({
      ':path': '/up',
      ':method': 'POST',
      'content-length': String(8 << 20),
    });
    stream.on('error', () => undefined);
    let text = '';
    stream.on('data', (data: Buffer) => {
      text += data.toString();
    });
    const status = new Promise((resolve) =>
      stream.on('response', (headers) => resolve(headers[':status'])),
    );
    stream.write(Buffer.alloc(1 << 20));
    expect(await status).toBe(413);
    await new Promise((resolve) => stream.once('close', resolve));
    expect(text).toContain('Request size limit exceeded');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test('is told how many streams it may have', async () => {
    await start(undefined);
    const session = open();
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(128);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half of its preface', preface.subarray(0, 10)],
    ['its preface and no more', preface],
  ])('that says %s is closed in time', async (_name, bytes) => {
    await start(undefined);
    await readAll(dial(world.tlsPort, bytes));
    await world.expectNeighbour();
  });

  const reset = Buffer.from([0, 0, 0, 8]);
  const floods: readonly (readonly [string, (index: number) => Buffer])[] = [
    ['settings', () => frame(4, 0, 0)],
    ['pings', () => frame(6, 0, 0, Buffer.alloc(8))],
    [
      'streams that it resets',
      (index) =>
        Buffer.concat([
          frame(1, 5, 2 * index + 1, requestHeaders),
          frame(3, 0, 2 * index + 1, reset),
        ]),
    ],
    [
      'headers that go on and on',
      (index) =>
        index === 0
          ? frame(1, 0, 1, requestHeaders)
          : frame(9, 0, 1, Buffer.from('\0\x01a\x04'.concat('b'.repeat(4)), 'latin1')),
    ],
    ['garbage', () => Buffer.alloc(100, 0xff)],
    ['empty pieces of a body', (index) => bodyPiece(index)],
  ];

  function bodyPiece(index: number): Buffer {
    const post = Buffer.from([0x83, 0x86, 0x84, 0x41, 0x01, 0x61]);
    return index === 0 ? frame(1, 4, 1, post) : frame(0, 0, 1);
  }

  test.each(floods)('that floods %s loses its connection only', async (_name, make) => {
    const upstream = await world.upstream(() => undefined);
    // A flood takes a busy machine a while to read: the neighbour's first byte may wait for that.
    await start(upstream, [], { ...shortLimits, headTimeoutMs: 5_000 });
    const before = process.memoryUsage().rss;
    const socket = dial(world.tlsPort, preface);
    const over = readAll(socket);
    for (let index = 0; index < 20_000 && !socket.destroyed; index += 500) {
      const block = Array.from({ length: 500 }, (_, at) => make(index + at));
      if (!socket.write(Buffer.concat(block))) {
        await new Promise((resolve) => {
          socket.once('drain', resolve);
          socket.once('close', resolve);
        });
      }
    }
    await world.expectNeighbour();
    await over;
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20);
    await world.expectNeighbour();
  });
});
