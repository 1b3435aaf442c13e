import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { answer } from '../testing/raw-server.ts';
import { readBody } from './body.ts';
import { HttpClient } from './client.ts';

const running: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.close();
});

/** Bytes as they come from a client, so many at a time. */
class Incoming {
  readonly seen: number[][] = [];
  #bytes = Buffer.alloc(0);
  #wake = () => {};

  constructor(socket: Socket) {
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#wake();
    });
  }

  async take(length: number): Promise<void> {
    while (this.#bytes.length < length)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.seen.push([...this.#bytes.subarray(0, length)]);
    this.#bytes = this.#bytes.subarray(length);
  }
}

type Talk = (incoming: Incoming, socket: Socket) => Promise<void>;

/** A SOCKS5 proxy that says what a test says, and then is the server itself. */
async function socks(
  talk: Talk,
): Promise<{ server: Server; client(login?: string): HttpClient; seen: number[][] }> {
  const seen: number[][] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const incoming = new Incoming(socket);
    void talk(incoming, socket).finally(() => seen.push(...incoming.seen));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(server);
  const { port } = server.address() as AddressInfo;
  return {
    server,
    seen,
    client(login = '') {
      const proxyFor = () => new URL(`socks5://${login}127.0.0.1:${port}`);
      const client = new HttpClient({ proxyFor, connectTimeoutMs: 10_000 });
      running.unshift(client);
      return client;
    },
  };
}

/** Answers whatever is asked after the handshake. */
function serve(socket: Socket): void {
  socket.once('data', () => socket.write(answer('200 OK', 'through')));
}

const ask = async (client: HttpClient, origin = 'http://shop.test:8080') =>
  String(await readBody(await client.send({ origin, path: '/' }), 100));

const request = (host: string, port: number) => [
  5,
  1,
  0,
  3,
  host.length,
  ...Buffer.from(host),
  port >> 8,
  port & 0xff,
];

test.each([
  ['an IPv4 address', [1, 10, 0, 0, 1, 31, 144]],
  ['an IPv6 address', [4, ...Array<number>(16).fill(0), 31, 144]],
  ['a name', [3, 2, 97, 98, 31, 144]],
])('a tunnel begins right behind %s, in whose place the proxy speaks', async (_what, bound) => {
  const { client, seen } = await socks(async (incoming, socket) => {
    await incoming.take(3);
    socket.write(Buffer.from([5, 0]));
    await incoming.take(request('shop.test', 8080).length);
    serve(socket);
    // Cut where it hurts: what has come of an answer is not all of it.
    for (const byte of [5, 0, 0, ...bound]) {
      await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  expect(await ask(client())).toBe('through');
  expect(seen).toEqual([[5, 1, 0], request('shop.test', 8080)]);
});

test('a user and a password are sent where the proxy wants them', async () => {
  const login = [
    1,
    1,
    117,
    3,
    ...Buffer.from('p@ß').subarray(0, 2),
    ...Buffer.from('p@ß').subarray(2),
  ];
  login[3] = Buffer.byteLength('p@ß');
  const { client, seen } = await socks(async (incoming, socket) => {
    await incoming.take(4);
    socket.write(Buffer.from([5, 2]));
    await incoming.take(login.length);
    socket.write(Buffer.from([1, 0]));
    await incoming.take(request('shop.test', 80).length);
    serve(socket);
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  });
  expect(await ask(client('u:p%40%C3%9F@'), 'http://shop.test')).toBe('through');
  expect(seen).toEqual([[5, 2, 0, 2], login, request('shop.test', 80)]);
});

test('a proxy that wants no password is not shown one', async () => {
  const { client, seen } = await socks(async (incoming, socket) => {
    await incoming.take(4);
    socket.write(Buffer.from([5, 0]));
    await incoming.take(request('shop.test', 80).length);
    serve(socket);
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  });
  expect(await ask(client('u:secret@'), 'http://shop.test')).toBe('through');
  expect(seen).toHaveLength(2);
});

test.each<[string, number[][], string, RegExp]>([
  ['is none', [[72, 84]], '', /is no SOCKS5 proxy/],
  ['wants a password that there is not', [[5, 2]], '', /wants a way to log in/],
  ['wants another way', [[5, 0xff]], 'u:secret@', /wants a way to log in/],
  [
    'refuses the password',
    [
      [5, 2],
      [1, 1],
    ],
    'u:secret@',
    /refused the password/,
  ],
  [
    'cannot reach the server',
    [
      [5, 0],
      [5, 4, 0, 1],
    ],
    '',
    /cannot reach shop\.test \(SOCKS code 4\)/,
  ],
  ['goes away', [[5]], '', /closed the connection/],
  ['gets a password that is too long', [[5, 2]], `u:${'x'.repeat(256)}@`, /no such long password/],
  ['gets a user that is too long', [[5, 2]], `${'x'.repeat(256)}:p@`, /no such long password/],
])('a proxy that %s is named without its password', async (_what, answers, login, why) => {
  const { client } = await socks(async (_incoming, socket) => {
    for (const bytes of answers) {
      await new Promise((resolve) => socket.once('data', resolve));
      socket.write(Buffer.from(bytes));
    }
    if (answers[0]?.length === 1) socket.end();
  });
  const error = await ask(client(login)).catch((reason: unknown) => String(reason));
  expect(error).toMatch(why);
  expect(error).not.toContain('secret');
});
